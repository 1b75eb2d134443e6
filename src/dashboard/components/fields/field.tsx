import { Search } from 'lucide-react'
import { type ComponentProps, createContext, type ReactNode, useContext, useId } from 'react'
import { OptionList, type SelectProps } from './select.tsx'

export interface FieldProps {
  label: string
  /** Expected input, shown before there is an error. */
  hint?: string | undefined
  error?: string | undefined
}

interface LabelledProps extends FieldProps {
  /** Input with the attributes that tie it to its label and note. */
  children: (tied: Pick<ComponentProps<'input'>, 'id' | 'aria-invalid' | 'aria-describedby'>) => ReactNode
}

/** Input with its label above and its note below. */
export function Labelled({ label, hint, error, children }: LabelledProps) {
  const id = useId()
  const note = error ?? hint
  return (
    <div className="stack gap-1 field">
      <label className="small medium" htmlFor={id}>
        {label}
      </label>
      {children({
        id,
        'aria-invalid': error !== undefined || undefined,
        'aria-describedby': note ? `${id}-note` : undefined,
      })}
      {note && (
        <p id={`${id}-note`} className={error ? 'field-error' : 'field-hint'}>
          {note}
        </p>
      )}
    </div>
  )
}

/** Errors of a form's inputs by their names. */
export const FieldProblems = createContext<ReadonlyMap<string, string>>(new Map())

type TextFieldProps = FieldProps & ComponentProps<'input'> & { aside?: ReactNode }

/**
 * A labelled text input.
 *
 * @param aside Button at the end of the input.
 */
export function TextField({ label, hint, error, aside, ...input }: TextFieldProps) {
  const problem = useContext(FieldProblems).get(input.name ?? '')
  return (
    <Labelled label={label} hint={hint} error={problem ?? error}>
      {(tied) => {
        const field = <input className="input" {...input} {...tied} />
        return aside ? (
          <div className="field-with-aside">
            {field}
            {aside}
          </div>
        ) : (
          field
        )
      }}
    </Labelled>
  )
}

/** A labelled text of several lines. */
export const TextArea = ({ label, hint, ...input }: FieldProps & ComponentProps<'textarea'>) => (
  <Labelled label={label} hint={hint}>
    {(tied) => <textarea className="input" rows={2} {...input} {...tied} />}
  </Labelled>
)

/** A labelled choice. */
export const SelectField = <Value extends string>({ label, ...list }: SelectProps<Value>) => (
  <Labelled label={label}>{(tied) => <OptionList {...list} {...tied} />}</Labelled>
)

export const CheckField = ({ label, ...input }: { label: ReactNode } & ComponentProps<'input'>) => (
  <label className="check-field row small">
    <input type="checkbox" className="checkbox" {...input} />
    {label}
  </label>
)

interface SearchFieldProps extends Omit<ComponentProps<'input'>, 'value' | 'onChange'> {
  label: string
  value: string
  onChange: (value: string) => void
}

export const SearchField = ({ label, value, onChange, ...rest }: SearchFieldProps) => (
  <div className="search-field">
    <Search aria-hidden size={16} />
    <input
      type="search"
      {...rest}
      className="input"
      placeholder={label}
      aria-label={label}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  </div>
)
