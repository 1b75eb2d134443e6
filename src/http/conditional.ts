import { parseHttpDate } from './date.ts'
import { namesEntityTag, strongMatch, type Validators, weakMatch } from './validators.ts'

/** Read access to the headers of a request, as `Headers` gives it. */
export type RequestHeaders = Pick<Headers, 'get'>

/** `undefined` when the header is absent or to be ignored, else whether its condition holds. */
type Condition = boolean | undefined

interface Subject {
  headers: RequestHeaders
  validators: Validators
  now: number
}

/**
 * Decides whether a GET or HEAD goes on, in the order of RFC 9110 §13.2.2: `'failed'` is a 412,
 * `'not-modified'` a 304. To be asked before `Range` is looked at, and for no other method.
 *
 * @param validators The file's, or `null` when it is served without any: then every condition is ignored.
 * @param now Milliseconds since 1970, only used to choose the century of a two-digit year.
 */
export function evaluatePreconditions(
  headers: RequestHeaders,
  validators: Validators | null,
  now: number,
): 'proceed' | 'not-modified' | 'failed' {
  if (validators === null) return 'proceed'
  const subject = { headers, validators, now }
  // A tag decides alone: the date beside it is for recipients that know no tags.
  if ((ifMatch(subject) ?? ifUnmodifiedSince(subject)) === false) return 'failed'
  if ((ifNoneMatch(subject) ?? ifModifiedSince(subject)) === false) return 'not-modified'
  return 'proceed'
}

/**
 * Returns whether `If-Range` allows the use of `Range` (RFC 9110 §13.1.5).
 *
 * A date never does: it is no strong validator (§8.8.2.2), because a file can be replaced within its second, and
 * nothing tells which of the two the client has a part of.
 *
 * @param validators The file's, or `null` when it is served without any: then no `If-Range` can match.
 */
export function rangeApplies(headers: RequestHeaders, validators: Validators | null): boolean {
  const value = headers.get('if-range')
  if (value === null) return true
  return validators !== null && strongMatch(value, validators.etag)
}

/** RFC 9110 §13.1.1: strong comparison, so a weak tag never holds. */
function ifMatch({ headers, validators }: Subject): Condition {
  const value = headers.get('if-match')
  return value === null ? undefined : namesEntityTag(value, validators.etag, strongMatch)
}

/** RFC 9110 §13.1.4. */
function ifUnmodifiedSince(subject: Subject): Condition {
  const date = headerDate(subject, 'if-unmodified-since')
  return date === undefined ? undefined : subject.validators.lastModified <= date
}

/** RFC 9110 §13.1.2: weak comparison. */
function ifNoneMatch({ headers, validators }: Subject): Condition {
  const value = headers.get('if-none-match')
  return value === null ? undefined : !namesEntityTag(value, validators.etag, weakMatch)
}

/** RFC 9110 §13.1.3: not modified means "earlier or equal", a date ahead of the clock included. */
function ifModifiedSince(subject: Subject): Condition {
  const date = headerDate(subject, 'if-modified-since')
  return date === undefined ? undefined : subject.validators.lastModified > date
}

/** A header that is not a valid HTTP-date must be ignored, so it reads like an absent one. */
function headerDate({ headers, now }: Subject, name: string): number | undefined {
  const value = headers.get(name)
  return value === null ? undefined : parseHttpDate(value, now)
}
