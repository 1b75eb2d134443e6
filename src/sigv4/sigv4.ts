import { createHash, createHmac } from 'node:crypto'

/** AWS Signature Version 4: the parts that signers and verifiers share (AWS IAM user guide, "Create a signed request"). */

export const ALGORITHM = 'AWS4-HMAC-SHA256'

/** SHA-256 of no bytes, in hex. */
export const EMPTY_SHA256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

/** Request as its signature covers it. */
interface Canonical {
  method: string
  /** Path as `encodePath` writes it. */
  path: string
  /** Query as `encodeQuery` writes it. */
  query: string
  /** Signed headers. */
  headers: readonly (readonly [name: string, value: string])[]
  /** SHA-256 of the body in hex, or the name of the way in which the body is signed. */
  payload: string
}

/** Encodes all but the unreserved characters of RFC 3986 §2.3. */
export const encodeComponent = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)

export const encodePath = (path: string): string => path.split('/').map(encodeComponent).join('/')

/** Encodes a query sorted by name and value, which is also its canonical form. */
export const encodeQuery = (query: Iterable<readonly [name: string, value: string]>): string =>
  [...query]
    .map(([name, value]) => [encodeComponent(name), encodeComponent(value)] as const)
    .sort(([a, x], [b, y]) => (a < b || (a === b && x < y) ? -1 : 1))
    .map((pair) => pair.join('='))
    .join('&')

/** Returns the canonical form of a request and the names of its signed headers. Values are bytes in Latin-1. */
export function canonicalOf({ method, path, query, headers, payload }: Canonical) {
  const signed = headers
    .map(([name, value]) => [name.toLowerCase(), value.trim().replace(/\s+/g, ' ')] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  const names = signed.map(([name]) => name).join(';')
  const lines = signed.map(([name, value]) => `${name}:${value}\n`).join('')
  return { names, text: [method, path, query, lines, names, payload].join('\n') }
}

/** Returns the scope of a credential, without its key. */
export const scopeOf = (day: string, region: string): string => `${day}/${region}/s3/aws4_request`

/** Derives the key that signs requests to S3 for a day and a region. */
export const signingKey = (secret: string, day: string, region: string): Buffer =>
  [day, region, 's3', 'aws4_request'].reduce<Buffer>(hmac, Buffer.from(`AWS4${secret}`))

/** Signs a canonical request. */
export const signatureOf = (
  key: Uint8Array,
  { time, scope, canonical }: { time: string; scope: string; canonical: string },
): Buffer =>
  hmac(
    key,
    [ALGORITHM, time, scope, createHash('sha256').update(canonical, 'latin1').digest('hex')].join('\n'),
  )

const hmac = (key: Uint8Array, text: string): Buffer => createHmac('sha256', key).update(text).digest()
