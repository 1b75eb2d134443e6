import { useMutation } from '@tanstack/react-query'
import { changeUser, deleteUser, type User } from '../../api/users.ts'
import { Confirm } from '../../components/confirm.tsx'
import { toast } from '../../components/toast.tsx'
import { texts } from '../../texts.ts'

interface ConfirmationProps {
  user: User
  onClose: () => void
}

export function DisableUser({ user, onClose }: ConfirmationProps) {
  const disable = useMutation({
    mutationFn: () => changeUser(user.id, { disabled: true }),
    onSuccess: () => toast.done(texts.users.disabledNow(user.name)),
  })
  return (
    <Confirm
      title={texts.users.disableTitle(user.name)}
      action={texts.users.disable}
      onConfirm={() => disable.mutate()}
      onClose={onClose}
    >
      {texts.users.disableText}
    </Confirm>
  )
}

export function DeleteUser({ user, onClose }: ConfirmationProps) {
  const remove = useMutation({
    mutationFn: () => deleteUser(user.id),
    onSuccess: () => toast.done(texts.users.deleted(user.name)),
  })
  return (
    <Confirm
      title={texts.users.deleteTitle(user.name)}
      action={texts.users.delete}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      {texts.users.deleteText}
    </Confirm>
  )
}
