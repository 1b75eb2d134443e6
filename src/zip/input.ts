import { malformedArchive } from './error.ts'

/** The bytes of an archive, taken from first to last as they arrive. No more than a chunk waits here. */
export class ZipInput {
  readonly #source: AsyncIterator<Uint8Array>
  /** What has arrived and was not taken. */
  #waiting: Buffer = Buffer.alloc(0)
  #received = 0

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]()
  }

  /** How many bytes have arrived. */
  get received(): number {
    return this.#received
  }

  /** How many bytes were taken. */
  get position(): number {
    return this.#received - this.#waiting.length
  }

  /** All that waits: at least `count` bytes, or fewer when the archive ends before. */
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

  /** Takes `count` bytes of those that wait. */
  skip(count: number): void {
    this.#waiting = this.#waiting.subarray(count)
  }

  /** @throws {ZipError} when the archive ends before. */
  async take(count: number): Promise<Buffer> {
    const bytes = (await this.peek(count)).subarray(0, count)
    if (bytes.length < count) throw malformedArchive('it ends too early')
    this.skip(count)
    return bytes
  }

  /** Whether a record with this signature comes next. */
  async hasNext(signature: number): Promise<boolean> {
    const bytes = await this.peek(4)
    return bytes.length >= 4 && bytes.readUInt32LE() === signature
  }

  /** Tells the source that nothing more is wanted. */
  async close(): Promise<void> {
    await this.#source.return?.()
  }
}
