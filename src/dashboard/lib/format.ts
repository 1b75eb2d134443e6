import { texts } from '../texts.ts'

/** Units of bytes, each 1024 times the one before. */
export const BYTE_UNITS = ['B', 'KB', 'MB', 'GB', 'TB', 'PB']

/** Returns a size in the largest fitting unit, in powers of 1024. */
export function formatBytes(bytes: number): string {
  const power = Math.min(Math.floor(Math.log2(Math.max(bytes, 1)) / 10), BYTE_UNITS.length - 1)
  const amount = bytes / 1024 ** power
  const digits = power === 0 || amount >= 100 ? 0 : 1
  return `${amount.toLocaleString(undefined, { maximumFractionDigits: digits })} ${BYTE_UNITS[power]}`
}

/** Parses the time of a record: `YYYY-MM-DD HH:MM:SS` in UTC, or ISO 8601. */
export const parseTime = (time: string): Date =>
  new Date(time.includes('T') ? time : `${time.replace(' ', 'T')}Z`)

const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', year: 'numeric' })
const minute = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' })

/** Returns the day of a time in the reader's zone. */
export const formatDate = (time: string): string => day.format(parseTime(time))

export const formatClock = (time: string): string => clock.format(parseTime(time))

const weekday = new Intl.DateTimeFormat(undefined, { weekday: 'long', day: 'numeric', month: 'long' })

/** Returns a day in words: today, yesterday, or a date, with its year if it is another. */
export function formatDay(date: Date, now = new Date()): string {
  const yesterday = new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1)
  if (date.toDateString() === now.toDateString()) return texts.today
  if (date.toDateString() === yesterday.toDateString()) return texts.yesterday
  return (date.getFullYear() === now.getFullYear() ? weekday : day).format(date)
}

const utcDay = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' })

/** Returns a UTC day `YYYY-MM-DD` in words. It is the same day in every zone. */
export const formatUtcDay = (date: string): string => utcDay.format(new Date(date))

export const formatMoment = (time: string): string => minute.format(parseTime(time))

const STEPS = [
  { seconds: 86_400, unit: 'day' },
  { seconds: 3600, unit: 'hour' },
  { seconds: 60, unit: 'minute' },
  { seconds: 1, unit: 'second' },
] as const

/** Returns a duration in words, rounded to its largest unit, such as `3 hours`. */
export function formatDuration(seconds: number): string {
  const step = STEPS.find((candidate) => seconds >= candidate.seconds * 0.95) ?? STEPS[3]
  const amount = Math.max(1, Math.round(seconds / step.seconds))
  return amount.toLocaleString(undefined, { style: 'unit', unit: step.unit, unitDisplay: 'long' })
}

const plural = new Intl.PluralRules('en')

/** Returns a count with its noun in singular or plural. */
export function formatCount(count: number, noun: { one: string; other: string }): string {
  return `${count.toLocaleString()} ${plural.select(count) === 'one' ? noun.one : noun.other}`
}

const list = new Intl.ListFormat('en', { type: 'conjunction' })

/** Returns parts of a sentence as `a, b, and c`. */
export const formatList = (parts: readonly string[]): string => list.format(parts)

/** Returns a count of files and folders in words. */
export function formatItems(count: { files: number; folders: number }): string {
  const parts = [
    count.folders > 0 ? formatCount(count.folders, texts.nouns.folder) : '',
    count.files > 0 ? formatCount(count.files, texts.nouns.file) : '',
  ].filter((part) => part !== '')
  return parts.join(', ')
}
