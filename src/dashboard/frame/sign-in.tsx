import { useRef } from 'react'
import { signIn, useIsTrusted, useSignInMethods } from '../api/session.ts'
import { EmailField, PasswordField } from '../components/fields/account-fields.tsx'
import { CodeBlock } from '../components/fields/copy-field.tsx'
import { CheckField } from '../components/fields/field.tsx'
import { Form, useFormMutation } from '../components/fields/form.tsx'
import { lazyComponent } from '../components/lazy.tsx'
import { texts } from '../texts.ts'
import { queue } from '../uploads/collect.ts'
import { WayIn } from './way-in.tsx'

const OtherWays = lazyComponent(() => import('./other-ways.tsx'), { isQuiet: true })
const SecondStep = lazyComponent(() => import('./second-step.tsx'))
const PasskeySignIn = lazyComponent(() => import('./passkey-sign-in.tsx'), { isQuiet: true })

export function SignIn() {
  const form = useRef<HTMLFormElement>(null)
  const methods = useSignInMethods().data
  const enter = useFormMutation({ mutationFn: signIn })
  const isTrusted = useIsTrusted()
  if (enter.data) return <SecondStep methods={enter.data} onAgain={enter.reset} />
  return (
    <WayIn
      title={texts.signIn.title}
      lead={queue.now?.isUploading() ? texts.signIn.paused : texts.signIn.lead}
      footer={<LostPassword />}
    >
      <Form
        ref={form}
        mutation={enter}
        action={texts.signIn.submit}
        isComplete={isTrusted}
        onSubmit={(form) =>
          enter.mutate({
            email: String(form.get('email')),
            password: String(form.get('password')),
            rememberMe: form.has('rememberMe'),
          })
        }
      >
        <EmailField autoComplete="username webauthn" />
        <PasswordField
          label={texts.account.password}
          name="password"
          autoComplete="current-password"
          required
        />
        <CheckField label={texts.signIn.remember} name="rememberMe" defaultChecked />
      </Form>
      {methods?.passkeys && (
        <PasskeySignIn isRemembered={() => new FormData(form.current ?? undefined).has('rememberMe')} />
      )}
      <OtherWays />
    </WayIn>
  )
}

/** Ways to a new password. The server sends no mail, so a person has to help. */
const LostPassword = () => (
  <details className="way-in-help full note">
    <summary>{texts.signIn.lost}</summary>
    <p>{texts.signIn.lostMember}</p>
    <p>{texts.signIn.lostAdmin}</p>
    <CodeBlock label={texts.signIn.lostAdmin} code="npm start -- admin reset-password you@example.com" />
    <p>{texts.signIn.lostBinary}</p>
    <CodeBlock label={texts.signIn.lostBinary} code="holdfast admin reset-password you@example.com" />
  </details>
)
