import type { Context } from '../../access/context.ts'
import { DAY_MS, utcDay } from '../../platform/time.ts'

/** Returns an entry for each of the last `count` UTC days, oldest first: those from `read`, else `none`. */
export function everyDay<Counts extends object>(
  { clock }: Pick<Context, 'clock'>,
  count: number,
  read: (from: string) => (Counts & { date: string })[],
  none: Counts,
): (Counts & { date: string })[] {
  const now = clock.now()
  const dates = Array.from({ length: count }, (_, n) => utcDay(now - (count - 1 - n) * DAY_MS))
  const found = new Map(read(dates[0] ?? '').map((day) => [day.date, day]))
  return dates.map((date) => found.get(date) ?? { date, ...none })
}
