import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { AskingProgram } from '../../client/index.ts'
import { client, hasStatus } from '../api/client.ts'
import { refreshing } from '../api/query.ts'
import { useMe } from '../api/session.ts'
import { Button } from '../components/fields/button.tsx'
import { TextField } from '../components/fields/field.tsx'
import { Form } from '../components/fields/form.tsx'
import { FormError } from '../components/notice.tsx'
import { navigate } from '../lib/router.tsx'
import { sayScopes } from '../lib/scopes.ts'
import { deviceTexts } from '../texts/devices.ts'
import { Waiting, WayIn } from './way-in.tsx'

const approve = refreshing(client.auth.approveProgram, 'keys', 'stats', 'users')

/** Page on which a person approves a program that asks for an API key. */
export default function DevicePage() {
  const [code, setCode] = useState(() => new URLSearchParams(location.search).get('user_code') ?? '')
  const { data, error, isFetching } = useQuery({
    queryKey: ['asking', code],
    queryFn: () => client.auth.askingProgram(code),
    enabled: code !== '',
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (isFetching) return <Waiting />
  return data ? <Asking program={data} /> : <EnterCode error={error} onEnter={setCode} />
}

/** Form for a code that the address does not have, or that no program waits with. */
function EnterCode({ error, onEnter }: { error: unknown; onEnter: (code: string) => void }) {
  const isUnknown = hasStatus(error, 404)
  return (
    <WayIn title={deviceTexts.title} lead={deviceTexts.lead}>
      <Form
        mutation={{ error: isUnknown ? null : error, isPending: false }}
        action={deviceTexts.next}
        onSubmit={(form) => onEnter(String(form.get('code')))}
      >
        <TextField
          label={deviceTexts.code}
          name="code"
          required
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck="false"
          placeholder="XXXX-XXXX"
          error={isUnknown ? deviceTexts.unknown : undefined}
        />
      </Form>
    </WayIn>
  )
}

function Asking({ program }: { program: AskingProgram }) {
  const { user, scopes: own } = useMe()
  const accept = useMutation({ mutationFn: approve, meta: { isShownInPlace: () => true } })
  const deny = useMutation({ mutationFn: client.auth.denyProgram, meta: { isShownInPlace: () => true } })
  const { user_code: code, client_id: name, ipAddress, scopes } = program
  if (accept.isSuccess) return <Over title={deviceTexts.approved(name)} text={deviceTexts.approvedText} />
  if (deny.isSuccess) return <Over title={deviceTexts.denied} text={deviceTexts.deniedText} />
  const able = sayScopes(scopes.filter((scope) => own.includes(scope)))
  return (
    <WayIn title={deviceTexts.asks(name)} lead={deviceTexts.compare}>
      <p className="device-code digits" translate="no">
        {code}
      </p>
      <p className="soft">{deviceTexts.able(able, user.email)}</p>
      <p className="note">{deviceTexts.from(ipAddress)}</p>
      <FormError error={accept.error ?? deny.error} />
      <div className="row gap-3 wrap">
        <Button look="primary" isBusy={accept.isPending} onClick={() => accept.mutate(code)}>
          {deviceTexts.approve}
        </Button>
        <Button isBusy={deny.isPending} onClick={() => deny.mutate(code)}>
          {deviceTexts.deny}
        </Button>
      </div>
    </WayIn>
  )
}

function Over({ title, text }: { title: string; text: string }) {
  return (
    <WayIn title={title} lead={text}>
      <Button onClick={() => navigate({ to: '/', replace: true })}>{deviceTexts.home}</Button>
    </WayIn>
  )
}
