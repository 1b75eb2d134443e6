import { parseHttpDate } from './date.ts'
import { namesEntityTag, strongMatch, type Validators, weakMatch } from './validators.ts'

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
