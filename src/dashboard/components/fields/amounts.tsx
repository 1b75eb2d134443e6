import { type Amount, labelOf, type Unit } from '../../lib/amount.ts'
import { formatMoment } from '../../lib/format.ts'
import { type ChosenLifetime, dayFromNow, expiryOf, lifetimesUpTo } from '../../lib/lifetime.ts'
import { texts } from '../../texts.ts'
import { type FieldProps, Labelled, SelectField, TextField } from './field.tsx'
import { OptionList } from './select.tsx'

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
        <OptionList
          aria-label={texts.unitOf(field.label)}
          value={String(amount.factor)}
          options={units.map((unit) => ({ value: String(unit.factor), label: labelOf(unit, amount.text) }))}
          onChoose={(factor) => onChange({ ...amount, factor: Number(factor) })}
        />
      </div>
    )}
  </Labelled>
)

interface LifetimeFieldProps {
  chosen: ChosenLifetime
  onChoose: (chosen: ChosenLifetime) => void
  /** Hint for something that never expires. */
  forever: string
  /** Days that it may last at most; undefined for no limit. */
  maxDays?: number | undefined
}

/** Choice of the time until something expires, with the moment in words. */
export function LifetimeField({ chosen, onChoose, forever, maxDays }: LifetimeFieldProps) {
  const { lifetime, lastDay } = chosen
  const expiresAt = expiryOf(chosen)
  return (
    <div className="stack gap-2">
      <SelectField
        label={texts.lifetime}
        value={lifetime}
        options={lifetimesUpTo(maxDays).map((value) => ({ value, label: texts.lifetimes[value] }))}
        onChoose={(value) => onChoose({ ...chosen, lifetime: value })}
      />
      {lifetime === 'day' && (
        <TextField
          label={texts.lastDay}
          name="lastDay"
          type="date"
          min={dayFromNow(0)}
          max={maxDays === undefined ? undefined : dayFromNow(maxDays)}
          value={lastDay}
          onChange={(event) => onChoose({ ...chosen, lastDay: event.target.value })}
          required
        />
      )}
      <p className="field-hint" aria-live="polite">
        {expiresAt === null && forever}
        {expiresAt && texts.worksUntil(formatMoment(expiresAt))}
      </p>
    </div>
  )
}
