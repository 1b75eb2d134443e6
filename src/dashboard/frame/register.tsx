import { useRegister } from '../api/session.ts'
import { Button } from '../components/button.tsx'
import { TextField } from '../components/field.tsx'
import { FormError } from '../components/notice.tsx'
import { texts } from '../texts.ts'
import { WayIn } from './way-in.tsx'

/** The first run: whoever opens a new instance makes its admin. */
export function Register() {
  const register = useRegister()
  const submit = (form: FormData) =>
    register.mutate({
      name: String(form.get('name')),
      email: String(form.get('email')),
      password: String(form.get('password')),
    })
  return (
    <WayIn title={texts.register.title} lead={texts.register.lead}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          submit(new FormData(event.currentTarget))
        }}
      >
        <TextField label={texts.account.name} name="name" autoComplete="name" required />
        <TextField label={texts.account.email} name="email" type="email" autoComplete="username" required />
        <TextField
          label={texts.account.password}
          hint={texts.account.passwordHint}
          name="password"
          type="password"
          autoComplete="new-password"
          minLength={8}
          maxLength={128}
          required
        />
        <FormError error={register.error} />
        <Button look="primary" type="submit" isBusy={register.isPending}>
          {texts.register.submit}
        </Button>
      </form>
    </WayIn>
  )
}
