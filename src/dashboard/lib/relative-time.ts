import { texts } from '../texts.ts'
import { formatDate, parseTime } from './format.ts'

const STEPS = [
  { seconds: 31_557_600, unit: 'year' },
  { seconds: 2_629_800, unit: 'month' },
  { seconds: 86_400, unit: 'day' },
  { seconds: 3600, unit: 'hour' },
  { seconds: 60, unit: 'minute' },
] as const

const words = {
  long: new Intl.RelativeTimeFormat(undefined, { numeric: 'always' }),
  short: new Intl.RelativeTimeFormat(undefined, { numeric: 'auto', style: 'short' }),
}

interface DistanceOptions {
  now?: Date
  style?: keyof typeof words
}

/**
 * Returns the distance to a time in words: `3 hours ago`, `in 2 months`, `just now`; in the short style `3 hr ago`,
 * `yesterday`.
 */
export function formatDistance(
  time: string,
  { now = new Date(), style = 'long' }: DistanceOptions = {},
): string {
  const seconds = (parseTime(time).getTime() - now.getTime()) / 1000
  const step = STEPS.find((candidate) => Math.abs(seconds) >= candidate.seconds * 0.95)
  return step ? words[style].format(Math.round(seconds / step.seconds), step.unit) : texts.justNow
}

/** Days until a date is easier to understand than its distance. */
const NEAR_DAYS = 7

/** Returns a short time: the distance within a week, such as `3 hr ago`, else the day. */
export function formatWhen(time: string, now = new Date()): string {
  const isNear = Math.abs(now.getTime() - parseTime(time).getTime()) < NEAR_DAYS * 86_400_000
  return isNear ? formatDistance(time, { now, style: 'short' }) : formatDate(time)
}
