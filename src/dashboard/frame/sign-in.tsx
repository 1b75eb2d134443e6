import { signIn } from '../api/session.ts'
import { EmailField } from '../components/fields/account-fields.tsx'
import { CheckField, TextField } from '../components/fields/field.tsx'
import { Form, useFormMutation } from '../components/fields/form.tsx'
import { texts } from '../texts.ts'
import { WayIn } from './way-in.tsx'

export function SignIn() {
  const enter = useFormMutation({ mutationFn: signIn })
  return (
    <WayIn title={texts.signIn.title} lead={texts.signIn.lead}>
      <Form
        mutation={enter}
        action={texts.signIn.submit}
        onSubmit={(form) =>
          enter.mutate({
            email: String(form.get('email')),
            password: String(form.get('password')),
            rememberMe: form.has('rememberMe'),
          })
        }
      >
        <EmailField />
        <TextField
          label={texts.account.password}
          name="password"
          type="password"
          autoComplete="current-password"
          required
        />
        <CheckField label={texts.signIn.remember} name="rememberMe" defaultChecked />
      </Form>
    </WayIn>
  )
}
