import { bodyOf } from '../../reception/receive.ts'
import { type ChunkSignature, decodeChunks } from './chunks.ts'
import { S3Error } from './errors.ts'
import { type Promised, promisedBy } from './facts.ts'
import type { S3Request } from './request.ts'
import { CHECKSUM_ALGORITHMS, checksumHeader } from './sums.ts'

/** Body of a request, decoded. */
export interface Body {
  bytes: AsyncIterable<Uint8Array>
  /** Length of the content in bytes. */
  length: number
  /** SHA-256 in hex that the signature covers; `undefined` when the bytes are signed another way, or not. */
  sha256: string | undefined
  /** Returns the promised digests, those in trailers only after the last byte. */
  promised: () => Promised
}

const SHA256 = /^[\da-f]{64}$/
const STREAMING = /^STREAMING-(AWS4-HMAC-SHA256-PAYLOAD|UNSIGNED-PAYLOAD)(-TRAILER)?$/

/**
 * Opens the body of a request as its signature says that it is sent. What the signature says of the bytes is known to be
 * true only after the last one.
 *
 * @param promises Headers whose digests are those of the body.
 * @throws {S3Error} `MissingContentLength`, `InvalidRequest`, `InvalidDigest`.
 */
export function openBody(
  { request, signed: { payload, chunks } }: S3Request,
  promises: Pick<Headers, 'get'> = request.headers,
): Body {
  const { headers } = request
  const sent = promisedBy(promises)
  const streaming = STREAMING.exec(payload)
  const length = headers.get(streaming ? 'x-amz-decoded-content-length' : 'content-length')
  if (length === null) throw new S3Error('MissingContentLength')
  if (!/^\d{1,15}$/.test(length)) throw new S3Error('InvalidArgument', 'The length of the body is malformed')
  if (!streaming) {
    const sha256 = SHA256.test(payload) ? payload : undefined
    if (sha256 === undefined && payload !== 'UNSIGNED-PAYLOAD')
      throw new S3Error(
        'InvalidArgument',
        'x-amz-content-sha256 must be UNSIGNED-PAYLOAD, STREAMING-… or a SHA-256 in hex',
      )
    return { bytes: bodyOf(request), length: Number(length), sha256, promised: () => sent }
  }
  const isUnsigned = streaming[1] === 'UNSIGNED-PAYLOAD'
  const trailers = streaming[2] === undefined ? undefined : trailersOf(headers)
  let promised = sent
  const bytes = decodeChunks(bodyOf(request), {
    length: Number(length),
    signature: isUnsigned ? undefined : (chunks satisfies ChunkSignature),
    trailers,
    onTrailers: (found) => {
      const { checksums } = promisedBy({ get: (name) => found.get(name) ?? null })
      promised = { ...sent, checksums: { ...sent.checksums, ...checksums } }
    },
  })
  return { bytes, length: Number(length), sha256: undefined, promised: () => promised }
}

const trailersOf = (headers: Headers): string[] =>
  (headers.get('x-amz-trailer') ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '')

/** Returns the checksums that a body is verified with, also those that come in a trailer or are only named. */
export function announcedChecksums({ headers }: Request) {
  const trailers = trailersOf(headers)
  return CHECKSUM_ALGORITHMS.filter((algorithm) => {
    const name = checksumHeader(algorithm)
    return headers.has(name) || trailers.includes(name)
  })
}
