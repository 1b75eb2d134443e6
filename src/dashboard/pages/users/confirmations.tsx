import { changeUser, deleteUser, type User } from '../../api/users.ts'
import { ConfirmChange } from '../../components/overlays/confirm-change.tsx'
import { texts } from '../../texts.ts'

interface ConfirmationProps {
  user: User
  onClose: () => void
}

export const DisableUser = ({ user, onClose }: ConfirmationProps) => (
  <ConfirmChange
    title={texts.users.disableTitle(user.name)}
    action={texts.users.disable}
    change={() => changeUser(user.id, { disabled: true })}
    done={texts.users.disabledNow(user.name)}
    onClose={onClose}
  >
    {texts.users.disableText}
  </ConfirmChange>
)

export const DeleteUser = ({ user, onClose }: ConfirmationProps) => (
  <ConfirmChange
    title={texts.users.deleteTitle(user.name)}
    action={texts.users.delete}
    change={() => deleteUser(user.id)}
    done={texts.users.deleted(user.name)}
    onClose={onClose}
  >
    {texts.users.deleteText}
  </ConfirmChange>
)
