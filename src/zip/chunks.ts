/** Size of the chunks that gather small ones: that of a read from a stored file. */
const CHUNK_BYTES = 256 * 1024
/** Length from which passing a chunk on uncopied is cheaper than gathering it. */
const LARGE_BYTES = 64 * 1024

/**
 * Gathers small chunks into chunks of up to 256 KiB, so that a stream of many small ones costs its reader no more than
 * one of few large ones. A large chunk is yielded as it is. No chunk is empty.
 *
 * All small chunks share one buffer: a yielded chunk is valid until the next is requested.
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

/** Size of the blocks of a `ByteList`: large enough for `gather()` to pass them on uncopied. */
const BLOCK_BYTES = LARGE_BYTES

/** Bytes outside of memory, in order. It owns what is appended, and what is taken is the caller's. */
export interface Overflow {
  /** Resolves with `false`, and appends none, when there is no room. */
  append: (bytes: Uint8Array<ArrayBuffer>) => Promise<boolean>
  take: () => Promise<Uint8Array<ArrayBuffer> | undefined>
  close: () => Promise<void>
}

/** Growing list of bytes, in blocks so that growing never copies them. */
export class ByteList {
  readonly #overflow: Overflow | undefined
  /** Blocks that the overflow had no room for. */
  readonly #full: Uint8Array<ArrayBuffer>[] = []
  #block = new Uint8Array(BLOCK_BYTES)
  #filled = 0
  #length = 0

  /** @param overflow Holds full blocks while it has room, and ends with the list. */
  constructor(overflow?: Overflow) {
    this.#overflow = overflow
  }

  /** Number of bytes. */
  get length(): number {
    return this.#length
  }

  /** Appends bytes. Returns a promise when a block is full. */
  append(bytes: Uint8Array): Promise<void> | undefined {
    const room = BLOCK_BYTES - this.#filled
    const fitting = bytes.subarray(0, room)
    this.#block.set(fitting, this.#filled)
    this.#filled += fitting.length
    this.#length += fitting.length
    return bytes.length < room ? undefined : this.#appendToNext(bytes.subarray(room))
  }

  async #appendToNext(bytes: Uint8Array): Promise<void> {
    const block = this.#block
    this.#block = new Uint8Array(BLOCK_BYTES)
    this.#filled = 0
    if (this.#full.length > 0 || !(await this.#overflow?.append(block))) this.#full.push(block)
    await this.append(bytes)
  }

  /** Yields all the bytes, in order and only once: requesting a block frees the one before. */
  async *drain(): AsyncGenerator<Uint8Array, void> {
    const next = async () => (await this.#overflow?.take()) ?? this.#full.shift()
    for (let block = await next(); block; block = await next()) {
      yield block
      block.buffer.transfer(0)
    }
    yield this.#block.subarray(0, this.#filled)
  }

  /** Frees the memory now, because the garbage collector would leave the blocks of several archives behind. */
  free(): void {
    for (const { buffer } of this.#full.splice(0)) buffer.transfer(0)
    void this.#overflow?.close()
  }
}
