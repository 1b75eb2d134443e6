import { texts } from '../texts.ts'
import { formatDate, parseTime } from './format.ts'

const STEPS = [
  { seconds: 31_557_600, unit: 'year' },
  { seconds: 2_629_800, unit: 'month' },
  { seconds: 86_400, unit: 'day' },
  { seconds: 3600, unit: 'hour' },
  { seconds: 60, unit: 'minute' },
] as const

const inNumbers = new Intl.RelativeTimeFormat(undefined, { numeric: 'always' })
/** Also has `yesterday`; its `next month` would be too vague. */
const inWords = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' })

/** Returns the distance to a time in words: `3 hours ago`, `yesterday`, `in 2 months`, `just now`. */
export function formatDistance(time: string, now = new Date()): string {
  const seconds = (parseTime(time).getTime() - now.getTime()) / 1000
  const step = STEPS.find((candidate) => Math.abs(seconds) >= candidate.seconds * 0.95)
  if (!step) return texts.justNow
  const words = step.unit === 'day' ? inWords : inNumbers
  return words.format(Math.round(seconds / step.seconds), step.unit)
}

/** Days until a date is easier to understand than its distance. */
const NEAR_DAYS = 7

/** Returns the distance to a time within a week, such as `3 hours ago`, else its day. */
export function formatWhen(time: string, now = new Date()): string {
  const isNear = Math.abs(now.getTime() - parseTime(time).getTime()) < NEAR_DAYS * 86_400_000
  return isNear ? formatDistance(time, now) : formatDate(time)
}
