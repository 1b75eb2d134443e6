import { useMutation } from '@tanstack/react-query'
import { changeAccount } from '../../api/account.ts'
import { SHOWN_IN_PLACE } from '../../api/query.ts'
import { useMe } from '../../api/session.ts'
import { Button } from '../../components/button.tsx'
import { TextField } from '../../components/field.tsx'
import { FormError } from '../../components/notice.tsx'
import { toast } from '../../components/toast.tsx'
import { texts } from '../../texts.ts'

export function Profile() {
  const { user } = useMe()
  const change = useMutation({
    mutationFn: changeAccount,
    onSuccess: () => toast.done(texts.ownAccount.saved),
    meta: SHOWN_IN_PLACE,
  })
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault()
        const form = new FormData(event.currentTarget)
        change.mutate({ name: String(form.get('name')), email: String(form.get('email')) })
      }}
    >
      <TextField
        label={texts.account.name}
        name="name"
        defaultValue={user.name}
        maxLength={255}
        autoComplete="name"
        required
      />
      <TextField
        label={texts.account.email}
        name="email"
        type="email"
        defaultValue={user.email}
        maxLength={255}
        autoComplete="username"
        required
      />
      <Role />
      <FormError error={change.error} />
      <Button look="primary" type="submit" isBusy={change.isPending}>
        {texts.ownAccount.save}
      </Button>
    </form>
  )
}

/** What the account may do; only an admin changes that. */
function Role() {
  const { user, scopes } = useMe()
  const may = Object.entries(texts.scopes)
    .filter(([scope]) => scopes.some((own) => own === scope))
    .map(([, { label }]) => label)
  const role = Object.entries(texts.roles).find(([name]) => name === user.role)?.[1]
  return (
    <div className="field">
      <span className="field-name">{texts.ownAccount.role}</span>
      <p>{role?.label ?? user.role}</p>
      <p className="field-hint">
        {may.length > 0 ? texts.ownAccount.may(may.join(', ')) : texts.ownAccount.mayNothing}
      </p>
    </div>
  )
}
