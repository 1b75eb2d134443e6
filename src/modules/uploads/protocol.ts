import { Refusal, refuseInvalid } from '../../platform/errors.ts'
import { passOn } from '../../store/bytes.ts'

/** Supported version of the protocol (https://tus.io/protocols/resumable-upload). */
export const TUS_VERSION = '1.0.0'
export const TUS_EXTENSIONS = 'creation,creation-with-upload,expiration,checksum,termination'
export const CHECKSUM_ALGORITHMS = ['sha1', 'sha256'] as const

const PIECE_TYPE = 'application/offset+octet-stream'
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** Expected hash of a piece. */
export interface Checksum {
  algorithm: (typeof CHECKSUM_ALGORITHMS)[number]
  digest: Buffer
}

/**
 * Asserts the version of the protocol.
 *
 * @throws {Refusal} `precondition-failed` for another version, `invalid` for none.
 */
export function assertVersion(headers: Headers): void {
  const version = headers.get('tus-resumable')
  if (version === TUS_VERSION) return
  if (version === null) throw refuseInvalid(`The header "Tus-Resumable: ${TUS_VERSION}" is required`)
  throw new Refusal('precondition-failed', `"Tus-Resumable" must be ${TUS_VERSION}`, {
    headers: { 'Tus-Version': TUS_VERSION },
  })
}

/**
 * Parses a header with a whole number.
 *
 * @throws {Refusal} `invalid` when it is missing or not one.
 */
export function readCount(headers: Headers, name: 'Upload-Length' | 'Upload-Offset'): number {
  const sent = headers.get(name)
  if (sent === null) throw refuseInvalid(`The header "${name}" is required`)
  const count = /^\d{1,16}$/.test(sent) ? Number(sent) : Number.NaN
  if (!Number.isSafeInteger(count)) throw refuseInvalid(`"${name}" must be a whole number of bytes`)
  return count
}

/** True when the body is a piece of a file. */
export const isPiece = (headers: Headers) => headers.get('content-type')?.trim().toLowerCase() === PIECE_TYPE

/**
 * Asserts that the body is a piece of a file.
 *
 * @throws {Refusal} `unsupported-media-type`.
 */
export function assertPiece(headers: Headers): void {
  if (!isPiece(headers))
    throw new Refusal('unsupported-media-type', `The header "Content-Type: ${PIECE_TYPE}" is required`)
}

/**
 * Asserts that the request does not use the extension Concatenation.
 *
 * @throws {Refusal} `invalid`.
 */
export function assertNoConcatenation(headers: Headers): void {
  if (headers.has('upload-concat')) throw refuseInvalid('"Upload-Concat" is not supported: send one upload')
}

/**
 * Parses the client's metadata by name (extension Creation, Upload-Metadata).
 *
 * @throws {Refusal} `invalid`.
 */
export function readMetadata(header: string): Map<string, string> {
  const metadata = new Map<string, string>()
  for (const pair of header.split(',').map((text) => text.trim())) {
    if (pair === '') continue
    const [name = '', encoded = '', ...more] = pair.split(' ')
    if (more.length > 0 || !BASE64.test(encoded) || metadata.has(name))
      throw refuseInvalid('"Upload-Metadata" must be names, each once, with a value in Base64')
    metadata.set(name, decodeText(encoded))
  }
  return metadata
}

function decodeText(encoded: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(encoded, 'base64'))
  } catch {
    throw refuseInvalid('"Upload-Metadata" must be UTF-8 in Base64')
  }
}

/**
 * Parses the expected hash of the body, if there is one (extension Checksum).
 *
 * @throws {Refusal} `invalid`.
 */
export function readChecksum(headers: Headers): Checksum | undefined {
  const sent = headers.get('upload-checksum')
  if (sent === null) return undefined
  const [name, encoded = '', ...more] = sent.split(' ')
  const algorithm = CHECKSUM_ALGORITHMS.find((known) => known === name)
  if (!algorithm || encoded === '' || more.length > 0 || !BASE64.test(encoded))
    throw refuseInvalid(`"Upload-Checksum" must be one of ${CHECKSUM_ALGORITHMS.join(', ')} and Base64`)
  return { algorithm, digest: Buffer.from(encoded, 'base64') }
}

/**
 * Passes a body on and compares its hash with `checksum`.
 *
 * @throws {Refusal} `checksum-mismatch` at its end.
 */
export async function* checked(
  body: AsyncIterable<Uint8Array>,
  { algorithm, digest }: Checksum,
): AsyncGenerator<Uint8Array> {
  const hasher = new Bun.CryptoHasher(algorithm)
  for await (const chunk of body) {
    hasher.update(chunk)
    yield chunk
  }
  if (!hasher.digest().equals(digest)) throw new Refusal('checksum-mismatch')
}

/**
 * Yields a request's body as it arrives, until another request preempts it.
 *
 * @throws an `AbortError` then, and when the client disconnects.
 */
export async function* readUntil(request: Request, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const reader = request.body?.getReader()
  if (!reader) return
  // Reading the body throws the reason of its end.
  const stop = () => void reader.cancel().catch(() => {})
  signal.addEventListener('abort', stop)
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (signal.aborted) throw new DOMException('Another request continues this upload', 'AbortError')
      if (done) return
      yield passOn(value)
    }
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
