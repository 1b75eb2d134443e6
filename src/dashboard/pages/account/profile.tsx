import { useRef } from 'react'
import { changeAccount, changePassword } from '../../api/accounts.ts'
import { hasStatus } from '../../api/client.ts'
import { useMe } from '../../api/session.ts'
import { setPassword, useWaysIn } from '../../api/ways-in.ts'
import {
  EmailField,
  NameField,
  NewPasswordField,
  PasswordField,
} from '../../components/fields/account-fields.tsx'
import { CheckField } from '../../components/fields/field.tsx'
import { Form, useFormMutation } from '../../components/fields/form.tsx'
import { toast } from '../../components/overlays/toast.tsx'
import { sayScopes } from '../../lib/scopes.ts'
import { accountTexts } from '../../texts/account.ts'
import { roleTexts } from '../../texts/scopes.ts'

export function Profile() {
  const { user } = useMe()
  const change = useFormMutation({
    mutationFn: changeAccount,
    onSuccess: () => toast.done(accountTexts.saved),
  })
  return (
    <Form
      mutation={change}
      action={accountTexts.save}
      onSubmit={(form) => change.mutate({ name: String(form.get('name')), email: String(form.get('email')) })}
    >
      <NameField defaultValue={user.name} />
      <EmailField defaultValue={user.email} />
      <Role />
    </Form>
  )
}

/** Permissions of the account, which only an admin changes. */
function Role() {
  const { user, scopes } = useMe()
  const may = sayScopes(scopes)
  const role = Object.entries(roleTexts).find(([name]) => name === user.role)?.[1]
  return (
    <div className="stack gap-1">
      <span className="small medium">{accountTexts.role}</span>
      <p>{role?.label ?? user.role}</p>
      <p className="field-hint">{may ? accountTexts.may(may) : accountTexts.mayNothing}</p>
    </div>
  )
}

/** Names the account to password managers. */
const Owner = () => <input hidden readOnly autoComplete="username" value={useMe().user.email} />

/** Form of the first password, for an account that signs in by other ways. */
function FirstPassword() {
  const set = useFormMutation({
    mutationFn: setPassword,
    onSuccess: () => toast.done(accountTexts.passwordSet),
  })
  return (
    <>
      <p>{accountTexts.noPassword}</p>
      <Form
        mutation={set}
        action={accountTexts.setPassword}
        onSubmit={(sent) => set.mutate(String(sent.get('newPassword')))}
      >
        <Owner />
        <NewPasswordField label={accountTexts.new} />
      </Form>
    </>
  )
}

export function Password() {
  const form = useRef<HTMLFormElement>(null)
  const change = useFormMutation({
    mutationFn: changePassword,
    onSuccess: () => {
      form.current?.reset()
      toast.done(accountTexts.changed)
    },
  })
  const isWrong = isWrongPassword(change.error)
  const { data: ways } = useWaysIn()
  if (ways?.maySetPassword) return <FirstPassword />
  if (ways?.passwordWorks === false)
    return <p>{ways.password ? accountTexts.passwordUnused : accountTexts.mayNoPassword}</p>
  return (
    <Form
      ref={form}
      mutation={isWrong ? { ...change, error: null } : change}
      action={accountTexts.change}
      onSubmit={(sent) =>
        change.mutate({
          currentPassword: String(sent.get('currentPassword')),
          newPassword: String(sent.get('newPassword')),
          revokeOtherSessions: sent.has('revokeOtherSessions'),
        })
      }
    >
      <Owner />
      <PasswordField
        label={accountTexts.current}
        name="currentPassword"
        autoComplete="current-password"
        error={isWrong ? accountTexts.wrongPassword : undefined}
        required
      />
      <NewPasswordField label={accountTexts.new} />
      <CheckField label={accountTexts.signOutOthers} name="revokeOtherSessions" defaultChecked />
    </Form>
  )
}

/** Detects the error of the current password. The API's message names its own field, which means nothing to users. */
const isWrongPassword = (error: unknown) =>
  hasStatus(error, 400) && error.message.startsWith('"currentPassword"')
