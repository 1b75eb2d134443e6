import { type ComponentProps, type ReactNode, useId } from 'react'

interface FieldProps {
  label: string
  /** What the field takes, said before anything is wrong. */
  hint?: string | undefined
  error?: string | undefined
}

/** A labelled text input. */
export function TextField({ label, hint, error, ...input }: FieldProps & ComponentProps<'input'>) {
  const id = useId()
  const note = error ?? hint
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        className="input"
        {...input}
        aria-invalid={error !== undefined || undefined}
        aria-describedby={note ? `${id}-note` : undefined}
      />
      {note && (
        <p id={`${id}-note`} className={error ? 'field-error' : 'field-hint'}>
          {note}
        </p>
      )}
    </div>
  )
}

interface SelectFieldProps<Value extends string> extends FieldProps {
  value: Value
  options: readonly { value: Value; label: string }[]
  onChoose: (value: Value) => void
}

/** A labelled choice. The browser's own list is the best one on phones. */
export function SelectField<Value extends string>({
  label,
  hint,
  value,
  options,
  onChoose,
}: SelectFieldProps<Value>) {
  const id = useId()
  const choose = (chosen: string) => {
    const option = options.find((candidate) => candidate.value === chosen)
    if (option) onChoose(option.value)
  }
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select id={id} className="input" value={value} onChange={(event) => choose(event.target.value)}>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
      {hint && <p className="field-hint">{hint}</p>}
    </div>
  )
}

export const CheckField = ({ label, ...input }: { label: ReactNode } & ComponentProps<'input'>) => (
  <label className="check-field">
    <input type="checkbox" className="checkbox" {...input} />
    {label}
  </label>
)
