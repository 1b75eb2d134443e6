/** Lifetimes that forms offer: days from now, until the end of a day, or without end. */
export const LIFETIMES = ['1', '7', '30', '90', '365', 'day', 'never'] as const
export type Lifetime = (typeof LIFETIMES)[number]

/** Lifetime as a form has it, with a day `YYYY-MM-DD` in the reader's zone for the lifetime `day`. */
export interface ChosenLifetime {
  lifetime: Lifetime
  lastDay: string
}

/** Lifetimes of a form that are no longer than some days; all of them without a limit. */
export const lifetimesUpTo = (days: number | undefined): readonly Lifetime[] =>
  days === undefined ? LIFETIMES : LIFETIMES.filter((value) => value === 'day' || Number(value) <= days)

/** Returns the choice of a number of days from now; of no end without one. */
export function lifetimeOf(days: number | undefined): ChosenLifetime {
  const lifetime = LIFETIMES.find((value) => value === String(days)) ?? (days === undefined ? 'never' : 'day')
  return { lifetime, lastDay: dayFromNow(days ?? 30) }
}

const DAY_MS = 86_400_000

/**
 * Returns the expiry in ISO 8601; null for never. Something that expires on a day works until its end.
 *
 * @returns `undefined` while the day is invalid.
 */
export function expiryOf({ lifetime, lastDay }: ChosenLifetime, now = Date.now()): string | null | undefined {
  if (lifetime === 'never') return null
  // A time without a zone is in the reader's (ECMA-262, Date Time String Format).
  const end = lifetime === 'day' ? Date.parse(`${lastDay}T23:59:59.999`) : now + Number(lifetime) * DAY_MS
  return Number.isNaN(end) ? undefined : new Date(end).toISOString()
}

/** Returns a day in the format of date inputs, in the reader's zone. */
export function dayFromNow(days: number, now = new Date()): string {
  const date = new Date(now.getFullYear(), now.getMonth(), now.getDate() + days)
  const [month, day] = [date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, '0'))
  return `${date.getFullYear()}-${month}-${day}`
}
