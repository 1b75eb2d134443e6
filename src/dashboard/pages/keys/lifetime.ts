/** How long a key is to work: days from now, until the end of a day, or for ever. */
export const LIFETIMES = ['7', '30', '90', '365', 'day', 'never'] as const
export type Lifetime = (typeof LIFETIMES)[number]

const DAY_MS = 86_400_000

/**
 * When a key ends, in ISO 8601; null for never.
 *
 * @param lastDay `YYYY-MM-DD` in the reader's zone, for the lifetime `day`; the key works until it is over.
 * @returns `undefined` while the day is not one.
 */
export function expiryOf(lifetime: Lifetime, lastDay: string, now = Date.now()): string | null | undefined {
  if (lifetime === 'never') return null
  // Without a zone it is the reader's (ECMA-262, Date Time String Format).
  const end = lifetime === 'day' ? Date.parse(`${lastDay}T23:59:59.999`) : now + Number(lifetime) * DAY_MS
  return Number.isNaN(end) ? undefined : new Date(end).toISOString()
}

/** A day as date inputs have it, in the reader's zone. */
export function dayFromNow(days: number, now = new Date()): string {
  const date = new Date(now.getFullYear(), now.getMonth(), now.getDate() + days)
  const [month, day] = [date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, '0'))
  return `${date.getFullYear()}-${month}-${day}`
}
