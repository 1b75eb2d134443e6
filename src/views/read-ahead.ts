import type { Core } from '../store/store.ts'

/** Bytes of a long response and their source. */
interface Source {
  /** Snapshot that the texts are read from; it ends once all are read. */
  snapshot: Disposable
  texts: AsyncIterable<string>
  /** Signal aborted when the client disconnects. */
  leaving: AbortSignal
}

/**
 * Produces the texts of a response at full speed, in time slices, however slowly its client reads: a snapshot
 * that waited for the client would block checkpoints of the write-ahead log.
 */
export class ReadAhead {
  readonly #source: Source
  readonly #nextTurn: Core['nextTurn']
  readonly #spool: ReturnType<Core['store']['createSpool']>
  readonly #reading: Promise<void>
  /** Resolved whenever the other side makes progress. */
  #step = Promise.withResolvers<void>()
  #outcome: 'reading' | 'whole' | { error: unknown } = 'reading'
  #isClosed = false

  constructor({ nextTurn, store }: Pick<Core, 'nextTurn' | 'store'>, source: Source) {
    this.#source = source
    this.#nextTurn = nextTurn
    this.#spool = store.createSpool()
    source.leaving.addEventListener('abort', this.close)
    this.#reading = this.#readAll()
  }

  /** Resolves with the next bytes; `undefined` after the last. @throws the error that ended the reading. */
  async next(): Promise<Uint8Array | undefined> {
    for (;;) {
      // Taken before the check of the spool, so that a concurrent append is not missed.
      const { promise } = this.#step
      const outcome = this.#outcome
      const bytes = await this.#spool.take()
      if (bytes) {
        this.#wake()
        return bytes
      }
      if (typeof outcome === 'object') throw outcome.error
      if (outcome === 'whole' || this.#isClosed) return undefined
      await promise
    }
  }

  /** Ends the reading and frees its buffer. */
  readonly close = (): void => {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#source.leaving.removeEventListener('abort', this.close)
    this.#wake()
    void this.#reading.then(() => this.#spool.close())
  }

  async #readAll(): Promise<void> {
    const { snapshot, texts } = this.#source
    try {
      const encoder = new TextEncoder()
      await this.#nextTurn()
      for await (const text of texts) {
        // An empty text only yields to other requests.
        if (text !== '') await this.#keep(encoder.encode(text))
        await this.#nextTurn()
        if (this.#isClosed) return
      }
      this.#outcome = 'whole'
    } catch (error) {
      this.#outcome = { error }
    } finally {
      snapshot[Symbol.dispose]()
      this.#wake()
    }
  }

  /** Buffers bytes. Without room on disk it waits for the client. */
  async #keep(bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    for (;;) {
      const { promise } = this.#step
      if (this.#isClosed || (await this.#spool.append(bytes))) break
      await promise
    }
    this.#wake()
  }

  #wake(): void {
    this.#step.resolve()
    this.#step = Promise.withResolvers()
  }
}
