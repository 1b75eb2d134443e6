import { formatMoment } from '../../lib/format.ts'
import { type ChosenLifetime, dayFromNow, expiryOf, LIFETIMES } from '../../lib/lifetime.ts'
import { texts } from '../../texts.ts'
import { SelectField, TextField } from './field.tsx'

const OPTIONS = LIFETIMES.map((value) => ({ value, label: texts.lifetimes[value] }))

interface LifetimeFieldProps {
  chosen: ChosenLifetime
  onChoose: (chosen: ChosenLifetime) => void
  /** Hint for something that never expires. */
  forever: string
}

/** Choice of the time until something expires, with the moment in words. */
export function LifetimeField({ chosen, onChoose, forever }: LifetimeFieldProps) {
  const { lifetime, lastDay } = chosen
  const expiresAt = expiryOf(chosen)
  return (
    <div className="lifetime">
      <SelectField
        label={texts.lifetime}
        value={lifetime}
        options={OPTIONS}
        onChoose={(value) => onChoose({ ...chosen, lifetime: value })}
      />
      {lifetime === 'day' && (
        <TextField
          label={texts.lastDay}
          name="lastDay"
          type="date"
          min={dayFromNow(0)}
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
