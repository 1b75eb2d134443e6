import { signUp } from '../api/session.ts'
import { EmailField, NameField, NewPasswordField } from '../components/account-fields.tsx'
import { Form, useFormMutation } from '../components/form.tsx'
import { texts } from '../texts.ts'
import { WayIn } from './way-in.tsx'

/** The first run: whoever opens a new instance makes its admin. */
export function Register() {
  const register = useFormMutation({ mutationFn: signUp })
  return (
    <WayIn title={texts.register.title} lead={texts.register.lead}>
      <Form
        mutation={register}
        action={texts.register.submit}
        onSubmit={(form) =>
          register.mutate({
            name: String(form.get('name')),
            email: String(form.get('email')),
            password: String(form.get('newPassword')),
          })
        }
      >
        <NameField />
        <EmailField />
        <NewPasswordField />
      </Form>
    </WayIn>
  )
}
