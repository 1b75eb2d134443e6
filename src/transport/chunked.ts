/** Result of decoding one piece of input. */
export interface Decoded {
  /** Bytes of the body. */
  data: Buffer
  /** Input after the body; `undefined` until its end has arrived. */
  rest: Buffer | undefined
}

/** Decoder of a body's framing. */
export interface BodyDecoder {
  /** @throws {MalformedBody} */
  decode: (input: Buffer) => Decoded
}

/** Error of a body whose end cannot be found: nothing after it may be read. */
export class MalformedBody extends Error {
  override readonly name = 'MalformedBody'
}

const TOKEN = "[!#$%&'*+\\-.^_`|~\\dA-Za-z]+"
const QUOTED = '"(?:[\\t \\x21\\x23-\\x5b\\x5d-\\x7e\\x80-\\xff]|\\\\[\\t \\x21-\\x7e\\x80-\\xff])*"'
const EXTENSION = `[ \\t]*;[ \\t]*${TOKEN}(?:[ \\t]*=[ \\t]*(?:${TOKEN}|${QUOTED}))?`
/**
 * Chunk size with its extensions (RFC 9112 §7.1 and §7.1.1). They mean nothing here, but another parser might
 * trip over them.
 */
const SIZE_LINE = new RegExp(`^([\\da-f]{1,13})(?:${EXTENSION})*$`, 'i')
const TRAILER_LINE = /^[!#$%&'*+\-.^_`|~\dA-Za-z]+:[\t\x20-\x7e\x80-\xff]*$/

const MAX_LINE_BYTES = 4096
const MAX_TRAILER_LINES = 64
/**
 * Maximum bytes of sizes, extensions and trailers beyond the length of the data. They cost far more time than
 * data does, and no other limit applies to them (RFC 9112 §7.1.1).
 */
const MAX_FREE_FRAMING_BYTES = 64 * 1024
const CR = 0x0d
const LF = 0x0a

type State = 'size' | 'data' | 'data-end' | 'trailer' | 'end'

/**
 * Body in chunks (RFC 9112 §7.1). Its syntax is checked strictly, because another parser might read it
 * differently.
 */
export class ChunkedBody implements BodyDecoder {
  #state: State = 'size'
  /** Bytes of the current chunk that are still missing. */
  #left = 0
  /** Current line. */
  #line = ''
  #trailerLines = 0
  #framingBytes = 0
  #dataBytes = 0

  decode(input: Buffer): Decoded {
    let position = 0
    let kept = 0
    while (position < input.length && this.#state !== 'end') {
      if (this.#state === 'data') {
        const length = Math.min(this.#left, input.length - position)
        // Moving the data of all chunks together lets the body be passed on in one piece.
        input.copyWithin(kept, position, position + length)
        kept += length
        position += length
        this.#left -= length
        this.#dataBytes += length
        if (this.#left === 0) this.#state = 'data-end'
      } else position = this.#readLine(input, position)
    }
    const rest = this.#state === 'end' ? input.subarray(position) : undefined
    return { data: input.subarray(0, kept), rest }
  }

  /** Reads a line, or its available part, and returns the position after it. */
  #readLine(input: Buffer, from: number): number {
    const lineFeed = input.indexOf(LF, from)
    const to = lineFeed === -1 ? input.length : lineFeed + 1
    this.#framingBytes += to - from
    if (this.#framingBytes > MAX_FREE_FRAMING_BYTES + this.#dataBytes) throw new MalformedBody()
    this.#line += input.toString('latin1', from, to)
    if (this.#line.length > MAX_LINE_BYTES) throw new MalformedBody()
    if (lineFeed !== -1) {
      if (this.#line.charCodeAt(this.#line.length - 2) !== CR) throw new MalformedBody()
      const line = this.#line.slice(0, -2)
      this.#line = ''
      this.#state = this.#after(line)
    }
    return to
  }

  #after(line: string): State {
    if (this.#state === 'size') {
      const [, size] = SIZE_LINE.exec(line) ?? []
      if (size === undefined) throw new MalformedBody()
      this.#left = Number.parseInt(size, 16)
      return this.#left === 0 ? 'trailer' : 'data'
    }
    if (line === '') return this.#state === 'data-end' ? 'size' : 'end'
    this.#trailerLines += 1
    const isTrailer = this.#state === 'trailer' && TRAILER_LINE.test(line)
    if (!isTrailer || this.#trailerLines > MAX_TRAILER_LINES) throw new MalformedBody()
    return 'trailer'
  }
}
