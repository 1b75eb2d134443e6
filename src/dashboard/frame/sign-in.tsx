import { useSignIn } from '../api/session.ts'
import { Button } from '../components/button.tsx'
import { CheckField, TextField } from '../components/field.tsx'
import { FormError } from '../components/notice.tsx'
import { texts } from '../texts.ts'
import { WayIn } from './way-in.tsx'

export function SignIn() {
  const signIn = useSignIn()
  const submit = (form: FormData) =>
    signIn.mutate({
      email: String(form.get('email')),
      password: String(form.get('password')),
      rememberMe: form.has('rememberMe'),
    })
  return (
    <WayIn title={texts.signIn.title} lead={texts.signIn.lead}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          submit(new FormData(event.currentTarget))
        }}
      >
        <TextField label={texts.account.email} name="email" type="email" autoComplete="username" required />
        <TextField
          label={texts.account.password}
          name="password"
          type="password"
          autoComplete="current-password"
          required
        />
        <CheckField label={texts.signIn.remember} name="rememberMe" defaultChecked />
        <FormError error={signIn.error} />
        <Button look="primary" type="submit" isBusy={signIn.isPending}>
          {texts.signIn.submit}
        </Button>
      </form>
    </WayIn>
  )
}
