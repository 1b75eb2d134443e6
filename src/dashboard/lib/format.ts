import { formatCount, locale } from '../language.ts'
import { texts } from '../texts.ts'

export { formatCount, formatList, formatNumber } from '../language.ts'

/** Units of bytes, each 1024 times the one before. */
export const BYTE_UNITS = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi'].map((prefix) => prefix + texts.byte)

/** Returns a size in the largest fitting unit, in powers of 1024. */
export function formatBytes(bytes: number): string {
  const power = Math.min(Math.floor(Math.log2(Math.max(bytes, 1)) / 10), BYTE_UNITS.length - 1)
  const amount = bytes / 1024 ** power
  const digits = power === 0 || amount >= 100 ? 0 : 1
  return `${amount.toLocaleString(locale, { maximumFractionDigits: digits })} ${BYTE_UNITS[power]}`
}

/** Parses the time of a record: `YYYY-MM-DD HH:MM:SS` in UTC, or ISO 8601. */
export const parseTime = (time: string): Date =>
  new Date(time.includes('T') ? time : `${time.replace(' ', 'T')}Z`)

const day = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', year: 'numeric' })
const minute = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' })
const clock = new Intl.DateTimeFormat(locale, { timeStyle: 'short' })

/** Returns the day of a time in the reader's zone. */
export const formatDate = (time: string): string => day.format(parseTime(time))

export const formatClock = (time: string): string => clock.format(parseTime(time))

const weekday = new Intl.DateTimeFormat(locale, { weekday: 'long', day: 'numeric', month: 'long' })

/** Returns a day in words: today, yesterday, or a date, with its year if it is another. */
export function formatDay(date: Date, now = new Date()): string {
  const yesterday = new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1)
  if (date.toDateString() === now.toDateString()) return texts.today
  if (date.toDateString() === yesterday.toDateString()) return texts.yesterday
  return (date.getFullYear() === now.getFullYear() ? weekday : day).format(date)
}

const utcDay = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' })

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
  return amount.toLocaleString(locale, { style: 'unit', unit: step.unit, unitDisplay: 'long' })
}

/** Returns a count of files and folders in words. */
export function formatItems(count: { files: number; folders: number }): string {
  const parts = [
    count.folders > 0 ? formatCount(count.folders, texts.nouns.folder) : '',
    count.files > 0 ? formatCount(count.files, texts.nouns.file) : '',
  ].filter((part) => part !== '')
  return parts.join(', ')
}

const DISTANCES = [
  { seconds: 31_557_600, unit: 'year' },
  { seconds: 2_629_800, unit: 'month' },
  { seconds: 86_400, unit: 'day' },
  { seconds: 3600, unit: 'hour' },
  { seconds: 60, unit: 'minute' },
] as const

const inNumbers = new Intl.RelativeTimeFormat(locale, { numeric: 'always' })
/** Also has `yesterday`; its `next month` would be too vague. */
const inWords = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' })

/** Returns the distance to a time in words: `3 hours ago`, `yesterday`, `in 2 months`, `just now`. */
export function formatDistance(time: string, now = new Date()): string {
  const seconds = (parseTime(time).getTime() - now.getTime()) / 1000
  const step = DISTANCES.find((candidate) => Math.abs(seconds) >= candidate.seconds * 0.95)
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

/**
 * Characters that are invisible, break lines or reverse the text behind them. Joiners are not among them, because
 * emoji need them.
 */
const HIDDEN = /[\p{Cc}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff]/gu

/** Replaces hidden characters by marks such as `[U+202E]`, so that no name looks like another. */
export const withMarks = (text: string): string =>
  text.replace(
    HIDDEN,
    (character) => `[U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}]`,
  )

/** Characters before the extension that stay in view: numbers at the end tell files of a series apart. */
const TAIL = 4
/** Maximum length of what counts as an extension. */
const MAX_EXTENSION = 12

/** Returns the extension of a name without its dot; empty if there is none. */
export function extensionOf(name: string): string {
  const dot = name.lastIndexOf('.')
  return dot > 0 && name.length - dot <= MAX_EXTENSION ? name.slice(dot + 1) : ''
}

/** Splits a name into a start that may be cut short, and an end with the extension that stays in view. */
export function splitName(name: string): [start: string, end: string] {
  const extension = extensionOf(name)
  const length = TAIL + (extension === '' ? 0 : extension.length + 1)
  // Written from right to left, the end would stand before the start.
  if (/[\p{Script=Hebrew}\p{Script=Arabic}]/u.test(name)) return [name, '']
  // Whole characters: half of a surrogate pair is none.
  const characters = [...name]
  if (characters.length <= length + TAIL) return [name, '']
  return [characters.slice(0, -length).join(''), characters.slice(-length).join('')]
}
