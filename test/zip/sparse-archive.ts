import { closeSync, ftruncateSync, openSync, writeSync } from 'node:fs'
import { isZeros } from './samples.ts'

interface Piece {
  position: number
  /** `undefined` where there are only zeros. */
  bytes: Uint8Array | undefined
  length: number
}

/** Archive of any length that stores only bytes other than zero, like a sparse file. */
export class SparseArchive {
  readonly #pieces: Piece[] = []
  #length = 0

  static async from(chunks: AsyncIterable<Uint8Array>): Promise<SparseArchive> {
    const archive = new SparseArchive()
    for await (const chunk of chunks) archive.#append(chunk)
    return archive
  }

  #append(chunk: Uint8Array): void {
    const bytes = isZeros(chunk) ? undefined : chunk.slice()
    this.#pieces.push({ position: this.#length, bytes, length: chunk.length })
    this.#length += chunk.length
  }

  /** Length in bytes, including holes. */
  get length(): number {
    return this.#length
  }

  /** @throws {RangeError} If there are not `length` bytes at `position`. */
  read(position: number, length: number): Uint8Array {
    if (position < 0 || position + length > this.#length) throw new RangeError('No such bytes in the archive')
    const target = new Uint8Array(length)
    for (let index = this.#pieceAt(position); index < this.#pieces.length; index += 1) {
      const piece = this.#pieces[index]
      if (piece === undefined || piece.position >= position + length) break
      const from = Math.max(position, piece.position)
      const overlap = piece.bytes?.subarray(from - piece.position, position + length - piece.position)
      if (overlap !== undefined) target.set(overlap, from - position)
    }
    return target
  }

  /** Returns the index of the piece with the byte at `position`. */
  #pieceAt(position: number): number {
    let low = 0
    let high = this.#pieces.length
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if ((this.#pieces[middle]?.position ?? 0) <= position) low = middle
      else high = middle
    }
    return low
  }

  /** Writes a sparse file: zeros use no space on disk. */
  save(path: string): void {
    const handle = openSync(path, 'wx')
    try {
      for (const { position, bytes } of this.#pieces) {
        if (bytes !== undefined) writeSync(handle, bytes, 0, bytes.length, position)
      }
      ftruncateSync(handle, this.#length)
    } finally {
      closeSync(handle)
    }
  }
}
