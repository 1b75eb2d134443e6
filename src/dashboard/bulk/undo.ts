import { toast } from '../components/overlays/toast.tsx'
import { texts } from '../texts.ts'

/** Latest change that can be undone; each only once. */
let latest: (() => void) | undefined

/** Shows a message with a button that undoes the change. Ctrl+Z does the same. */
export function offerUndo(message: string, undo: () => void): void {
  let isDone = false
  const run = () => {
    if (isDone) return
    isDone = true
    if (latest === run) latest = undefined
    toast.close(id)
    undo()
  }
  const id = toast.done(message, { label: texts.trash.undo, run })
  latest = run
}

/** Drops the latest undo. Each change does, so that Ctrl+Z undoes no older one than the last. */
export const forgetUndo = () => {
  latest = undefined
}

export const undoLatest = () => latest?.()
