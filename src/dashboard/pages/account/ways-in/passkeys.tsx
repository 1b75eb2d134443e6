import { useMutation } from '@tanstack/react-query'
import { Ellipsis, KeyRound, Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import type { Passkey } from '../../../../client/index.ts'
import {
  addPasskey,
  askAfterPassword,
  deletePasskey,
  renamePasskey,
  whyNoPasskeys,
} from '../../../api/passkeys.ts'
import { useSignInMethods } from '../../../api/session.ts'
import { useWaysIn, type WaysIn } from '../../../api/ways-in.ts'
import { Button, IconButton } from '../../../components/fields/button.tsx'
import { CheckField, TextField } from '../../../components/fields/field.tsx'
import { Form, useFormMutation } from '../../../components/fields/form.tsx'
import { Failure, Loading } from '../../../components/notice.tsx'
import { ConfirmChange } from '../../../components/overlays/confirm.tsx'
import { Dialog } from '../../../components/overlays/dialog.tsx'
import { Menu, MenuItem } from '../../../components/overlays/menu.tsx'
import { toast } from '../../../components/overlays/toast.tsx'
import { Time } from '../../../components/table.tsx'
import { deviceName, readDevice } from '../../../lib/device.ts'
import { formatDistance } from '../../../lib/format.ts'
import { passkeyTexts as words } from '../../../texts/passkeys.ts'
import { TurnOff } from './turn-off.tsx'

/** Passkeys of the account, and whether one is asked for after the password. */
export function Passkeys() {
  const { data: ways, error, refetch } = useWaysIn()
  const methods = useSignInMethods().data
  const [overlay, setOverlay] = useState<Overlay>()
  const add = useMutation({
    mutationFn: () => addPasskey(deviceName(readDevice(navigator.userAgent))),
    onSuccess: (isAdded) => isAdded && toast.done(words.added),
  })
  if (error && !ways) return <Failure error={error} onRetry={refetch} />
  if (!ways || !methods) return <Loading />
  const why = methods.passkeys ? whyNoPasskeys() : 'server'
  const close = () => setOverlay(undefined)
  const isLast = ways.passkeys.length === 1 && ways.twoFactor && !ways.codes
  return (
    <>
      {ways.passkeys.length === 0 ? (
        <p>{words.none}</p>
      ) : (
        <ul className="full">
          {ways.passkeys.map((passkey) => (
            <PasskeyRow key={passkey.id} passkey={passkey} onChange={setOverlay} />
          ))}
        </ul>
      )}
      {ways.passkeys.length > 0 && <AfterPassword ways={ways} />}
      {why ? (
        <p className="note">{words.whyNot[why]}</p>
      ) : (
        <Button isBusy={add.isPending} onClick={() => add.mutate()}>
          {words.add}
        </Button>
      )}
      {overlay?.is === 'rename' && <Rename passkey={overlay.passkey} onClose={close} />}
      {overlay?.is === 'delete' && (
        <ConfirmChange
          title={words.deleteTitle(overlay.passkey.name)}
          action={words.delete}
          change={() => deletePasskey(overlay.passkey)}
          done={words.deleted(overlay.passkey.name)}
          onClose={close}
        >
          {words.deleteText} {isLast && words.deleteLast}
        </ConfirmChange>
      )}
    </>
  )
}

interface Overlay {
  is: 'rename' | 'delete'
  passkey: Passkey
}

function PasskeyRow({ passkey, onChange }: { passkey: Passkey; onChange: (overlay: Overlay) => void }) {
  const { name, createdAt, usedAt } = passkey
  return (
    <li className="device row gap-3">
      <KeyRound aria-hidden size={20} strokeWidth={1.5} />
      <div className="grow">
        <p className="device-name medium">{name}</p>
        <small>
          <Time at={createdAt}>{words.addedAt(formatDistance(createdAt))}</Time>
          {usedAt && (
            <>
              {' · '}
              <Time at={usedAt}>{words.usedAt(formatDistance(usedAt))}</Time>
            </>
          )}
        </small>
      </div>
      <Menu trigger={<IconButton icon={Ellipsis} label={words.actionsOf(name)} />}>
        <MenuItem icon={Pencil} onSelect={() => onChange({ is: 'rename', passkey })}>
          {words.rename}
        </MenuItem>
        <MenuItem icon={Trash2} isDanger onSelect={() => onChange({ is: 'delete', passkey })}>
          {words.delete}
        </MenuItem>
      </Menu>
    </li>
  )
}

/** Switch of the second step by passkey. With codes there is a second step anyway. */
function AfterPassword({ ways }: { ways: WaysIn }) {
  const [isAsking, setAsking] = useState(false)
  const turnOn = useMutation({ mutationFn: () => askAfterPassword(true) })
  if (ways.codes) return <p className="note">{words.withCodes}</p>
  return (
    <div className="stack gap-1">
      <CheckField
        label={words.askAfter}
        checked={turnOn.isPending || ways.twoFactor}
        disabled={turnOn.isPending}
        onChange={() => (ways.twoFactor ? setAsking(true) : turnOn.mutate())}
      />
      <p className="field-hint">{words.askAfterHint}</p>
      {isAsking && <TurnOff ways={ways} onClose={() => setAsking(false)} />}
    </div>
  )
}

function Rename({ passkey: { id, name }, onClose }: { passkey: Passkey; onClose: () => void }) {
  const rename = useFormMutation({
    mutationFn: (wanted: string) => renamePasskey(id, wanted),
    onSuccess: onClose,
  })
  return (
    <Dialog title={words.renameTitle(name)} onClose={onClose}>
      <Form
        mutation={rename}
        action={words.save}
        onSubmit={(form) => rename.mutate(String(form.get('name')))}
        onClose={onClose}
      >
        <TextField
          label={words.name}
          name="name"
          defaultValue={name}
          maxLength={255}
          autoComplete="off"
          required
        />
      </Form>
    </Dialog>
  )
}
