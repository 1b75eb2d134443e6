import type { LucideIcon } from 'lucide-react'

interface SegmentsProps<Value extends string> {
  label: string
  value: Value
  options: readonly { value: Value; label: string; icon?: LucideIcon }[]
  onChoose: (value: Value) => void
}

/** Choice between few options, all in view. With an icon, the label is the icon's name. */
export function Segments<Value extends string>({ label, value, options, onChoose }: SegmentsProps<Value>) {
  return (
    <fieldset className="segments">
      <legend className="visually-hidden">{label}</legend>
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          className="segment"
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
