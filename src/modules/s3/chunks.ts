import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { passOnParts } from '../../store/bytes.ts'

/** Signature of a body in chunks (Amazon S3 API reference, "sigv4-streaming" and "sigv4-streaming-trailers"). */
export interface ChunkSignature {
  /** Signing key of the day, region and service. */
  key: Uint8Array
  /** Time of the request, as in `X-Amz-Date`. */
  time: string
  /** Scope of the credential: `<day>/<region>/s3/aws4_request`. */
  scope: string
  /** Signature of the request in hex, which the first chunk's signature continues. */
  seed: string
}

interface ChunksOptions {
  /** Exact length of the content, from `X-Amz-Decoded-Content-Length`. */
  length: number
  /** Requires each chunk, and the trailers, to be signed; without it, chunks must not be. */
  signature?: ChunkSignature | undefined
  /** Names in lower case that `X-Amz-Trailer` announces; each of them must come. Missing without trailers. */
  trailers?: readonly string[] | undefined
  /** Receives the trailers by name, after the last byte and before the end of the content. */
  onTrailers?: (trailers: ReadonlyMap<string, string>) => void
}

/** Codes of S3 for a body that is not what its headers announced. */
type ChunkFault = 'IncompleteBody' | 'InvalidRequest' | 'MalformedTrailerError' | 'SignatureDoesNotMatch'

/** Error of a body in chunks. Its message is for the client. */
export class ChunkError extends Error {
  override readonly name = 'ChunkError'
  readonly code: ChunkFault

  constructor(code: ChunkFault, message: string) {
    super(message)
    this.code = code
  }
}

const SIZE_LINE = /^([\da-f]{1,13})(?:;chunk-signature=([\da-f]{64}))?$/i
const TRAILER_LINE = /^([!#$%&'*+\-.^_`|~\da-z]+):[\t ]*([\x20-\x7e]*?)[\t ]*$/i
const SIGNATURE_TRAILER = 'x-amz-trailer-signature'
const EMPTY_SHA256 = createHash('sha256').digest('hex')

const MAX_LINE_BYTES = 1024
const MAX_TRAILERS = 16
/** Maximum bytes of sizes, signatures and trailers beyond the length of the content. */
const MAX_FREE_FRAMING_BYTES = 64 * 1024
const LF = 0x0a

type State = 'size' | 'data' | 'data-end' | 'trailer' | 'end'

/**
 * Decodes a body of `Content-Encoding: aws-chunked` in each of its forms: signed chunks, signed chunks with signed
 * trailers, and unsigned chunks with trailers. A chunk is passed on as it arrives and verified at its end, so
 * the content counts only when this ends without an error.
 *
 * @throws {ChunkError}
 */
export async function* decodeChunks(
  body: AsyncIterable<Uint8Array>,
  options: ChunksOptions,
): AsyncGenerator<Uint8Array> {
  const decoder = new ChunkDecoder(options)
  for await (const input of body) yield* passOnParts(input, [...decoder.decode(input)])
  decoder.end()
}

class ChunkDecoder {
  readonly #options: ChunksOptions
  readonly #signatures: Signatures | undefined
  readonly #trailers = new Map<string, string>()
  #state: State = 'size'
  /** Bytes of the current chunk that are still missing, and whether it is the last one, which has none. */
  #left = 0
  #isLast = false
  #signed = ''
  #line = ''
  #contentBytes = 0
  #framingBytes = 0

  constructor(options: ChunksOptions) {
    this.#options = options
    this.#signatures = options.signature && new Signatures(options.signature)
  }

  *decode(input: Uint8Array): Generator<Uint8Array> {
    for (let position = 0; position < input.length; ) {
      if (this.#state === 'end') throw malformed('it continues after its last chunk')
      if (this.#state === 'data') {
        const data = input.subarray(position, position + this.#left)
        position += data.length
        this.#left -= data.length
        this.#contentBytes += data.length
        this.#signatures?.update(data)
        if (this.#left === 0) this.#endChunk()
        yield data
      } else position = this.#readLine(input, position)
    }
  }

  end(): void {
    const { length, trailers = [], onTrailers } = this.#options
    // Some clients end after the last size, without the empty line.
    const isBare = this.#state === 'data-end' && this.#isLast && this.#line === ''
    if (this.#state !== 'end' && !isBare)
      throw new ChunkError('IncompleteBody', 'The body ended before its last chunk')
    if (this.#contentBytes !== length)
      throw new ChunkError(
        'IncompleteBody',
        `The body has ${this.#contentBytes} bytes instead of the ${length} that "X-Amz-Decoded-Content-Length" announced`,
      )
    const missing = trailers.find((name) => !this.#trailers.has(name))
    if (missing !== undefined) throw malformedTrailer(`"${missing}" is announced and missing`)
    onTrailers?.(this.#trailers)
  }

  /** Reads a line, or its available part, and returns the position after it. */
  #readLine(input: Uint8Array, from: number): number {
    const lineFeed = input.indexOf(LF, from)
    const to = lineFeed === -1 ? input.length : lineFeed + 1
    this.#framingBytes += to - from
    if (
      this.#line.length + to - from > MAX_LINE_BYTES ||
      this.#framingBytes > MAX_FREE_FRAMING_BYTES + this.#contentBytes
    )
      throw malformed('its chunks have too much besides their data')
    this.#line += Buffer.from(input.buffer, input.byteOffset + from, to - from).toString('latin1')
    if (lineFeed === -1) return to
    const line = this.#line.slice(0, -1)
    this.#line = ''
    if (line.endsWith('\r')) this.#state = this.#after(line.slice(0, -1))
    // Some clients end their trailers as these are signed, without the carriage return.
    else if (this.#state === 'trailer' && line !== '') this.#state = this.#after(line)
    else throw malformed('a line does not end with CR and LF')
    return to
  }

  #after(line: string): State {
    if (this.#state === 'size') return this.#beginChunk(line)
    if (this.#state === 'trailer' && line !== '') return this.#addTrailer(line)
    if (line !== '') throw malformed('a chunk is longer than its size')
    if (this.#state === 'data-end') return this.#isLast ? 'end' : 'size'
    // The documented form has an empty line before the signature of the trailers.
    if (this.#signatures && !this.#trailers.has(SIGNATURE_TRAILER)) return 'trailer'
    if (this.#signatures) this.#verifyTrailers()
    return 'end'
  }

  #beginChunk(line: string): State {
    const { length, trailers } = this.#options
    const [, size, signature] = SIZE_LINE.exec(line) ?? []
    if (size === undefined) throw malformed('a chunk has no valid size')
    if ((signature !== undefined) !== (this.#signatures !== undefined))
      throw malformed(signature === undefined ? 'a chunk is not signed' : 'a chunk is signed')
    this.#left = Number.parseInt(size, 16)
    this.#signed = signature ?? ''
    this.#isLast = this.#left === 0
    if (this.#left > length - this.#contentBytes)
      throw new ChunkError(
        'IncompleteBody',
        `The body has more than the ${length} bytes that "X-Amz-Decoded-Content-Length" announced`,
      )
    if (!this.#isLast) return 'data'
    this.#endChunk()
    return trailers ? 'trailer' : 'data-end'
  }

  #endChunk(): void {
    this.#signatures?.verifyChunk(this.#signed)
    this.#state = 'data-end'
  }

  #addTrailer(line: string): State {
    const { trailers = [] } = this.#options
    const [, written = '', value] = TRAILER_LINE.exec(line) ?? []
    const name = written.toLowerCase()
    if (value === undefined || this.#trailers.has(name) || this.#trailers.size === MAX_TRAILERS)
      throw malformedTrailer('a line is malformed, or a name occurs twice')
    const isSignature = name === SIGNATURE_TRAILER && this.#signatures !== undefined
    // Unannounced trailers are not covered by the signature of the request.
    if (!isSignature && !trailers.includes(name)) throw malformedTrailer(`"${name}" is not announced`)
    this.#trailers.set(name, value)
    return 'trailer'
  }

  #verifyTrailers(): void {
    const sent = this.#trailers.get(SIGNATURE_TRAILER) ?? ''
    this.#trailers.delete(SIGNATURE_TRAILER)
    const lines = [...this.#trailers].map(([name, value]) => `${name}:${value}\n`)
    this.#signatures?.verifyTrailers(lines.join(''), sent)
  }
}

/** Chain of signatures, each of which covers the one before. */
class Signatures {
  readonly #signature: ChunkSignature
  #previous: string
  #hash = new Bun.CryptoHasher('sha256')

  constructor(signature: ChunkSignature) {
    this.#signature = signature
    this.#previous = signature.seed
  }

  update(data: Uint8Array): void {
    this.#hash.update(data)
  }

  /** @throws {ChunkError} `SignatureDoesNotMatch`. */
  verifyChunk(sent: string): void {
    // The digest of a hasher resets it.
    this.#verify('AWS4-HMAC-SHA256-PAYLOAD', [EMPTY_SHA256, this.#hash.digest('hex')], sent)
  }

  /** @throws {ChunkError} `SignatureDoesNotMatch`. */
  verifyTrailers(lines: string, sent: string): void {
    this.#verify('AWS4-HMAC-SHA256-TRAILER', [createHash('sha256').update(lines).digest('hex')], sent)
  }

  #verify(algorithm: string, hashes: readonly string[], sent: string): void {
    const { key, time, scope } = this.#signature
    const text = [algorithm, time, scope, this.#previous, ...hashes].join('\n')
    const expected = createHmac('sha256', key).update(text).digest()
    const isHex = /^[\da-f]{64}$/i.test(sent)
    if (!isHex || !timingSafeEqual(Buffer.from(sent, 'hex'), expected))
      throw new ChunkError('SignatureDoesNotMatch', 'The signature of a chunk or of the trailers is wrong')
    this.#previous = expected.toString('hex')
  }
}

const malformed = (why: string) => new ChunkError('InvalidRequest', `The body is malformed: ${why}`)
const malformedTrailer = (why: string) =>
  new ChunkError('MalformedTrailerError', `The trailer of the body is malformed: ${why}`)
