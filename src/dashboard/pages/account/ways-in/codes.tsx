import { useMutation } from '@tanstack/react-query'
import { Download, Printer } from 'lucide-react'
import { useState } from 'react'
import { useMe } from '../../../api/session.ts'
import {
  addApp,
  forgetDevices,
  inWords,
  type NewCodes,
  renewRecoveryCodes,
  turnOnCodes,
  type WaysIn,
} from '../../../api/ways-in.ts'
import { Button, Done } from '../../../components/fields/button.tsx'
import { CodeField } from '../../../components/fields/code-fields.tsx'
import { CopyButton } from '../../../components/fields/copy-field.tsx'
import { Form, useFormMutation } from '../../../components/fields/form.tsx'
import Confirm from '../../../components/overlays/confirm.tsx'
import { Dialog } from '../../../components/overlays/dialog.tsx'
import { toast } from '../../../components/overlays/toast.tsx'
import { QrCode } from '../../../components/qr-code.tsx'
import { Badge } from '../../../components/table.tsx'
import { formatCount } from '../../../lib/format.ts'
import { signInTexts as words } from '../../../texts/sign-in.ts'
import { TurnOff, useKeepsStep } from './turn-off.tsx'

/** Codes after the password: off, or on with what belongs to them. A new app stays in view while they turn on. */
export function Codes({ ways }: { ways: WaysIn }) {
  const [app, setApp] = useState<NewCodes>()
  return (
    <>
      {ways.twoFactor ? <CodesOn ways={ways} onApp={setApp} /> : <CodesOff ways={ways} onApp={setApp} />}
      {app && <SetUp app={app} onClose={() => setApp(undefined)} />}
    </>
  )
}

interface AppProps {
  /** Called with an app to add. */
  onApp: (app: NewCodes) => void
}

function CodesOff({ ways, onApp }: AppProps & { ways: WaysIn }) {
  const add = useMutation({ mutationFn: () => addApp(), onSuccess: onApp })
  return (
    <>
      <p>{ways.password ? words.isOff : words.isIdle}</p>
      <Button look="primary" isBusy={add.isPending} onClick={() => add.mutate()}>
        {words.setUp}
      </Button>
    </>
  )
}

function CodesOn({ ways, onApp }: AppProps & { ways: WaysIn }) {
  const [asks, setAsks] = useState<'off' | 'renew' | 'change'>()
  const [codes, setCodes] = useState<string[]>()
  const close = () => setAsks(undefined)
  const change = useMutation({ mutationFn: () => addApp({ replace: true }), onSuccess: onApp })
  const renew = useMutation({
    mutationFn: () => renewRecoveryCodes(),
    onSuccess: ({ backupCodes }) => setCodes(backupCodes),
  })
  const forget = useMutation({ mutationFn: forgetDevices, onSuccess: () => toast.done(words.forgotten) })
  const keepsStep = useKeepsStep(ways)
  const { recoveryCodes, trustedDevices } = ways
  return (
    <>
      <div className="stack gap-2">
        <p>
          <Badge look="good">{words.isOn}</Badge>{' '}
          {ways.codes ? words.isOnText : ways.passkeys.length > 0 ? words.isOnWithout : words.unreadable}
        </p>
        <p className={recoveryCodes < 3 ? 'warning' : 'soft'}>
          {words.left(formatCount(recoveryCodes, words.recoveryCode))}
        </p>
        {trustedDevices > 0 && (
          <p className="soft">
            {trustedDevices === 1 ? words.trustsOne : words.trusts(words.browsers(trustedDevices))}
          </p>
        )}
      </div>
      <div className="row wrap">
        <Button isBusy={change.isPending} onClick={() => (ways.codes ? setAsks('change') : change.mutate())}>
          {ways.codes ? words.changeApp : words.addApp}
        </Button>
        <Button isBusy={renew.isPending} onClick={() => setAsks('renew')}>
          {words.renew}
        </Button>
        {trustedDevices > 0 && (
          <Button isBusy={forget.isPending} onClick={() => forget.mutate()}>
            {words.forget}
          </Button>
        )}
        <Button onClick={() => setAsks('off')}>{keepsStep ? words.codesOff : words.turnOff}</Button>
      </div>
      {asks === 'off' && <TurnOff ways={ways} onClose={close} />}
      {asks === 'renew' && (
        <Confirm title={words.renewTitle} action={words.renew} onConfirm={renew.mutate} onClose={close}>
          {words.renewText}
        </Confirm>
      )}
      {asks === 'change' && (
        <Confirm title={words.changeTitle} action={words.changeApp} onConfirm={change.mutate} onClose={close}>
          {words.changeText}
        </Confirm>
      )}
      {codes && (
        <Dialog
          title={words.codesTitle}
          description={words.codesText}
          isKept
          onClose={() => setCodes(undefined)}
        >
          <RecoveryCodes codes={codes} />
          <Done onClose={() => setCodes(undefined)} />
        </Dialog>
      )}
    </>
  )
}

/** Dialog that adds an app by its first code, then shows the recovery codes. */
function SetUp({ app, onClose }: { app: NewCodes; onClose: () => void }) {
  const [isOn, setOn] = useState(false)
  const turnOn = useFormMutation({ mutationFn: turnOnCodes, onSuccess: () => setOn(true) })
  if (isOn)
    return (
      <Dialog title={words.codesTitle} description={words.codesText} isKept onClose={onClose}>
        <RecoveryCodes codes={app.backupCodes} />
        <Done
          onClose={() => {
            toast.done(words.turnedOn)
            onClose()
          }}
        />
      </Dialog>
    )
  const secret = new URL(app.totpURI).searchParams.get('secret') ?? ''
  return (
    <Dialog title={words.setUpTitle} description={words.setUpText} onClose={onClose}>
      <div className="set-up">
        <QrCode text={app.totpURI} label={words.qr} />
        <div className="stack gap-3 fit">
          <p className="small medium">{words.secret}</p>
          <code className="set-up-secret">{secret.replaceAll(/.{4}(?=.)/g, '$& ')}</code>
          <CopyButton text={secret} />
          <a className="small" href={app.totpURI}>
            {words.openApp}
          </a>
        </div>
      </div>
      <Form
        mutation={{ ...turnOn, error: inWords(turnOn.error) }}
        action={words.turnOn}
        onSubmit={(form) => turnOn.mutate(String(form.get('code')))}
        onClose={onClose}
      >
        <CodeField label={words.first} />
      </Form>
    </Dialog>
  )
}

/** Recovery codes to copy, to save and to print. */
function RecoveryCodes({ codes }: { codes: readonly string[] }) {
  const { user } = useMe()
  const text = words.file(`${user.email}, ${location.host}`, codes.join('\n'))
  const file = `data:text/plain;charset=utf-8,${encodeURIComponent(text)}`
  return (
    <>
      <p className="print-only">{words.file(`${user.email}, ${location.host}`, '')}</p>
      <ol className="recovery-codes well" aria-label={words.codesList}>
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ol>
      <div className="row wrap no-print">
        <CopyButton text={codes.join('\n')} label={words.copyAll} />
        <a className="button button-plain save-codes" href={file} download={words.fileName}>
          <Download aria-hidden size={16} />
          {words.download}
        </a>
        <Button icon={Printer} onClick={() => print()}>
          {words.print}
        </Button>
      </div>
    </>
  )
}
