import { useMutation } from '@tanstack/react-query'
import { useRef } from 'react'
import { changePassword } from '../../api/account.ts'
import { ApiError } from '../../api/client.ts'
import { SHOWN_IN_PLACE } from '../../api/query.ts'
import { useMe } from '../../api/session.ts'
import { Button } from '../../components/button.tsx'
import { CheckField, TextField } from '../../components/field.tsx'
import { FormError } from '../../components/notice.tsx'
import { toast } from '../../components/toast.tsx'
import { texts } from '../../texts.ts'

export function Password() {
  const { user } = useMe()
  const form = useRef<HTMLFormElement>(null)
  const change = useMutation({
    mutationFn: changePassword,
    onSuccess: () => {
      form.current?.reset()
      toast.done(texts.ownAccount.changed)
    },
    meta: SHOWN_IN_PLACE,
  })
  const isWrong = isWrongPassword(change.error)
  return (
    <form
      ref={form}
      className="stack"
      onSubmit={(event) => {
        event.preventDefault()
        const sent = new FormData(event.currentTarget)
        change.mutate({
          currentPassword: String(sent.get('currentPassword')),
          newPassword: String(sent.get('newPassword')),
          revokeOtherSessions: sent.has('revokeOtherSessions'),
        })
      }}
    >
      {/* Tells password managers whose password it is. */}
      <input hidden readOnly autoComplete="username" value={user.email} />
      <TextField
        label={texts.ownAccount.current}
        name="currentPassword"
        type="password"
        autoComplete="current-password"
        error={isWrong ? texts.ownAccount.wrongPassword : undefined}
        required
      />
      <TextField
        label={texts.ownAccount.new}
        hint={texts.ownAccount.newHint}
        name="newPassword"
        type="password"
        autoComplete="new-password"
        minLength={8}
        maxLength={128}
        required
      />
      <CheckField label={texts.ownAccount.signOutOthers} name="revokeOtherSessions" defaultChecked />
      {!isWrong && <FormError error={change.error} />}
      <Button look="primary" type="submit" isBusy={change.isPending}>
        {texts.ownAccount.change}
      </Button>
    </form>
  )
}

/** The API names its own field, which says nothing to people. */
const isWrongPassword = (error: unknown) =>
  error instanceof ApiError && error.status === 400 && error.message.startsWith('"currentPassword"')
