/** Bytes of the chunks that small pieces are gathered in: as many as a stream of a stored file reads at a time. */
const CHUNK_BYTES = 256 * 1024
/** Pieces of at least this length are worth more uncopied than gathered. */
const LARGE_BYTES = 64 * 1024

/**
 * Gathers small pieces into chunks of up to 256 KiB, so that a stream of many small ones costs its reader
 * no more than one of few large ones. A large piece is yielded as it is; no chunk is empty.
 *
 * All small pieces pass through one buffer: a chunk is good until the next is asked for.
 */
export async function* gather(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const buffer = new Uint8Array(CHUNK_BYTES)
  let filled = 0
  for await (const piece of pieces) {
    const isLarge = piece.length >= LARGE_BYTES
    if (filled > 0 && (isLarge || piece.length > CHUNK_BYTES - filled)) {
      yield buffer.subarray(0, filled)
      filled = 0
    }
    if (isLarge) {
      yield piece
      continue
    }
    buffer.set(piece, filled)
    filled += piece.length
  }
  if (filled > 0) yield buffer.subarray(0, filled)
}

/** Bytes of the blocks of a `ByteList`: large enough for `gather()` to pass them on. */
const BLOCK_BYTES = LARGE_BYTES

/** Bytes that grow at their end, held in blocks so that growing never copies them. */
export class ByteList {
  readonly #full: Uint8Array<ArrayBuffer>[] = []
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

  /** All the bytes, in order and only once: a block is freed when the next is asked for. */
  *drain(): Generator<Uint8Array, void> {
    for (let block = this.#full.shift(); block; block = this.#full.shift()) {
      yield block
      block.buffer.transfer(0)
    }
    yield this.#block.subarray(0, this.#filled)
  }

  /** Frees the memory: the garbage collector would leave the blocks of several archives behind. */
  free(): void {
    for (const { buffer } of this.#full.splice(0)) buffer.transfer(0)
  }
}
