import { type Amount, labelOf, type Unit } from '../../lib/amount.ts'
import { texts } from '../../texts.ts'
import { type FieldProps, Labelled } from './field.tsx'

interface AmountFieldProps extends FieldProps {
  amount: Amount
  units: readonly Unit[]
  onChange: (amount: Amount) => void
}

/** Field for a number and its unit. Another unit keeps the number and changes the amount. */
export const AmountField = ({ amount, units, onChange, ...field }: AmountFieldProps) => (
  <Labelled {...field}>
    {(tied) => (
      <div className="amount">
        <input
          className="input"
          inputMode="decimal"
          autoComplete="off"
          value={amount.text}
          onChange={(event) => onChange({ ...amount, text: event.target.value })}
          {...tied}
        />
        <select
          className="input"
          aria-label={texts.unitOf(field.label)}
          value={amount.factor}
          onChange={(event) => onChange({ ...amount, factor: Number(event.target.value) })}
        >
          {units.map((unit) => (
            <option key={unit.factor} value={unit.factor}>
              {labelOf(unit, amount.text)}
            </option>
          ))}
        </select>
      </div>
    )}
  </Labelled>
)
