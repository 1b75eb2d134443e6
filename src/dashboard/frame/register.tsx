import { signUp } from '../api/session.ts'
import { EmailField, NameField, NewPasswordField } from '../components/fields/account-fields.tsx'
import { TextField } from '../components/fields/field.tsx'
import { Form, useFormMutation } from '../components/fields/form.tsx'
import { texts } from '../texts.ts'
import { WayIn } from './way-in.tsx'

/** Form that creates the admin of a new instance. */
export function Register({ needsToken }: { needsToken: boolean }) {
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
            ...(needsToken && { setupToken: String(form.get('setupToken')).trim() }),
          })
        }
      >
        <NameField />
        <EmailField />
        <NewPasswordField />
        {needsToken && (
          <TextField
            label={texts.register.token}
            hint={texts.register.tokenHint}
            name="setupToken"
            autoComplete="off"
            required
          />
        )}
      </Form>
    </WayIn>
  )
}
