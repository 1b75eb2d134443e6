/** Validators of one state of a file: both change when its bytes change (RFC 9110 §8.8). */
export interface Validators {
  /** Strong entity tag with its quotes. */
  etag: string
  /** Milliseconds since 1970, in whole seconds: an HTTP-date has no fraction. */
  lastModified: number
}

/** Read access to the headers of a request, as `Headers` gives it. */
export type RequestHeaders = Pick<Headers, 'get'>

/** True or false as the condition holds; `undefined` when the header is absent or must be ignored. */
type Condition = boolean | undefined

interface Subject {
  headers: RequestHeaders
  validators: Validators
  now: number
}

/**
 * Evaluates the preconditions of a GET or HEAD, in the order of RFC 9110 §13.2.2: `'failed'` is a 412,
 * `'not-modified'` a 304. Call it before `Range` is evaluated, and for no other method.
 *
 * @param validators The file's, or `null` when it is served without any: then every condition is ignored.
 * @param now Milliseconds since 1970, which decide the century of a two-digit year.
 */
export function evaluatePreconditions(
  headers: RequestHeaders,
  validators: Validators | null,
  now: number,
): 'proceed' | 'not-modified' | 'failed' {
  if (validators === null) return 'proceed'
  const subject = { headers, validators, now }
  // A tag overrides the date beside it, which is for recipients without support for tags.
  if ((ifMatch(subject) ?? ifUnmodifiedSince(subject)) === false) return 'failed'
  if ((ifNoneMatch(subject) ?? ifModifiedSince(subject)) === false) return 'not-modified'
  return 'proceed'
}

/**
 * Evaluates the preconditions of a method that changes the file (RFC 9110 §13.2.2); false is a 412.
 * `If-Modified-Since` is ignored, as §13.1.3 wants it.
 */
export function allowsChange(headers: RequestHeaders, validators: Validators, now: number): boolean {
  const subject = { headers, validators, now }
  return (ifMatch(subject) ?? ifUnmodifiedSince(subject)) !== false && ifNoneMatch(subject) !== false
}

/**
 * Returns true if `If-Range` allows the use of `Range` (RFC 9110 §13.1.5).
 *
 * A date never does. It is no strong validator (§8.8.2.2), because a file can be replaced within its second: the client
 * may have a part of either.
 *
 * @param validators The file's, or `null` when it is served without any: then no `If-Range` can match.
 */
export function rangeApplies(headers: RequestHeaders, validators: Validators | null): boolean {
  const value = headers.get('if-range')
  if (value === null) return true
  return validators !== null && strongMatch(value, validators.etag)
}

/** Evaluates `If-Match` by strong comparison, so that a weak tag never matches (RFC 9110 §13.1.1). */
function ifMatch({ headers, validators }: Subject): Condition {
  const value = headers.get('if-match')
  return value === null ? undefined : namesEntityTag(value, validators.etag, strongMatch)
}

/** Evaluates `If-Unmodified-Since` (RFC 9110 §13.1.4). */
function ifUnmodifiedSince(subject: Subject): Condition {
  const date = headerDate(subject, 'if-unmodified-since')
  return date === undefined ? undefined : subject.validators.lastModified <= date
}

/** Evaluates `If-None-Match` by weak comparison (RFC 9110 §13.1.2). */
function ifNoneMatch({ headers, validators }: Subject): Condition {
  const value = headers.get('if-none-match')
  return value === null ? undefined : !namesEntityTag(value, validators.etag, weakMatch)
}

/** Evaluates `If-Modified-Since` (RFC 9110 §13.1.3). A date ahead of the clock counts as well. */
function ifModifiedSince(subject: Subject): Condition {
  const date = headerDate(subject, 'if-modified-since')
  return date === undefined ? undefined : subject.validators.lastModified > date
}

/** Parses a date header; `undefined` when it is absent or must be ignored because it is no HTTP-date. */
function headerDate({ headers, now }: Subject, name: string): number | undefined {
  const value = headers.get(name)
  return value === null ? undefined : parseHttpDate(value, now)
}

/** Comparison of two entity tags: `strongMatch` or `weakMatch`. */
type TagComparison = (a: string, b: string) => boolean

/** Element of a list of entity tags, possibly empty (RFC 9110 §5.6.1, §8.8.3). */
const LIST_ELEMENT = /[ \t]*(?:((?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")[ \t]*)?(?:,|$)/gy

/** Returns true if both tags are strong and equal (RFC 9110 §8.8.3.2). */
export const strongMatch: TagComparison = (a, b) => a === b && !isWeak(a)

/** Returns true if the tags are equal, weak or not (RFC 9110 §8.8.3.2). */
export const weakMatch: TagComparison = (a, b) => opaqueTag(a) === opaqueTag(b)

/** Returns true for a weak tag. The prefix is case-sensitive (RFC 9110 §8.8.3). */
const isWeak = (tag: string) => tag.startsWith('W/')
const opaqueTag = (tag: string) => (isWeak(tag) ? tag.slice(2) : tag)

/**
 * Returns the entity tags of an `If-Match` or `If-None-Match` value, with quotes and `W/`.
 *
 * Stops at the first malformed element, because its end is unknown. The elements before it count, the rest match
 * nothing.
 */
export function scanEntityTags(value: string): string[] {
  const tags: string[] = []
  for (const [, tag] of value.matchAll(LIST_ELEMENT)) {
    if (tag !== undefined) tags.push(tag)
  }
  return tags
}

/**
 * Returns true if an `If-Match` or `If-None-Match` value names the entity tag of an existing file: by `*`, or by a tag
 * in its list that `compare` finds equal (RFC 9110 §13.1.1, §13.1.2).
 */
export function namesEntityTag(value: string, etag: string, compare: TagComparison): boolean {
  // Most requests have a single tag, which needs no scan.
  if (value === '*' || compare(value, etag)) return true
  return scanEntityTags(value).some((tag) => compare(tag, etag))
}

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
