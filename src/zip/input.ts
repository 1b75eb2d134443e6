import { malformedArchive } from './error.ts'

/** Input of an archive, taken from first to last as it arrives. No more than a chunk waits here. */
export class ZipInput {
  readonly #source: AsyncIterator<Uint8Array>
  /** Bytes that have arrived and were not taken. */
  #waiting: Buffer = Buffer.alloc(0)
  #received = 0

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]()
  }

  /** Number of bytes that have arrived. */
  get received(): number {
    return this.#received
  }

  /** Number of bytes that were taken. */
  get position(): number {
    return this.#received - this.#waiting.length
  }

  /** Returns all waiting bytes: at least `count`, or fewer when the archive ends before. */
  async peek(count: number): Promise<Buffer> {
    while (this.#waiting.length < count) {
      const { done, value } = await this.#source.next()
      if (done) break
      this.#received += value.length
      const chunk = Buffer.from(value.buffer, value.byteOffset, value.byteLength)
      this.#waiting = this.#waiting.length === 0 ? chunk : Buffer.concat([this.#waiting, chunk])
    }
    return this.#waiting
  }

  /** Takes `count` waiting bytes. */
  skip(count: number): void {
    this.#waiting = this.#waiting.subarray(count)
  }

  /** @throws {ZipError} When the archive ends before. */
  async take(count: number): Promise<Buffer> {
    const bytes = (await this.peek(count)).subarray(0, count)
    if (bytes.length < count) throw malformedArchive('it ends too early')
    this.skip(count)
    return bytes
  }

  /** Returns true if a record with this signature comes next. */
  async hasNext(signature: number): Promise<boolean> {
    const bytes = await this.peek(4)
    return bytes.length >= 4 && bytes.readUInt32LE() === signature
  }

  /** Ends the source. */
  async close(): Promise<void> {
    await this.#source.return?.()
  }
}
