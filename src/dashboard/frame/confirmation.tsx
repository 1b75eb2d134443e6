import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import { hasStatus } from '../api/client.ts'
import { confirmByPasskey, whyNoPasskeys } from '../api/passkeys.ts'
import { useMe } from '../api/session.ts'
import { confirmSession, inWords, type Proof, useWaysIn } from '../api/ways-in.ts'
import { PasswordField } from '../components/fields/account-fields.tsx'
import { Button, Done } from '../components/fields/button.tsx'
import { CodeField } from '../components/fields/code-fields.tsx'
import { Form, useFormMutation } from '../components/fields/form.tsx'
import { FormError } from '../components/notice.tsx'
import { Dialog } from '../components/overlays/dialog.tsx'
import { passkeyTexts } from '../texts/passkeys.ts'
import { signInTexts as words } from '../texts/sign-in.ts'

/** Dialog in which a person confirms the session. */
export default function Confirmation({ onAnswer }: { onAnswer: (isConfirmed: boolean) => void }) {
  const onDone = () => onAnswer(true)
  const onClose = () => onAnswer(false)
  const { user } = useMe()
  const { data: ways } = useWaysIn()
  const [isCode, setCode] = useState(ways?.passwordWorks === false)
  const confirm = useFormMutation({
    mutationFn: (proof: Proof) => confirmSession(proof),
    onSuccess: onDone,
  })
  const byPasskey = useFormMutation({
    mutationFn: confirmByPasskey,
    onSuccess: (isConfirmed) => isConfirmed && onDone(),
  })
  const mayPasskey = ways !== undefined && ways.passkeys.length > 0 && whyNoPasskeys() === undefined
  const passkeyButton = mayPasskey && (
    <Button icon={KeyRound} isBusy={byPasskey.isPending} onClick={() => byPasskey.mutate()}>
      {passkeyTexts.step}
    </Button>
  )
  const isWrong = !isCode && hasStatus(confirm.error, 400)
  if (ways && !ways.passwordWorks && !ways.codes)
    return (
      <Dialog
        title={words.confirmTitle}
        description={mayPasskey ? words.confirmText : words.noProof}
        onClose={onClose}
      >
        {passkeyButton}
        <FormError error={byPasskey.error} />
        <Done onClose={onClose} />
      </Dialog>
    )
  return (
    <Dialog title={words.confirmTitle} description={words.confirmText} onClose={onClose}>
      <Form
        key={String(isCode)}
        mutation={{ ...confirm, error: byPasskey.error ?? (isWrong ? null : inWords(confirm.error)) }}
        action={words.confirm}
        onSubmit={(form) =>
          confirm.mutate(
            isCode ? { code: String(form.get('code')) } : { password: String(form.get('password')) },
          )
        }
        onClose={onClose}
      >
        <input hidden readOnly autoComplete="username" value={user.email} />
        {isCode ? (
          <CodeField label={words.first} />
        ) : (
          <PasswordField
            label={words.password}
            name="password"
            autoComplete="current-password"
            error={isWrong ? words.wrongPassword : undefined}
            required
          />
        )}
        {passkeyButton}
        {ways?.codes && ways.passwordWorks && (
          <div>
            <Button look="quiet" onClick={() => setCode(!isCode)}>
              {isCode ? words.withPassword : words.useCode}
            </Button>
          </div>
        )}
      </Form>
    </Dialog>
  )
}
