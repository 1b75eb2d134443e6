import { Button } from '../../components/fields/button.tsx'
import { CodeBlock } from '../../components/fields/copy-field.tsx'
import { Dialog } from '../../components/overlays/dialog.tsx'
import { DialogActions } from '../../components/overlays/dialog-actions.tsx'
import { userTexts } from '../../texts/users.ts'

interface HandOverProps {
  user: { name: string; email: string }
  password: string
  onClose: () => void
}

/** Sign-in details that an admin hands over. */
export const HandOver = ({ user, password, onClose }: HandOverProps) => (
  <Dialog
    title={userTexts.handOverTitle(user.name)}
    description={userTexts.handOverText}
    isKept
    onClose={onClose}
  >
    <CodeBlock
      label={userTexts.handOverLabel}
      code={userTexts.handOver(location.origin, user.email, password)}
    />
    <DialogActions>
      <Button look="primary" onClick={onClose}>
        {userTexts.done}
      </Button>
    </DialogActions>
  </Dialog>
)
