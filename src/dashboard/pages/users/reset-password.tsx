import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { SHOWN_IN_PLACE } from '../../api/query.ts'
import { changeUser, type User } from '../../api/users.ts'
import { Button } from '../../components/button.tsx'
import { Dialog, DialogActions } from '../../components/dialog.tsx'
import { FormError } from '../../components/notice.tsx'
import { texts } from '../../texts.ts'
import { HandOver } from './hand-over.tsx'
import { NewPasswordField } from './new-password-field.tsx'

export function ResetPassword({ user, onClose }: { user: User; onClose: () => void }) {
  const [password, setPassword] = useState('')
  const reset = useMutation({
    mutationFn: () => changeUser(user.id, { password }),
    meta: SHOWN_IN_PLACE,
  })
  if (reset.isSuccess) return <HandOver user={user} password={password} onClose={onClose} />
  return (
    <Dialog title={texts.users.resetTitle(user.name)} description={texts.users.resetText} onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          reset.mutate()
        }}
      >
        <NewPasswordField value={password} onChange={setPassword} />
        <FormError error={reset.error} />
        <DialogActions>
          <Button onClick={onClose}>{texts.actions.cancel}</Button>
          <Button look="primary" type="submit" isBusy={reset.isPending}>
            {texts.users.reset}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
