/** Bytes of the chunks that small pieces are gathered in. */
const CHUNK_BYTES = 128 * 1024
/** Pieces of at least this length are worth more uncopied than gathered. */
const LARGE_BYTES = 64 * 1024

/**
 * Gathers small pieces into chunks of up to 128 KiB, so that a stream of many small ones costs its reader
 * no more than one of few large ones. A large piece is yielded as it is; no chunk is empty.
 *
 * While a chunk waits to be consumed, no more is held than the one piece that did not fit in it. A yielded
 * chunk is not written to again.
 */
export async function* gather(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  let block = new Uint8Array(CHUNK_BYTES)
  let start = 0
  let end = 0
  for await (const piece of pieces) {
    const isLarge = piece.length >= LARGE_BYTES
    if (end > start && (isLarge || piece.length > block.length - end)) {
      yield block.subarray(start, end)
      start = end
    }
    if (isLarge) {
      yield piece
      continue
    }
    if (piece.length > block.length - end) {
      block = new Uint8Array(CHUNK_BYTES)
      start = 0
      end = 0
    }
    block.set(piece, end)
    end += piece.length
  }
  if (end > start) yield block.subarray(start, end)
}

/** Bytes of the blocks of a `ByteList`: large enough for `gather()` to pass them on. */
const BLOCK_BYTES = LARGE_BYTES

/** Bytes that grow at their end, held in blocks so that growing never copies them. */
export class ByteList {
  readonly #full: Uint8Array[] = []
  #block = new Uint8Array(BLOCK_BYTES)
  #filled = 0

  /** How many bytes there are. */
  get length(): number {
    return this.#full.length * BLOCK_BYTES + this.#filled
  }

  append(bytes: Uint8Array): void {
    const room = BLOCK_BYTES - this.#filled
    this.#block.set(bytes.subarray(0, room), this.#filled)
    this.#filled += Math.min(bytes.length, room)
    if (bytes.length < room) return
    this.#full.push(this.#block)
    this.#block = new Uint8Array(BLOCK_BYTES)
    this.#filled = 0
    this.append(bytes.subarray(room))
  }

  /** All the bytes, in order. */
  *blocks(): Generator<Uint8Array, void> {
    yield* this.#full
    yield this.#block.subarray(0, this.#filled)
  }
}
