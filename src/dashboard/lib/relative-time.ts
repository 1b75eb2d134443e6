import { texts } from '../texts.ts'
import { parseTime } from './format.ts'

const STEPS = [
  { seconds: 31_557_600, unit: 'year' },
  { seconds: 2_629_800, unit: 'month' },
  { seconds: 86_400, unit: 'day' },
  { seconds: 3600, unit: 'hour' },
  { seconds: 60, unit: 'minute' },
] as const

const words = new Intl.RelativeTimeFormat(undefined, { numeric: 'always' })

/** Returns the distance to a time in words: `3 hours ago`, `in 2 months`, `just now`. */
export function formatDistance(time: string, now = new Date()): string {
  const seconds = (parseTime(time).getTime() - now.getTime()) / 1000
  const step = STEPS.find((candidate) => Math.abs(seconds) >= candidate.seconds * 0.95)
  return step ? words.format(Math.round(seconds / step.seconds), step.unit) : texts.justNow
}
