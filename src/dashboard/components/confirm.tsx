import type { ReactNode } from 'react'
import { texts } from '../texts.ts'
import { Button } from './button.tsx'
import { Dialog, DialogActions } from './dialog.tsx'

interface ConfirmProps {
  title: string
  /** What will happen, and to what. */
  children: ReactNode
  /** The verb on the button, never just "OK". */
  action: string
  /** Whether it can be confirmed yet. */
  isReady?: boolean
  onConfirm: () => void
  onClose: () => void
}

/** Asks before something that is hard to take back. */
export function Confirm({ title, children, action, isReady = true, onConfirm, onClose }: ConfirmProps) {
  const confirm = () => {
    onConfirm()
    onClose()
  }
  return (
    <Dialog title={title} description={children} onClose={onClose}>
      <DialogActions>
        <Button onClick={onClose}>{texts.actions.cancel}</Button>
        <Button look="danger" disabled={!isReady} onClick={confirm}>
          {action}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
