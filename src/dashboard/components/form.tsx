import { type UseMutationOptions, useMutation } from '@tanstack/react-query'
import { type ReactNode, type Ref, useEffect, useRef } from 'react'
import { texts } from '../texts.ts'
import { Button } from './button.tsx'
import { DialogActions } from './dialog.tsx'
import { FormError } from './notice.tsx'

/**
 * A mutation whose form shows what went wrong; once the form is gone, a message does. What was typed is forgotten
 * with the form.
 */
export function useFormMutation<Data, Variables = void>(
  options: Pick<UseMutationOptions<Data, Error, Variables>, 'mutationFn' | 'onSuccess'>,
) {
  const isShown = useRef(false)
  useEffect(() => {
    isShown.current = true
    return () => {
      isShown.current = false
    }
  }, [])
  return useMutation({ ...options, gcTime: 0, meta: { isShownInPlace: () => isShown.current } })
}

interface FormProps {
  /** What is sent by it: whether it is under way, and what went wrong. */
  mutation: { error: unknown; isPending: boolean }
  /** The verb on the button. */
  action: string
  /** Whether what is filled in can be sent, as far as the browser cannot tell by itself. */
  isComplete?: boolean
  onSubmit: (form: FormData) => void
  /** In a dialog: closes it. */
  onClose?: () => void
  ref?: Ref<HTMLFormElement>
  children: ReactNode
}

export function Form({ mutation, action, isComplete = true, onSubmit, onClose, ref, children }: FormProps) {
  const button = (
    <Button look="primary" type="submit" disabled={!isComplete} isBusy={mutation.isPending}>
      {action}
    </Button>
  )
  return (
    <form
      ref={ref}
      className="stack"
      onSubmit={(event) => {
        event.preventDefault()
        onSubmit(new FormData(event.currentTarget))
      }}
    >
      {children}
      <FormError error={mutation.error} />
      {onClose ? (
        <DialogActions>
          <Button onClick={onClose}>{texts.actions.cancel}</Button>
          {button}
        </DialogActions>
      ) : (
        button
      )}
    </form>
  )
}
