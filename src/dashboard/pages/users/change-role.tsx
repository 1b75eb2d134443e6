import { useState } from 'react'
import { changeUser, type User } from '../../api/users.ts'
import { Form, useFormMutation } from '../../components/fields/form.tsx'
import { Dialog } from '../../components/overlays/dialog.tsx'
import { toast } from '../../components/overlays/toast.tsx'
import { texts } from '../../texts.ts'
import { type AccessDraft, AccessFields, accessOf, draftOf, isComplete } from './access.tsx'

export function ChangeRole({ user, onClose }: { user: User; onClose: () => void }) {
  // A custom role starts with the current permissions.
  const [access, setAccess] = useState<AccessDraft>(() => draftOf(user.role, user.scopes))
  const change = useFormMutation({
    mutationFn: () => changeUser(user.id, accessOf(access)),
    onSuccess: ({ name, role }) => {
      toast.done(texts.users.roleChanged(name, texts.roles[role].label.toLowerCase()))
      onClose()
    },
  })
  return (
    <Dialog
      title={texts.users.changeRoleTitle(user.name)}
      description={texts.users.changeRoleText}
      onClose={onClose}
    >
      <Form
        mutation={change}
        action={texts.users.save}
        isComplete={isComplete(access)}
        onSubmit={() => change.mutate()}
        onClose={onClose}
      >
        <AccessFields access={access} onChange={setAccess} />
      </Form>
    </Dialog>
  )
}
