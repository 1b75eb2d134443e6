const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

const MONTH = `(?<month>${MONTHS.join('|')})`
const SHORT_DAY = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)'
const LONG_DAY = '(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day'
const TIME = String.raw`(?<time>\d\d:\d\d:\d\d)`

/** First of the three forms in RFC 9110 §5.6.7. All are case-sensitive, and their only zone is GMT. */
const IMF_FIXDATE = new RegExp(String.raw`^${SHORT_DAY}, (?<day>\d\d) ${MONTH} (?<year>\d{4}) ${TIME} GMT$`)
const RFC_850 = new RegExp(String.raw`^${LONG_DAY}, (?<day>\d\d)-${MONTH}-(?<year>\d\d) ${TIME} GMT$`)
const ASCTIME = new RegExp(String.raw`^${SHORT_DAY} ${MONTH} (?<day>\d\d| \d) ${TIME} (?<year>\d{4})$`)

/** Most years that a date with a two-digit year may lie ahead. A later one is read as a date in the past. */
const MAX_YEARS_AHEAD = 50

/**
 * Formats a time as an IMF-fixdate, such as `Wed, 01 Jan 2025 00:00:00 GMT` (RFC 9110 §5.6.7).
 *
 * @param epochMs Milliseconds since 1970, in the years 0 to 9999; a fraction of a second is cut off.
 */
export const formatHttpDate = (epochMs: number): string => new Date(epochMs).toUTCString()

/** Returns a function that gives the current HTTP-date, formatted once a second. */
export function createDateStamp(now: () => number): () => string {
  let second = Number.NaN
  let text = ''
  return () => {
    const current = Math.floor(now() / 1000)
    if (current !== second) text = formatHttpDate(current * 1000)
    second = current
    return text
  }
}

/**
 * Parses an HTTP-date in any of its three forms (RFC 9110 §5.6.7).
 *
 * Returns milliseconds since 1970, or `undefined` for any other text and for a date that does not exist. A leap second
 * (`:60`) has no such number and is refused, too. The day of the week is not compared with the date.
 *
 * @param now Milliseconds since 1970, only used to choose the century of a two-digit year.
 */
export function parseHttpDate(text: string, now: number): number | undefined {
  const fields = (IMF_FIXDATE.exec(text) ?? RFC_850.exec(text) ?? ASCTIME.exec(text))?.groups
  if (fields === undefined) return undefined
  const { day = '', month = '', year = '', time = '' } = fields
  const monthAndDay = `${twoDigits(MONTHS.indexOf(month) + 1)}-${day.replace(' ', '0')}`
  const inYear = (fullYear: string) => existingTime(`${fullYear}-${monthAndDay}T${time}.000Z`)
  return year.length === 4 ? inYear(year) : inRecentCentury(Number(year), inYear, now)
}

/** Completes a two-digit year: more than 50 years ahead means the most recent past year (RFC 9110 §5.6.7). */
function inRecentCentury(
  twoDigitYear: number,
  inYear: (fullYear: string) => number | undefined,
  now: number,
): number | undefined {
  const limit = new Date(now)
  const thisYear = limit.getUTCFullYear()
  limit.setUTCFullYear(thisYear + MAX_YEARS_AHEAD)
  const year = thisYear - (thisYear % 100) + twoDigitYear
  const time = inYear(String(year))
  return time !== undefined && time > limit.getTime() ? inYear(String(year - 100)) : time
}

/** Parses an ISO 8601 time that exists. The runtime may roll 31 February over into March. */
function existingTime(iso: string): number | undefined {
  const time = Date.parse(iso)
  return !Number.isNaN(time) && new Date(time).toISOString() === iso ? time : undefined
}

const twoDigits = (value: number) => String(value).padStart(2, '0')
