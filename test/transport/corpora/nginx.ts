/** Request for the file of 1,000 bytes or for the empty one, with its expected response. */
export interface NginxCase {
  name: string
  headers: readonly string[]
  status: number
  /** `Content-Range` of the response. */
  contentRange?: string
  body?: string
  /** Reason for another status than nginx's, which is the second one. */
  differs?: { reason: string; nginx: number }
}

/** Bytes of the file that ranges are requested of: a hundred times ten. */
export const CONTENT = Array.from({ length: 100 }, (_, n) => `X${`${n}`.padStart(3, '0')}XXXXXX`).join('')

const LAST_TEN = { contentRange: 'bytes 990-999/1000', body: 'X099XXXXXX' }
const MULTIPART = {
  nginx: 206,
  reason: 'a server may ignore a Range with several ranges (RFC 9110 §14.2); all readers take the whole file',
}
const INVALID = {
  nginx: 416,
  reason: 'a Range that is invalid is ignored (RFC 9110 §14.2); 416 is for valid ones past the end',
}
const WEAK_DATE = {
  nginx: 206,
  reason: 'a date is no strong validator where a file can be replaced within its second (RFC 9110 §8.8.2.2)',
}
const range = (specifier: string) => [`Range: bytes=${specifier}`]

/** Cases of `range.t` and `range_clearing.t`, except charsets and `max_ranges`, which are directives of nginx. */
export const RANGES: readonly NginxCase[] = [
  { name: 'a range', headers: range('0-8'), status: 206, contentRange: 'bytes 0-8/1000', body: 'X000XXXXX' },
  { name: 'final bytes', headers: range('-10'), status: 206, ...LAST_TEN },
  { name: 'final bytes by their first', headers: range('990-'), status: 206, ...LAST_TEN },
  { name: 'a range past the end', headers: range('990-1990'), status: 206, ...LAST_TEN },
  { name: 'a last byte past the end', headers: range('0-10001'), status: 206 },
  { name: 'a range behind the end', headers: range('100000-'), status: 416, contentRange: 'bytes */1000' },
  { name: 'ranges larger than the file', headers: range('0-10001, 0-0'), status: 200, body: CONTENT },
  {
    name: 'several ranges',
    headers: range('0-9, -10, 10-19'),
    status: 200,
    body: CONTENT,
    differs: MULTIPART,
  },
  {
    name: 'several ranges, one behind the end',
    headers: range('0-9, -10, 100000-, 10-19'),
    status: 200,
    body: CONTENT,
    differs: MULTIPART,
  },
  { name: 'letters in the first byte', headers: range('alpha'), status: 200, differs: INVALID },
  { name: 'letters in the last byte', headers: range('10-alpha'), status: 200, differs: INVALID },
  { name: 'no hyphen', headers: range('10'), status: 200, differs: INVALID },
  { name: 'no comma', headers: range('10-11 12-'), status: 200, differs: INVALID },
]

/** Returns the cases of `range_if_range.t`. `lastModified` is the file's own. */
export const ifRanges = (lastModified: string): readonly NginxCase[] => [
  { name: 'a wrong validator', headers: [...range('0-9'), 'If-Range: wrong'], status: 200, body: CONTENT },
  {
    name: 'the date of the file',
    headers: [...range('0-9'), `If-Range: ${lastModified}`],
    status: 200,
    body: CONTENT,
    differs: WEAK_DATE,
  },
  {
    name: 'another date',
    headers: [...range('0-9'), 'If-Range: Mon, 28 Sep 1970 06:00:00 GMT'],
    status: 200,
    body: CONTENT,
  },
]

/** Returns the cases of `not_modified.t` for a file with the entity tag `etag`. */
export const conditions = (etag: string): readonly NginxCase[] => [
  { name: 'a date in 2037', headers: ['If-Modified-Since: Wed, 08 Jul 2037 22:53:52 GMT'], status: 304 },
  {
    name: 'the last second of 32 bits',
    headers: ['If-Modified-Since: Tue, 19 Jan 2038 03:14:07 GMT'],
    status: 304,
  },
  { name: 'If-None-Match', headers: [`If-None-Match: ${etag}`], status: 304 },
  { name: 'If-None-Match of another', headers: ['If-None-Match: "foo"'], status: 200 },
  {
    name: 'If-None-Match with a list',
    headers: [`If-None-Match: "foo", "bar", ${etag} , "baz"`],
    status: 304,
  },
  { name: 'If-None-Match of all', headers: ['If-None-Match: *'], status: 304 },
  { name: 'If-None-Match, weak', headers: [`If-None-Match: W/${etag}`], status: 304 },
  { name: 'If-Match', headers: [`If-Match: ${etag}`], status: 200 },
  { name: 'If-Match of another', headers: ['If-Match: "foo"'], status: 412 },
  { name: 'If-Match with a list', headers: [`If-Match: "foo", "bar", \t${etag} , "baz"`], status: 200 },
  { name: 'If-Match of all', headers: ['If-Match: *'], status: 200 },
  { name: 'If-Match, weak', headers: [`If-Match: W/${etag}`], status: 412 },
]
