import { useMutation } from '@tanstack/react-query'
import type { ComponentProps, ReactNode } from 'react'
import { texts } from '../../texts.ts'
import { Button, DialogActions } from '../fields/button.tsx'
import { Dialog } from './dialog.tsx'
import { toast } from './toast.tsx'

interface ConfirmProps {
  title: string
  /** Consequence of the action, with the affected items. */
  children: ReactNode
  /** Verb on the button, never just "OK". */
  action: string
  /** False while the consequence is still being counted. */
  isReady?: boolean
  onConfirm: () => void
  onClose: () => void
}

/** Dialog that confirms an action that is hard to undo. */
export default function Confirm({
  title,
  children,
  action,
  isReady = true,
  onConfirm,
  onClose,
}: ConfirmProps) {
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

interface ConfirmChangeProps extends Omit<ComponentProps<typeof Confirm>, 'onConfirm'> {
  change: () => Promise<unknown>
  /** Message after the change. */
  done: string
}

/** Dialog that confirms a change, makes it, and reports it. */
export function ConfirmChange({ change, done, ...confirm }: ConfirmChangeProps) {
  const { mutate } = useMutation({ mutationFn: change, onSuccess: () => toast.done(done) })
  return <Confirm {...confirm} onConfirm={() => mutate()} />
}
