import { type ReactNode, useEffect, useRef } from 'react'
import { signIn, useIsTrusted } from '../api/session.ts'
import { EmailField, PasswordField } from '../components/fields/account-fields.tsx'
import { CodeBlock } from '../components/fields/copy-field.tsx'
import { CheckField } from '../components/fields/field.tsx'
import { Form, useFormMutation } from '../components/fields/form.tsx'
import { Logo } from '../components/icons.tsx'
import { texts } from '../texts.ts'
import { queue } from '../uploads/collect.ts'

export function SignIn() {
  const enter = useFormMutation({ mutationFn: signIn })
  const isTrusted = useIsTrusted()
  return (
    <WayIn
      title={texts.signIn.title}
      lead={queue.now?.isUploading() ? texts.signIn.paused : texts.signIn.lead}
      footer={<LostPassword />}
    >
      <Form
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
        <EmailField />
        <PasswordField
          label={texts.account.password}
          name="password"
          autoComplete="current-password"
          required
        />
        <CheckField label={texts.signIn.remember} name="rememberMe" defaultChecked />
      </Form>
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

interface WayInProps {
  title: string
  lead: string
  /** Content below the card. */
  footer?: ReactNode
  children: ReactNode
}

/** Page while it is not known what to show. */
export const Waiting = () => (
  <div className="way-in is-waiting" role="status">
    <Logo />
    <span className="visually-hidden">{texts.loading}</span>
  </div>
)

/** Page around the forms of sign-in and registration. Its first field has the focus. */
export function WayIn({ title, lead, footer, children }: WayInProps) {
  const card = useRef<HTMLDivElement>(null)
  useEffect(() => {
    document.title = `${title} · ${texts.product}`
    card.current?.querySelector('input')?.focus()
  }, [title])
  return (
    <main className="way-in">
      <Logo />
      <div ref={card} className="way-in-card stack gap-3 full card">
        <h1 className="page-title">{title}</h1>
        <p className="soft">{lead}</p>
        {children}
      </div>
      {footer}
    </main>
  )
}
