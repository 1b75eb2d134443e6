import * as T from 'typebox'
import { DAY_MS, utcDay } from '../platform/time.ts'
import type { Core } from '../store/store.ts'

/** Returns the last `count` UTC days, oldest first, and the first of them. */
export function lastDays({ clock }: Pick<Core, 'clock'>, count: number) {
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

/** Schema of the format of `recordTime`. */
export const RecordTime = T.String({
  description: '`YYYY-MM-DD HH:MM:SS` in UTC.',
  examples: ['2026-11-02 09:30:00'],
})

/** Formats a time as `YYYY-MM-DD HH:MM:SS` in UTC, the format of file, folder and activity records. */
export const recordTime = (epochMs: number) => new Date(epochMs).toISOString().slice(0, 19).replace('T', ' ')
