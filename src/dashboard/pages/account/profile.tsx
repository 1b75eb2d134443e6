import { changeAccount } from '../../api/account.ts'
import { useMe } from '../../api/session.ts'
import { EmailField, NameField } from '../../components/fields/account-fields.tsx'
import { Form, useFormMutation } from '../../components/fields/form.tsx'
import { toast } from '../../components/overlays/toast.tsx'
import { sayScopes } from '../../lib/scopes.ts'
import { texts } from '../../texts.ts'

export function Profile() {
  const { user } = useMe()
  const change = useFormMutation({
    mutationFn: changeAccount,
    onSuccess: () => toast.done(texts.ownAccount.saved),
  })
  return (
    <Form
      mutation={change}
      action={texts.ownAccount.save}
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
  const role = Object.entries(texts.roles).find(([name]) => name === user.role)?.[1]
  return (
    <div className="field">
      <span className="field-name">{texts.ownAccount.role}</span>
      <p>{role?.label ?? user.role}</p>
      <p className="field-hint">{may ? texts.ownAccount.may(may) : texts.ownAccount.mayNothing}</p>
    </div>
  )
}
