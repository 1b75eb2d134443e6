import { changeUser, deleteUser, type User } from '../../api/users.ts'
import { ConfirmChange } from '../../components/overlays/confirm-change.tsx'
import { userTexts } from '../../texts/users.ts'

interface ConfirmationProps {
  user: User
  onClose: () => void
}

export const DisableUser = ({ user, onClose }: ConfirmationProps) => (
  <ConfirmChange
    title={userTexts.disableTitle(user.name)}
    action={userTexts.disable}
    change={() => changeUser(user.id, { disabled: true })}
    done={userTexts.disabledNow(user.name)}
    onClose={onClose}
  >
    {userTexts.disableText}
  </ConfirmChange>
)

export const DeleteUser = ({ user, onClose }: ConfirmationProps) => (
  <ConfirmChange
    title={userTexts.deleteTitle(user.name)}
    action={userTexts.delete}
    change={() => deleteUser(user.id)}
    done={userTexts.deleted(user.name)}
    onClose={onClose}
  >
    {userTexts.deleteText}
  </ConfirmChange>
)
