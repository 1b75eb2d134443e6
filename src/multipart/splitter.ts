import type { Readable } from 'node:stream'
import { Dicer } from '@fastify/busboy'
import { type Disposition, parseDisposition } from './disposition.ts'
import { malformedBody, TooManyPartsError } from './error.ts'
import { findDisposition } from './header.ts'

/** Bounds on what a body may hold. Both are inclusive. */
export interface MultipartLimits {
  /** Parts in one body, fields and files together. */
  maxParts: number
  /** Bytes of one part's header block, from the end of the boundary to the blank line, both included. */
  maxHeaderBytes: number
}

/** What a body is made of. Each `part` is followed by any number of `data` and one `end`. */
export type PartEvent =
  | { type: 'part'; disposition: Disposition }
  | { type: 'data'; bytes: Uint8Array }
  | { type: 'end' }

/** A part that the parser has begun. */
interface OpenPart {
  stream: Readable
  /** The header block as far as it has been received, one character a byte. */
  header: string
  disposition: Disposition | undefined
  announced: boolean
}

/** The parser's reader of header blocks, which is not part of its public types. */
interface HeaderReader {
  push(bytes: Buffer): number | undefined
}

const HEADER_END = '\r\n\r\n'

/**
 * Cuts a body into events, one chunk at a time, on the streaming parser of `@fastify/busboy`.
 *
 * The parser finds boundaries and the ends of header blocks. It says nothing of malformed header lines, of
 * header blocks it cuts short, or of parts without a header, so the headers themselves are read here.
 */
export class Splitter {
  readonly #limits: MultipartLimits
  readonly #dicer: Dicer
  readonly #parts: OpenPart[] = []
  #partCount = 0
  #closed = false
  #failure: { error: unknown } | undefined

  constructor(boundary: string, limits: MultipartLimits) {
    this.#limits = limits
    this.#dicer = createDicer(boundary)
    this.#dicer.on('part', (stream) => this.#begin(stream))
    // Emitted after the closing boundary, at the latest when every part has been read to its end.
    this.#dicer.on('finish', () => {
      this.#closed = true
    })
    const reader = headerReader(this.#dicer)
    const push = reader.push.bind(reader)
    reader.push = (bytes) => {
      this.#readHeader(bytes)
      return push(bytes)
    }
  }

  /** Whether the closing boundary has been seen. Holds once the events of the chunk with it are taken. */
  get closed(): boolean {
    return this.#closed
  }

  /**
   * Parses a chunk. Its bytes are not copied: all its events must be taken before the next call.
   *
   * An error is kept for `events()`, behind the events that come before it, so that what a reader sees does
   * not depend on where chunks are cut.
   */
  write(chunk: Uint8Array): void {
    try {
      this.#dicer.write(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength))
    } catch (error) {
      // Thrown by the listeners above, to keep the parser from going on with the rest of the chunk.
      this.#failure = { error }
    }
  }

  /** Yields what the chunks written so far contain. */
  async *events(): AsyncGenerator<PartEvent, void> {
    for (let part = this.#parts[0]; part !== undefined; part = this.#parts[0]) {
      const slices = takeSlices(part.stream)
      await nextTick()
      const ended = part.stream.readableEnded
      if (ended) part.disposition ??= parseBodiless(part.header)
      if (part.disposition !== undefined && !part.announced) {
        part.announced = true
        yield { type: 'part', disposition: part.disposition }
      }
      for (const bytes of slices) yield { type: 'data', bytes }
      if (!ended) break
      this.#parts.shift()
      yield { type: 'end' }
    }
    if (this.#failure !== undefined) throw this.#failure.error
  }

  #begin(stream: Readable): void {
    this.#partCount += 1
    if (this.#partCount > this.#limits.maxParts) {
      throw new TooManyPartsError(
        `Cannot read multipart body: it has more than the ${this.#limits.maxParts} parts allowed`,
      )
    }
    this.#parts.push({ stream, header: '', disposition: undefined, announced: false })
  }

  /** Takes bytes of the newest part's header block. What follows the blank line may be among them. */
  #readHeader(bytes: Buffer): void {
    const part = this.#parts.at(-1)
    if (part === undefined) return
    const { maxHeaderBytes } = this.#limits
    part.header += bytes.toString('latin1', 0, maxHeaderBytes - part.header.length)
    const end = part.header.indexOf(HEADER_END)
    if (end !== -1) {
      part.disposition = parseDisposition(findDisposition(part.header.slice(0, end)))
    } else if (part.header.length === maxHeaderBytes) {
      throw malformedBody(`the header of a part is longer than ${maxHeaderBytes} bytes`)
    }
  }
}

/**
 * Reads the header of a part that ended before a blank line was found. RFC 2046 §5.1.1 lets a part have no
 * body at all: then the CRLF that would make the blank line belongs to the boundary that follows.
 */
function parseBodiless(header: string): Disposition {
  if (!header.endsWith('\r\n')) throw malformedBody('the header of a part has no blank line after it')
  return parseDisposition(findDisposition(header.slice(0, -2)))
}

function createDicer(boundary: string): Dicer {
  const config = {
    boundary,
    // The parser must never hold a chunk back: whoever reads the events decides when the next one comes.
    partHwm: Number.MAX_SAFE_INTEGER,
    // Headers are read here, so the parser need not keep them.
    maxHeaderPairs: 0,
    maxHeaderSize: 0,
  }
  return new Dicer(config)
}

function headerReader(dicer: Dicer): HeaderReader {
  const reader: unknown = Reflect.get(dicer, '_hparser')
  if (!isHeaderReader(reader)) throw new TypeError('Cannot read part headers: the parser has changed')
  return reader
}

function isHeaderReader(value: unknown): value is HeaderReader {
  return typeof value === 'object' && value !== null && 'push' in value && typeof value.push === 'function'
}

/** Takes all that is buffered. A read may return any part of it, so only `null` means that nothing is left. */
function takeSlices(stream: Readable): Uint8Array[] {
  const slices: Uint8Array[] = []
  for (let bytes: unknown = stream.read(); bytes instanceof Uint8Array; bytes = stream.read())
    slices.push(bytes)
  return slices
}

/** Waits until streams have emitted what they put off, such as their end. */
function nextTick(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve))
}
