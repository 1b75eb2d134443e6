import { useMutation } from '@tanstack/react-query'
import type { ComponentProps } from 'react'
import Confirm from './confirm.tsx'
import { toast } from './toast.tsx'

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
