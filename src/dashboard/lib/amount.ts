import { formatNumber } from '../language.ts'

/** A number and its unit in a form. */
export interface Amount {
  /** Text as it was typed. */
  text: string
  /** Value of one unit. */
  factor: number
}

export interface Unit {
  label: string
  /** Label for an amount of one, if it is another. */
  one?: string
  factor: number
}

/** Returns the label of a unit after a number. */
export const labelOf = ({ label, one = label }: Unit, text: string): string =>
  Number(text) === 1 ? one : label

/** Returns a value in the largest unit that needs at most two decimals. */
export function toAmount(value: number, units: readonly Unit[]): Amount {
  const isShort = ({ factor }: Unit) => value >= factor && Number.isInteger((value / factor) * 100)
  const unit = units.toReversed().find(isShort) ?? units[0]
  const factor = unit?.factor ?? 1
  return { text: String(value / factor), factor }
}

/** Returns the value as a whole number; undefined for other text. */
export function fromAmount({ text, factor }: Amount): number | undefined {
  const typed = text.trim().replace(',', '.')
  const value = Math.round(Number(typed) * factor)
  return typed === '' || !Number.isSafeInteger(value) ? undefined : value
}

/** Returns a value as exact text, such as `1.5 GiB`. */
export function sayAmount(value: number, units: readonly Unit[]): string {
  const { text, factor } = toAmount(value, units)
  const unit = units.find((candidate) => candidate.factor === factor)
  return `${formatNumber(Number(text))} ${unit ? labelOf(unit, text) : ''}`
}
