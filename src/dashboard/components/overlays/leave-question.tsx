import { useGuard } from '../../lib/router.tsx'
import { settingsTexts } from '../../texts/settings.ts'
import Confirm from './confirm.tsx'

interface LeaveQuestionProps {
  isChanged: boolean
  /** True if another address of the same page loses the edits, too. */
  isStrict?: boolean
}

/** Dialog before unsaved edits are left. */
export function LeaveQuestion({ isChanged, isStrict = false }: LeaveQuestionProps) {
  const leaving = useGuard(isChanged, isStrict)
  if (!leaving) return null
  return (
    <Confirm
      title={settingsTexts.leaveTitle}
      action={settingsTexts.leave}
      onConfirm={leaving.proceed}
      onClose={leaving.stay}
    >
      {settingsTexts.leaveText}
    </Confirm>
  )
}
