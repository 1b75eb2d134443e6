import { useRef } from 'react'
import { changePassword } from '../../api/account.ts'
import { hasStatus } from '../../api/client.ts'
import { useMe } from '../../api/session.ts'
import { CheckField } from '../../components/fields/field.tsx'
import { Form, useFormMutation } from '../../components/fields/form.tsx'
import { NewPasswordField, PasswordField } from '../../components/fields/password-field.tsx'
import { toast } from '../../components/overlays/toast.tsx'
import { texts } from '../../texts.ts'

export function Password() {
  const { user } = useMe()
  const form = useRef<HTMLFormElement>(null)
  const change = useFormMutation({
    mutationFn: changePassword,
    onSuccess: () => {
      form.current?.reset()
      toast.done(texts.ownAccount.changed)
    },
  })
  const isWrong = isWrongPassword(change.error)
  return (
    <Form
      ref={form}
      mutation={isWrong ? { ...change, error: null } : change}
      action={texts.ownAccount.change}
      onSubmit={(sent) =>
        change.mutate({
          currentPassword: String(sent.get('currentPassword')),
          newPassword: String(sent.get('newPassword')),
          revokeOtherSessions: sent.has('revokeOtherSessions'),
        })
      }
    >
      {/* Tells password managers whose password it is. */}
      <input hidden readOnly autoComplete="username" value={user.email} />
      <PasswordField
        label={texts.ownAccount.current}
        name="currentPassword"
        autoComplete="current-password"
        error={isWrong ? texts.ownAccount.wrongPassword : undefined}
        required
      />
      <NewPasswordField label={texts.ownAccount.new} />
      <CheckField label={texts.ownAccount.signOutOthers} name="revokeOtherSessions" defaultChecked />
    </Form>
  )
}

/** Detects the error of the current password. The API's message names its own field, which means nothing to users. */
const isWrongPassword = (error: unknown) =>
  hasStatus(error, 400) && error.message.startsWith('"currentPassword"')
