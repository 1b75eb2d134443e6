/** What one piece of input held of a body. */
export interface Decoded {
  /** Bytes of the body. */
  data: Buffer
  /** What stands behind the body; `undefined` while its end has not come. */
  rest: Buffer | undefined
}

/** Finds the body in what comes over the wire. */
export interface BodyDecoder {
  /** @throws {MalformedBody} */
  decode: (input: Buffer) => Decoded
}

/** A body whose end cannot be found: nothing behind it may be read. */
export class MalformedBody extends Error {
  override readonly name = 'MalformedBody'
}

/** Returns `data` in memory of its own, unless it fills most of what it is in: a piece must not hold what came beside it. */
function alone(data: Buffer): Buffer {
  if (2 * data.length >= data.buffer.byteLength) return data
  const copy = Buffer.allocUnsafeSlow(data.length)
  data.copy(copy)
  return copy
}

/** A body of so many bytes. */
export class CountedBody implements BodyDecoder {
  #left: number

  constructor(length: number) {
    this.#left = length
  }

  decode(input: Buffer): Decoded {
    const data = alone(input.subarray(0, this.#left))
    this.#left -= data.length
    return { data, rest: this.#left === 0 ? input.subarray(data.length) : undefined }
  }
}

const TOKEN = "[!#$%&'*+\\-.^_`|~\\dA-Za-z]+"
const QUOTED = '"(?:[\\t \\x21\\x23-\\x5b\\x5d-\\x7e\\x80-\\xff]|\\\\[\\t \\x21-\\x7e\\x80-\\xff])*"'
const EXTENSION = `[ \\t]*;[ \\t]*${TOKEN}(?:[ \\t]*=[ \\t]*(?:${TOKEN}|${QUOTED}))?`
/** A chunk's size and its extensions (RFC 9112 §7.1 and §7.1.1). They mean nothing here, but others may stumble over them. */
const SIZE_LINE = new RegExp(`^([\\da-f]{1,13})(?:${EXTENSION})*$`, 'i')
const TRAILER_LINE = /^[!#$%&'*+\-.^_`|~\dA-Za-z]+:[\t\x20-\x7e\x80-\xff]*$/

const MAX_LINE_BYTES = 4096
const MAX_TRAILER_LINES = 64
/**
 * Bytes of sizes, extensions and trailers that a body may have beyond as many as it has data. They cost far more
 * time than data does, and are held against no other limit (RFC 9112 §7.1.1).
 */
const MAX_FREE_FRAMING_BYTES = 64 * 1024
const CR = 0x0d
const LF = 0x0a

type State = 'size' | 'data' | 'data-end' | 'trailer' | 'end'

/** A body in chunks (RFC 9112 §7.1). What it is made of is checked to the letter: others might read it otherwise. */
export class ChunkedBody implements BodyDecoder {
  #state: State = 'size'
  /** Bytes of the chunk that have not come yet. */
  #left = 0
  /** The line that is being read. */
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
        // The bytes of all chunks move together: the body is handed on in one piece.
        input.copyWithin(kept, position, position + length)
        kept += length
        position += length
        this.#left -= length
        this.#dataBytes += length
        if (this.#left === 0) this.#state = 'data-end'
      } else position = this.#readLine(input, position)
    }
    const rest = this.#state === 'end' ? input.subarray(position) : undefined
    return { data: alone(input.subarray(0, kept)), rest }
  }

  /** Reads a line, or the part of it that has come, and says where it went on. */
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
