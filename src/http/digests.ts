import type { RequestHeaders } from './conditional.ts'

/** Digests that a request promises for its body, as bytes. */
export interface ExpectedDigests {
  sha256: Buffer[]
  md5: Buffer[]
}

/** Member `sha-256` of a structured dictionary whose values are byte sequences (RFC 9530 §2, RFC 9651 §3.2). */
const SHA256_MEMBER = /(?:^|,)[ \t]*sha-256[ \t]*(?:=:([^:]*):)?/g
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/**
 * Returns the digests that `Content-Digest`, `Repr-Digest` (RFC 9530) and `Content-MD5` (RFC 1864) promise, as far
 * as their algorithms are known; `undefined` when one is malformed.
 */
export function expectedDigests(headers: RequestHeaders): ExpectedDigests | undefined {
  const members = ['content-digest', 'repr-digest'].flatMap((name) =>
    [...(headers.get(name) ?? '').matchAll(SHA256_MEMBER)].map(([, encoded = '']) => decode(encoded, 32)),
  )
  const md5 = [headers.get('content-md5') ?? []].flat().map((encoded) => decode(encoded.trim(), 16))
  const digests = { sha256: members.flatMap((digest) => digest ?? []), md5: md5.flatMap((one) => one ?? []) }
  const isWhole = digests.sha256.length === members.length && digests.md5.length === md5.length
  return isWhole ? digests : undefined
}

function decode(encoded: string, length: number): Buffer | undefined {
  const bytes = BASE64.test(encoded) ? Buffer.from(encoded, 'base64') : undefined
  return bytes?.length === length ? bytes : undefined
}
