/** A number and the unit it is counted in, as it stands in a form. */
export interface Amount {
  /** What was typed. */
  text: string
  /** How much one of the unit is. */
  factor: number
}

export interface Unit {
  label: string
  factor: number
}

/** A value in the largest unit that says it in at most two decimals. */
export function toAmount(value: number, units: readonly Unit[]): Amount {
  const isShort = ({ factor }: Unit) => value >= factor && Number.isInteger((value / factor) * 100)
  const unit = units.toReversed().find(isShort) ?? units[0]
  const factor = unit?.factor ?? 1
  return { text: String(value / factor), factor }
}

/** The value as a whole number, or undefined when it is none. */
export function fromAmount({ text, factor }: Amount): number | undefined {
  const typed = text.trim().replace(',', '.')
  const value = Math.round(Number(typed) * factor)
  return typed === '' || !Number.isSafeInteger(value) ? undefined : value
}

/** A value in words that lose nothing, such as `1.5 GB`. */
export function sayAmount(value: number, units: readonly Unit[]): string {
  const { text, factor } = toAmount(value, units)
  return `${Number(text).toLocaleString()} ${units.find((unit) => unit.factor === factor)?.label ?? ''}`
}
