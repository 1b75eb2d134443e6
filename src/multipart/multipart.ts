import { malformedBody, TooManyPartsError } from './error.ts'
import { type Disposition, findDisposition, parseDisposition } from './header.ts'

/**
 * Part of a multipart/form-data body (RFC 7578). It is a file when it has a filename.
 *
 * `body` can be read once. Requesting the next part discards the rest of it. Its bytes are those sent: a
 * Content-Transfer-Encoding, which RFC 7578 §4.7 deprecates, is not decoded.
 */
export interface Part {
  /** Name of the form field. May be empty. */
  name: string
  /** Whole file name, path included if one was sent; `''` when sent empty. */
  filename: string | undefined
  body: AsyncIterable<Uint8Array>
}

/** Limits of a body. Both are inclusive. */
export interface MultipartLimits {
  /** Parts in one body, fields and files together. */
  maxParts: number
  /** Bytes of one part's header block, from the end of the boundary to the blank line, both included. */
  maxHeaderBytes: number
}

/**
 * Reads the parts of a multipart/form-data body as they arrive.
 *
 * A chunk is consumed before the next is read from `body`, so that memory holds a single chunk. Bytes before the first
 * boundary and after the closing one are ignored, but `body` is read to its end: the parts are complete when the
 * generator is.
 *
 * An error of `body` or of the reader ends both the generator and the body of the current part. If the reader or its
 * caller stops early, the `return()` of the iterator of `body` is called.
 *
 * @param boundary Result of `multipartBoundary()`.
 * @throws {MultipartError} If the body is malformed, ends before its closing boundary or exceeds a limit;
 * for too many parts it is a `TooManyPartsError`.
 */
export async function* readMultipart(
  body: AsyncIterable<Uint8Array>,
  boundary: string,
  limits: MultipartLimits,
): AsyncGenerator<Part, void> {
  const reader = new PartReader(splitBody(body, boundary, limits))
  try {
    for (let part = await reader.next(); part !== undefined; part = await reader.next()) yield part
  } finally {
    await reader.close()
  }
}

async function* splitBody(
  body: AsyncIterable<Uint8Array>,
  boundary: string,
  limits: MultipartLimits,
): AsyncGenerator<PartEvent, void> {
  const splitter = new Splitter(boundary, limits)
  for await (const chunk of body) {
    yield* splitter.split(chunk)
  }
  if (!splitter.closed) throw malformedBody('it ends before the closing boundary')
}

/** Groups events into parts. The reader of a part's body pulls events, as does the search for the next part. */
class PartReader {
  readonly #events: AsyncGenerator<PartEvent, void>
  /** Part whose body has not ended. */
  #current: Part | undefined
  #failure: { error: unknown } | undefined

  constructor(events: AsyncGenerator<PartEvent, void>) {
    this.#events = events
  }

  /** Skips the rest of the current part and returns the next, `undefined` after the last. */
  async next(): Promise<Part | undefined> {
    this.#current = undefined
    for (let event = await this.#pull(); event !== undefined; event = await this.#pull()) {
      if (event.type !== 'part') continue
      const part: Part = { ...event.disposition, body: this.#read(() => this.#current === part) }
      this.#current = part
      return part
    }
    return undefined
  }

  async close(): Promise<void> {
    this.#current = undefined
    await this.#events.return()
  }

  async *#read(isCurrent: () => boolean): AsyncGenerator<Uint8Array, void> {
    while (isCurrent()) {
      const event = await this.#pull()
      if (event === undefined) break
      if (event.type === 'data') yield event.bytes
      else if (isCurrent()) return
    }
    // Returning would make a body that is read too late look complete.
    throw this.#failure?.error ?? new Error('Cannot read part: the reader has moved past it')
  }

  /** Returns the next event. After a failure every call throws it again. */
  async #pull(): Promise<PartEvent | undefined> {
    if (this.#failure !== undefined) throw this.#failure.error
    try {
      const { value } = await this.#events.next()
      return value ?? undefined
    } catch (error) {
      this.#failure = { error }
      throw error
    }
  }
}

/** Elements of a body. Each `part` is followed by any number of `data` and one `end`. */
type PartEvent =
  | { type: 'part'; disposition: Disposition }
  | { type: 'data'; bytes: Uint8Array }
  | { type: 'end' }

const HEADER_END = '\r\n\r\n'
const DASH = 0x2d

/**
 * Splits a body into events, one chunk at a time (RFC 2046 §5.1.1).
 *
 * A boundary has no CR, so the only CR of a delimiter is its first byte. Therefore a chunk that ends with the beginning
 * of a delimiter has one candidate only, and its length is all there is to remember.
 */
class Splitter {
  readonly #limits: MultipartLimits
  /** CRLF, two dashes and the boundary. */
  readonly #delimiter: Buffer
  #place: 'preamble' | 'delimiter' | 'header' | 'body' | 'epilogue' = 'preamble'
  /** Bytes of the delimiter at the end of the chunks so far. A delimiter that begins the body needs no CRLF. */
  #matched = '\r\n'.length
  /** True after a delimiter and one dash. Two dashes make it the closing delimiter. */
  #hasDash = false
  /** Header block of the current part as far as it has been received, one character a byte. */
  #header = ''
  #partCount = 0

  /** @param boundary As returned by `multipartBoundary()`. */
  constructor(boundary: string, limits: MultipartLimits) {
    this.#limits = limits
    this.#delimiter = Buffer.from(`\r\n--${boundary}`)
  }

  /** True after the closing delimiter. */
  get closed(): boolean {
    return this.#place === 'epilogue'
  }

  /**
   * Yields the events of the next chunk, as slices of it. All must be taken before the next call.
   *
   * @throws {MultipartError} If the body is malformed or exceeds a limit.
   */
  *split(chunk: Uint8Array): Generator<PartEvent, void> {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    let position = 0
    while (position < bytes.length && !this.closed) {
      if (this.#place === 'delimiter') position += this.#readDash(bytes[position])
      else if (this.#matched > 0) position += yield* this.#continueDelimiter(bytes)
      else position += yield* this.#readContent(bytes.subarray(position))
    }
  }

  /** Compares the beginning of a chunk with the rest of a delimiter, and returns the number of bytes read. */
  *#continueDelimiter(bytes: Buffer): Generator<PartEvent, number> {
    const matched = this.#matched
    const expected = this.#delimiter.subarray(matched, matched + bytes.length)
    if (!expected.equals(bytes.subarray(0, expected.length))) {
      this.#matched = 0
      // A copy, because the receiver of bytes may detach them.
      yield* this.#content(Buffer.from(this.#delimiter.subarray(0, matched)))
      return 0
    }
    this.#matched += expected.length
    if (this.#matched === this.#delimiter.length) yield* this.#endPart()
    return expected.length
  }

  /** Reads up to the end of the next delimiter or of the chunk, and returns the number of bytes read. */
  *#readContent(bytes: Buffer): Generator<PartEvent, number> {
    const end = bytes.indexOf(this.#delimiter)
    if (end === -1) {
      this.#matched = this.#matchEnd(bytes)
      yield* this.#content(bytes.subarray(0, bytes.length - this.#matched))
      return bytes.length
    }
    yield* this.#content(bytes.subarray(0, end))
    yield* this.#endPart()
    return end + this.#delimiter.length
  }

  /** Returns the length of the delimiter's beginning that `bytes` end with. */
  #matchEnd(bytes: Buffer): number {
    const tail = bytes.subarray(Math.max(0, bytes.length - this.#delimiter.length + 1))
    const start = tail.lastIndexOf('\r')
    if (start === -1) return 0
    const candidate = tail.subarray(start)
    return candidate.equals(this.#delimiter.subarray(0, candidate.length)) ? candidate.length : 0
  }

  /** Reads the byte after a delimiter or its first dash, and returns 1 if it is a dash, else 0. */
  #readDash(byte: number | undefined): number {
    if (byte !== DASH) {
      this.#beginPart()
      return 0
    }
    if (this.#hasDash) this.#place = 'epilogue'
    this.#hasDash = true
    return 1
  }

  #beginPart(): void {
    this.#partCount += 1
    if (this.#partCount > this.#limits.maxParts) {
      throw new TooManyPartsError(
        `Cannot read multipart body: it has more than the ${this.#limits.maxParts} parts allowed`,
      )
    }
    this.#place = 'header'
    this.#header = this.#hasDash ? '-' : ''
  }

  *#content(bytes: Buffer): Generator<PartEvent, void> {
    const data = this.#place === 'header' ? yield* this.#readHeader(bytes) : bytes
    if (this.#place === 'body' && data.length > 0) yield { type: 'data', bytes: data }
  }

  /** Reads bytes of a header block, and returns those after its blank line. */
  *#readHeader(bytes: Buffer): Generator<PartEvent, Buffer> {
    const { maxHeaderBytes } = this.#limits
    const { length } = this.#header
    this.#header += bytes.toString('latin1', 0, maxHeaderBytes - length)
    const end = this.#header.indexOf(HEADER_END, length - HEADER_END.length)
    if (end === -1) {
      if (this.#header.length < maxHeaderBytes) return bytes.subarray(bytes.length)
      throw malformedBody(`the header of a part is longer than ${maxHeaderBytes} bytes`)
    }
    yield { type: 'part', disposition: parseDisposition(findDisposition(this.#header.slice(0, end))) }
    this.#place = 'body'
    return bytes.subarray(end + HEADER_END.length - length)
  }

  *#endPart(): Generator<PartEvent, void> {
    if (this.#place === 'header') yield { type: 'part', disposition: parseBodiless(this.#header) }
    if (this.#place !== 'preamble') yield { type: 'end' }
    this.#place = 'delimiter'
    this.#matched = 0
    this.#hasDash = false
  }
}

/**
 * Parses the header block of a part that ends without a blank line. RFC 2046 §5.1.1 lets a part have no body at all:
 * then the CRLF of the blank line belongs to the delimiter that follows.
 */
function parseBodiless(header: string): Disposition {
  if (!header.endsWith('\r\n')) throw malformedBody('the header of a part has no blank line after it')
  return parseDisposition(findDisposition(header.slice(0, -2)))
}
