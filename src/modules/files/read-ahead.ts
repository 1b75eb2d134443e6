import type { Context } from '../../access/context.ts'

/** The bytes of a long answer and where they come from. */
interface Source {
  /** What the texts are read from; it ends as soon as they have all been read. */
  snapshot: Disposable
  texts: Iterator<string>
  /** Aborted when the client disconnects. */
  leaving: AbortSignal
}

/**
 * Reads the texts of an answer as fast as they can be made, in turns with other requests, however slowly its client
 * takes them: a snapshot that waited for the client would keep the write-ahead log from being checkpointed.
 */
export class ReadAhead {
  readonly #source: Source
  readonly #nextTurn: Context['nextTurn']
  readonly #spool: ReturnType<Context['store']['createSpool']>
  readonly #reading: Promise<void>
  /** Resolved whenever the other side went on. */
  #step = Promise.withResolvers<void>()
  #outcome: 'reading' | 'whole' | { error: unknown } = 'reading'
  #isClosed = false

  constructor({ nextTurn, store }: Pick<Context, 'nextTurn' | 'store'>, source: Source) {
    this.#source = source
    this.#nextTurn = nextTurn
    this.#spool = store.createSpool()
    source.leaving.addEventListener('abort', this.close)
    this.#reading = this.#readAll()
  }

  /** Resolves with the next bytes; `undefined` behind the last ones. @throws what broke the reading off. */
  async next(): Promise<Uint8Array | undefined> {
    for (;;) {
      // Before the look at the spool: what is added behind it counts.
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

  /** Ends the reading, and frees what was read. */
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
      for (;;) {
        await this.#nextTurn()
        if (this.#isClosed) return
        const { value, done } = texts.next()
        if (done) break
        // An empty text only yields to other requests.
        if (value !== '') await this.#keep(encoder.encode(value))
      }
      this.#outcome = 'whole'
    } catch (error) {
      this.#outcome = { error }
    } finally {
      texts.return?.()
      snapshot[Symbol.dispose]()
      this.#wake()
    }
  }

  /** Without room on the disk the client has to take what there is. */
  async #keep(bytes: Uint8Array): Promise<void> {
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
