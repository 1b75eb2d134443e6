import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { SHOWN_IN_PLACE } from '../../api/query.ts'
import { changeUser, type User } from '../../api/users.ts'
import { Button } from '../../components/button.tsx'
import { Dialog, DialogActions } from '../../components/dialog.tsx'
import { FormError } from '../../components/notice.tsx'
import { toast } from '../../components/toast.tsx'
import { texts } from '../../texts.ts'
import { type AccessDraft, AccessFields, accessOf, draftOf, isComplete } from './access.tsx'

export function ChangeRole({ user, onClose }: { user: User; onClose: () => void }) {
  // Who becomes custom begins with what they may do now.
  const [access, setAccess] = useState<AccessDraft>(() => draftOf(user.role, user.scopes))
  const change = useMutation({
    mutationFn: () => changeUser(user.id, accessOf(access)),
    onSuccess: ({ name, role }) => {
      toast.done(texts.users.roleChanged(name, texts.roles[role].label.toLowerCase()))
      onClose()
    },
    meta: SHOWN_IN_PLACE,
  })
  return (
    <Dialog
      title={texts.users.changeRoleTitle(user.name)}
      description={texts.users.changeRoleText}
      onClose={onClose}
    >
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          change.mutate()
        }}
      >
        <AccessFields access={access} onChange={setAccess} />
        <FormError error={change.error} />
        <DialogActions>
          <Button onClick={onClose}>{texts.actions.cancel}</Button>
          <Button look="primary" type="submit" disabled={!isComplete(access)} isBusy={change.isPending}>
            {texts.users.save}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
