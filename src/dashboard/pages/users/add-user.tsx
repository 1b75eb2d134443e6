import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { SHOWN_IN_PLACE } from '../../api/query.ts'
import { createUser, type NewUser } from '../../api/users.ts'
import { Button } from '../../components/button.tsx'
import { Dialog, DialogActions } from '../../components/dialog.tsx'
import { TextField } from '../../components/field.tsx'
import { FormError } from '../../components/notice.tsx'
import { texts } from '../../texts.ts'
import { type AccessDraft, AccessFields, accessOf, draftOf, isComplete } from './access.tsx'
import { HandOver } from './hand-over.tsx'
import { NewPasswordField } from './new-password-field.tsx'

/** Adds an account, then shows what its owner needs to sign in. */
export function AddUser({ onClose }: { onClose: () => void }) {
  const create = useMutation({ mutationFn: createUser, meta: SHOWN_IN_PLACE })
  if (create.data && create.variables)
    return <HandOver user={create.data} password={create.variables.password} onClose={onClose} />
  return (
    <Dialog title={texts.users.addTitle} onClose={onClose}>
      <UserForm
        error={create.error}
        isBusy={create.isPending}
        onSubmit={(user) => create.mutate(user)}
        onClose={onClose}
      />
    </Dialog>
  )
}

interface UserFormProps {
  error: unknown
  isBusy: boolean
  onSubmit: (user: NewUser) => void
  onClose: () => void
}

function UserForm({ error, isBusy, onSubmit, onClose }: UserFormProps) {
  const [access, setAccess] = useState<AccessDraft>(() => draftOf('viewer', ['files:read']))
  const [password, setPassword] = useState('')
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault()
        const form = new FormData(event.currentTarget)
        onSubmit({
          name: String(form.get('name')),
          email: String(form.get('email')),
          password,
          ...accessOf(access),
        })
      }}
    >
      <TextField label={texts.account.name} name="name" maxLength={255} autoComplete="off" required />
      <TextField
        label={texts.account.email}
        name="email"
        type="email"
        maxLength={255}
        autoComplete="off"
        required
      />
      <NewPasswordField value={password} onChange={setPassword} />
      <AccessFields access={access} onChange={setAccess} />
      <FormError error={error} />
      <DialogActions>
        <Button onClick={onClose}>{texts.actions.cancel}</Button>
        <Button look="primary" type="submit" disabled={!isComplete(access)} isBusy={isBusy}>
          {texts.users.add}
        </Button>
      </DialogActions>
    </form>
  )
}
