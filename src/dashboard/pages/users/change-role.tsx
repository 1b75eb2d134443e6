import { useState } from 'react'
import { changeUser, type User } from '../../api/users.ts'
import { Form, useFormMutation } from '../../components/fields/form.tsx'
import { Dialog } from '../../components/overlays/dialog.tsx'
import { toast } from '../../components/overlays/toast.tsx'
import { userTexts } from '../../texts/users.ts'
import { texts } from '../../texts.ts'
import { type AccessDraft, AccessFields, accessOf, draftOf, isComplete } from './access.tsx'

export function ChangeRole({ user, onClose }: { user: User; onClose: () => void }) {
  // A custom role starts with the current permissions.
  const [access, setAccess] = useState<AccessDraft>(() => draftOf(user.role, user.scopes))
  const change = useFormMutation({
    mutationFn: () => changeUser(user.id, accessOf(access)),
    onSuccess: ({ name, role }) => {
      toast.done(userTexts.roleChanged(name, texts.roles[role].label.toLowerCase()))
      onClose()
    },
  })
  return (
    <Dialog
      title={userTexts.changeRoleTitle(user.name)}
      description={userTexts.changeRoleText}
      onClose={onClose}
    >
      <Form
        mutation={change}
        action={userTexts.save}
        isComplete={isComplete(access)}
        onSubmit={() => change.mutate()}
        onClose={onClose}
      >
        <AccessFields access={access} onChange={setAccess} />
      </Form>
    </Dialog>
  )
}
