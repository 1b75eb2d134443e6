import { changeUser, type User } from '../../api/users.ts'
import { Form, useFormMutation } from '../../components/fields/form.tsx'
import { Dialog } from '../../components/overlays/dialog.tsx'
import { texts } from '../../texts.ts'
import { GeneratedPasswordField } from './generated-password-field.tsx'
import { HandOver } from './hand-over.tsx'

export function ResetPassword({ user, onClose }: { user: User; onClose: () => void }) {
  const reset = useFormMutation({
    mutationFn: (password: string) => changeUser(user.id, { password }),
  })
  if (reset.isSuccess) return <HandOver user={user} password={reset.variables} onClose={onClose} />
  return (
    <Dialog title={texts.users.resetTitle(user.name)} description={texts.users.resetText} onClose={onClose}>
      <Form
        mutation={reset}
        action={texts.users.reset}
        onSubmit={(form) => reset.mutate(String(form.get('password')))}
        onClose={onClose}
      >
        <GeneratedPasswordField />
      </Form>
    </Dialog>
  )
}
