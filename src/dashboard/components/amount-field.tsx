import { useId } from 'react'
import type { Amount, Unit } from '../lib/amount.ts'
import { texts } from '../texts.ts'

interface AmountFieldProps {
  label: string
  hint?: string | undefined
  error?: string | undefined
  amount: Amount
  units: readonly Unit[]
  onChange: (amount: Amount) => void
}

/** A number and the unit it is counted in. Another unit is another amount: the number stays. */
export function AmountField({ label, hint, error, amount, units, onChange }: AmountFieldProps) {
  const id = useId()
  const note = error ?? hint
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <div className="amount">
        <input
          id={id}
          className="input"
          inputMode="decimal"
          autoComplete="off"
          value={amount.text}
          onChange={(event) => onChange({ ...amount, text: event.target.value })}
          aria-invalid={error !== undefined || undefined}
          aria-describedby={note ? `${id}-note` : undefined}
        />
        <select
          className="input"
          aria-label={texts.unitOf(label)}
          value={amount.factor}
          onChange={(event) => onChange({ ...amount, factor: Number(event.target.value) })}
        >
          {units.map((unit) => (
            <option key={unit.factor} value={unit.factor}>
              {unit.label}
            </option>
          ))}
        </select>
      </div>
      {note && (
        <p id={`${id}-note`} className={error ? 'field-error' : 'field-hint'}>
          {note}
        </p>
      )}
    </div>
  )
}
