import { createInflateRaw } from 'node:zlib'
import { malformedArchive, malformedEntry } from './error.ts'
import type { ZipInput } from './input.ts'

/** Bytes that are unpacked at a time. */
const CHUNK_BYTES = 64 * 1024

/**
 * Unpacks deflated bytes up to their own end, and takes not one byte more from `input`. Another thread does the work,
 * only as fast as its results are read.
 *
 * @param length Number of bytes that they must have, when it is known.
 * @throws {ZipError} When they are no deflated bytes, or have another length.
 */
export async function* inflate(
  input: ZipInput,
  length: number | undefined,
  path: string,
): AsyncGenerator<Uint8Array, void> {
  const inflater = new Inflater()
  const end = input.position + (length ?? Number.POSITIVE_INFINITY)
  try {
    while (!inflater.ended) {
      const bytes = (await input.peek(1)).subarray(0, end - input.position)
      if (bytes.length === 0 && input.position < end) throw malformedArchive('it ends too early')
      const taken = inflater.taken
      yield* inflater.write(bytes)
      input.skip(inflater.taken - taken)
    }
  } finally {
    inflater.destroy()
  }
  if (inflater.failed || (length !== undefined && input.position < end)) {
    throw malformedEntry(path, 'is damaged: it cannot be unpacked')
  }
}

/** Stream of `node:zlib`, one chunk at a time. */
class Inflater {
  readonly #stream = createInflateRaw({ chunkSize: CHUNK_BYTES })
  #ended = false
  #failed = false
  #wake = () => {}

  constructor() {
    this.#stream.on('readable', () => this.#wake())
    this.#stream.on('end', () => this.#end(false))
    this.#stream.on('error', () => this.#end(true))
  }

  /** True at the end of the output: the last block is unpacked, or the input is not deflated. */
  get ended(): boolean {
    return this.#ended
  }

  get failed(): boolean {
    return this.#failed
  }

  /** Number of bytes used of those that were written. */
  get taken(): number {
    return this.#stream.bytesWritten
  }

  /** Unpacks a chunk, and uses all of it unless the last block ends in it. An empty chunk ends the input. */
  async *write(bytes: Uint8Array): AsyncGenerator<Uint8Array, void> {
    let written = false
    const done = () => {
      written = true
      this.#wake()
    }
    if (bytes.length === 0) this.#stream.end()
    else this.#stream.write(bytes, done)
    for (;;) {
      const unpacked: Uint8Array | null = this.#stream.read()
      if (unpacked) yield unpacked
      else if (written || this.#ended) return
      else await new Promise<void>((resolve) => (this.#wake = resolve))
    }
  }

  destroy(): void {
    this.#stream.destroy()
  }

  #end(failed: boolean): void {
    this.#ended = true
    this.#failed = failed
    this.#wake()
  }
}
