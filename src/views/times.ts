import type { Context } from '../access/context.ts'
import { DAY_MS, utcDay } from '../platform/time.ts'

/** Returns the last `count` UTC days, oldest first, and the first of them. */
export function lastDays({ clock }: Pick<Context, 'clock'>, count: number) {
  const now = clock.now()
  const dates = Array.from({ length: count }, (_, n) => utcDay(now - (count - 1 - n) * DAY_MS))
  return { from: dates[0] ?? '', dates }
}

/** Returns an entry for each date: the counted one, else `none`. */
export function everyDay<Counts extends object>(
  dates: readonly string[],
  counted: readonly (Counts & { date: string })[],
  none: Counts,
): (Counts & { date: string })[] {
  const found = new Map(counted.map((day) => [day.date, day]))
  return dates.map((date) => found.get(date) ?? { date, ...none })
}
