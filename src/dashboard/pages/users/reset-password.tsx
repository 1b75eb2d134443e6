import { changeUser, type User } from '../../api/users.ts'
import { CheckField } from '../../components/fields/field.tsx'
import { Form, useFormMutation } from '../../components/fields/form.tsx'
import { Dialog } from '../../components/overlays/dialog.tsx'
import { userTexts } from '../../texts/users.ts'
import { GeneratedPasswordField } from './generated-password-field.tsx'
import { HandOver } from './hand-over.tsx'

export function ResetPassword({ user, onClose }: { user: User; onClose: () => void }) {
  const reset = useFormMutation({
    mutationFn: (fields: { password: string; deleteKeys: boolean }) => changeUser(user.id, fields),
  })
  if (reset.isSuccess) return <HandOver user={user} password={reset.variables.password} onClose={onClose} />
  return (
    <Dialog title={userTexts.resetTitle(user.name)} description={userTexts.resetText} onClose={onClose}>
      <Form
        mutation={reset}
        action={userTexts.reset}
        onSubmit={(form) =>
          reset.mutate({ password: String(form.get('password')), deleteKeys: form.has('deleteKeys') })
        }
        onClose={onClose}
      >
        <GeneratedPasswordField />
        {user.apiKeys > 0 && <CheckField label={userTexts.deleteKeys} name="deleteKeys" />}
      </Form>
    </Dialog>
  )
}
