/** Bytes that arrive, cut into pieces. A failure of their source ends the last piece, and is kept. */
export class Cut {
  readonly #source: AsyncIterator<Uint8Array>
  #next: Uint8Array | undefined
  #failure: { error: unknown } | undefined

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]()
  }

  /** Returns true when there are more bytes. */
  async hasMore(): Promise<boolean> {
    while (!this.#next && !this.#failure) {
      try {
        const { value, done } = await this.#source.next()
        if (done) break
        if (value.length > 0) this.#next = value
      } catch (error) {
        this.#failure = { error }
      }
    }
    return this.#next !== undefined
  }

  /** Yields at most `bytes` more bytes. */
  async *piece(bytes: number): AsyncGenerator<Uint8Array, void> {
    for (let left = bytes; left > 0 && (await this.hasMore()); ) {
      const chunk = this.#next ?? new Uint8Array()
      const isLonger = chunk.length > left
      // A copy, because the receiver may free the memory of what it gets.
      this.#next = isLonger ? new Uint8Array(chunk.subarray(left)) : undefined
      const part = chunk.subarray(0, left)
      left -= part.length
      yield part
    }
  }

  /** @throws the failure of the source. */
  assertWhole(): void {
    if (this.#failure) throw this.#failure.error
  }

  /** Ends the source. */
  async end(): Promise<void> {
    await this.#source.return?.()
  }
}
