import type { LucideIcon } from 'lucide-react'
import type { ComponentProps } from 'react'
import { withMarks } from '../../lib/format.ts'
import type { Selection } from '../../lib/selection.ts'
import { texts } from '../../texts.ts'
import { THEMES } from '../../theme/theme.ts'

interface OptionListProps<Value extends string> extends Omit<ComponentProps<'select'>, 'value' | 'onChange'> {
  value: Value | undefined
  options: readonly { value: Value; label: string }[]
  onChoose: (value: Value) => void
}

/** Choice between options in the browser's own list, which is the best one on phones. */
export function OptionList<Value extends string>({ options, onChoose, ...rest }: OptionListProps<Value>) {
  return (
    <select
      {...rest}
      className={`input ${rest.className ?? ''}`}
      onChange={({ target }) => {
        const chosen = options.find((option) => option.value === target.value)
        if (chosen) onChoose(chosen.value)
      }}
    >
      {options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.label}
        </option>
      ))}
    </select>
  )
}

export interface SelectProps<Value extends string> extends OptionListProps<Value> {
  label: string
}

/** Choice in a toolbar, where the label has no room. It is the name for screen readers, and shown under the pointer. */
export const Select = <Value extends string>({ label, ...list }: SelectProps<Value>) => (
  <OptionList {...list} aria-label={label} title={label} />
)

interface SegmentsProps<Value extends string> {
  label: string
  value: Value
  options: readonly { value: Value; label: string; icon?: LucideIcon }[]
  onChoose: (value: Value) => void
}

/** Choice between few options, all in view. With an icon, the label is the icon's name. */
export function Segments<Value extends string>({ label, value, options, onChoose }: SegmentsProps<Value>) {
  return (
    <fieldset className="segments well">
      <legend className="visually-hidden">{label}</legend>
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          className="segment stack in-middle note medium"
          aria-pressed={option.value === value}
          title={option.icon && option.label}
          aria-label={option.icon && option.label}
          onClick={() => onChoose(option.value)}
        >
          {option.icon ? <option.icon aria-hidden size={16} /> : option.label}
        </button>
      ))}
    </fieldset>
  )
}

/** Returns options with the labels of texts, in their order. */
export const optionsOf = <const Value extends string>(
  values: readonly Value[],
  labels: Readonly<Record<NoInfer<Value>, string>>,
) => values.map((value) => ({ value, label: labels[value] }))

interface SelectBoxProps extends Pick<ComponentProps<'input'>, 'tabIndex' | 'onClick'> {
  id: string
  name: string
  selection: Pick<Selection<never>, 'has' | 'toggle' | 'extendTo'>
}

/** Checkbox in a larger area that a finger hits, with an optional text. */
export const CheckTarget = ({ children, ...input }: ComponentProps<'input'>) => (
  <label className="check-target stack in-middle">
    <input type="checkbox" className="checkbox" {...input} />
    {children}
  </label>
)

/** Checkbox that selects an item; with Shift, everything up to it. */
export const SelectBox = ({ id, name, selection, onClick, ...rest }: SelectBoxProps) => (
  <CheckTarget
    {...rest}
    aria-label={texts.files.select(withMarks(name))}
    checked={selection.has(id)}
    // A change does not tell which keys were held.
    onClick={(event) => {
      onClick?.(event)
      if (event.shiftKey) selection.extendTo(id)
      else selection.toggle(id)
    }}
  />
)

/** Options that several pages offer, with their texts. */

export const VISIBILITY_OPTIONS = optionsOf(['public', 'private'], texts.visibility)

export const THEME_OPTIONS = optionsOf(THEMES, texts.themes)
