import { type UseMutationOptions, useMutation } from '@tanstack/react-query'
import { type ReactNode, type Ref, useEffect, useRef, useState } from 'react'
import { texts } from '../../texts.ts'
import { FormError } from '../notice.tsx'
import { Button, DialogActions } from './button.tsx'
import { FieldProblems } from './field.tsx'

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

/** Form that marks invalid fields itself, and focuses the first of them. */
export function Form({ mutation, action, isComplete = true, onSubmit, onClose, ref, children }: FormProps) {
  const [problems, setProblems] = useState<ReadonlyMap<string, string>>(new Map())
  const button = (
    <Button look="primary" type="submit" disabled={!isComplete} isBusy={mutation.isPending}>
      {action}
    </Button>
  )
  return (
    <form
      ref={ref}
      className="stack"
      noValidate
      onInput={({ target }) => {
        if (target instanceof HTMLInputElement && problems.has(target.name)) setProblems(without(target.name))
      }}
      onSubmit={(event) => {
        event.preventDefault()
        const form = event.currentTarget
        const found = problemsOf(form)
        setProblems(found)
        if (found.size === 0) onSubmit(new FormData(form))
        else form.querySelector<HTMLElement>(':is(input, select, textarea):invalid')?.focus()
      }}
    >
      <FieldProblems value={problems}>{children}</FieldProblems>
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

const without = (name: string) => (problems: ReadonlyMap<string, string>) =>
  new Map([...problems].filter(([field]) => field !== name))

/** Returns the errors of a form's invalid inputs by their names, in the words of the dashboard. */
export function problemsOf(form: HTMLFormElement): Map<string, string> {
  const inputs = [...form.elements].filter((element) => element instanceof HTMLInputElement)
  return new Map(
    inputs.filter(({ validity }) => !validity.valid).map((input) => [input.name, problemOf(input)]),
  )
}

function problemOf({ validity, type, minLength, title, validationMessage }: HTMLInputElement): string {
  const { missing, email, short } = texts.fieldProblems
  if (validity.valueMissing) return missing
  if (validity.tooShort) return short(minLength)
  // The title of an input with a pattern says what the pattern expects (HTML, the pattern attribute).
  if (validity.patternMismatch) return title
  return validity.typeMismatch && type === 'email' ? email : validationMessage
}
