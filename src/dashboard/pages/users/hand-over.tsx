import { Button } from '../../components/fields/button.tsx'
import { CodeBlock } from '../../components/fields/copy-field.tsx'
import { Dialog, DialogActions } from '../../components/overlays/dialog.tsx'
import { texts } from '../../texts.ts'

interface HandOverProps {
  user: { name: string; email: string }
  password: string
  onClose: () => void
}

/** Sign-in details that an admin hands over. */
export const HandOver = ({ user, password, onClose }: HandOverProps) => (
  <Dialog
    title={texts.users.handOverTitle(user.name)}
    description={texts.users.handOverText}
    isKept
    onClose={onClose}
  >
    <CodeBlock
      label={texts.users.handOverLabel}
      code={texts.users.handOver(location.origin, user.email, password)}
    />
    <DialogActions>
      <Button look="primary" onClick={onClose}>
        {texts.users.done}
      </Button>
    </DialogActions>
  </Dialog>
)
