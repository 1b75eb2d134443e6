import { useMutation } from '@tanstack/react-query'
import type { ComponentProps } from 'react'
import { Confirm } from './confirm.tsx'
import { toast } from './toast.tsx'

interface ConfirmChangeProps extends Omit<ComponentProps<typeof Confirm>, 'onConfirm'> {
  change: () => Promise<unknown>
  /** What is said when it is done. */
  done: string
}

/** Asks before a change that is hard to take back, makes it, and says so. */
export function ConfirmChange({ change, done, ...confirm }: ConfirmChangeProps) {
  const { mutate } = useMutation({ mutationFn: change, onSuccess: () => toast.done(done) })
  return <Confirm {...confirm} onConfirm={() => mutate()} />
}
