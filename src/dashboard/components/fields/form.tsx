import { type UseMutationOptions, useMutation } from '@tanstack/react-query'
import { type ReactNode, type Ref, useEffect, useRef } from 'react'
import { texts } from '../../texts.ts'
import { FormError } from '../notice.tsx'
import { DialogActions } from '../overlays/dialog.tsx'
import { Button } from './button.tsx'

/**
 * Returns a mutation whose form shows the error. After the form has closed, a message shows it. Its input is
 * discarded with the form.
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
  /** State of the form's request. */
  mutation: { error: unknown; isPending: boolean }
  /** Verb on the button. */
  action: string
  /** False if the input is incomplete in a way that the browser cannot check. */
  isComplete?: boolean
  onSubmit: (form: FormData) => void
  /** Closes the dialog around the form. */
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
