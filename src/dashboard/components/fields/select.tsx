interface SelectProps<Value extends string> {
  /** Name for screen readers, and shown under the pointer. */
  label: string
  value: Value
  options: readonly { value: Value; label: string }[]
  onChoose: (value: Value) => void
  className?: string
}

/** Choice between options in a toolbar, where a label has no room. */
export function Select<Value extends string>({
  label,
  value,
  options,
  onChoose,
  className = '',
}: SelectProps<Value>) {
  return (
    <select
      className={`input ${className}`}
      aria-label={label}
      title={label}
      value={value}
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
