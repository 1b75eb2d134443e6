import type { Context, TreeContext } from '../../access/context.ts'
import type { Partial } from '../../store/bytes.ts'

/** Services of resumable uploads. */
export interface UploadsContext extends TreeContext {
  resumables: Resumables
}

/**
 * Maximum unfinished uploads whose hash state is cached between two pieces; the bytes of others are read
 * again.
 */
const MAX_KEPT = 64

/**
 * Minimum time a request holds the upload lock before it can be preempted, in ms, so that competing clients
 * all make progress.
 */
const LEAST_TURN_MS = 100

/** Request that holds the lock of an upload. */
interface Turn {
  ended: Promise<void>
  giveWay: () => void
}

/** Manages unfinished uploads in this process: the lock of each, and its cached hash state. */
export class Resumables {
  readonly #deps: Pick<Context, 'store' | 'log'>
  readonly #turns = new Map<string, Turn>()
  /** Cached uploads, the most recently used last. */
  readonly #kept = new Map<string, Partial>()

  constructor(deps: Pick<Context, 'store' | 'log'>) {
    this.#deps = deps
  }

  /**
   * Preempts the request that holds the upload's lock, waits until it has let go, then runs `next`. The
   * newest request wins: the old connection may be dead without the server knowing.
   */
  async whenFree<Answer>(id: string, next: () => Answer | Promise<Answer>): Promise<Answer> {
    for (let turn = this.#turns.get(id); turn; turn = this.#turns.get(id)) {
      await Promise.race([turn.ended, Bun.sleep(LEAST_TURN_MS)])
      turn.giveWay()
      await turn.ended
    }
    return next()
  }

  /** Runs `work` with the upload's lock; `signal` aborts when another request preempts it. */
  alone<Answer>(id: string, work: (signal: AbortSignal) => Promise<Answer>): Promise<Answer> {
    return this.whenFree(id, async () => {
      const { promise: ended, resolve: end } = Promise.withResolvers<void>()
      const giveWay = new AbortController()
      this.#turns.set(id, { ended, giveWay: () => giveWay.abort() })
      try {
        return await work(giveWay.signal)
      } finally {
        this.#turns.delete(id)
        end()
      }
    })
  }

  /** Opens an upload to continue after its first `size` bytes; `undefined` when they are gone. */
  async open(id: string, size: number): Promise<Partial | undefined> {
    const known = this.#kept.get(id)
    if (!known || known.size < size) return this.#deps.store.openPartial(id, size)
    known.retreat(size)
    return known
  }

  /** Caches the hash state of an upload for its next piece. */
  keep(id: string, partial: Partial): void {
    this.#kept.delete(id)
    this.#kept.set(id, partial)
    for (const [oldest, idle] of this.#kept) {
      if (this.#kept.size <= MAX_KEPT) break
      if (this.#turns.has(oldest)) continue
      idle.close()
      this.#kept.delete(oldest)
    }
  }

  /** Removes the bytes of an upload that the catalog no longer knows. */
  async remove(id: string): Promise<void> {
    const { store, log } = this.#deps
    const partial = this.#kept.get(id) ?? (await store.openPartial(id, 0))
    this.#kept.delete(id)
    // The outcome of the upload is final, so a leftover here must not turn it into a failure.
    await partial
      ?.remove()
      .catch((error) => log.error('A staged file could not be removed; the next start tries again', error))
  }

  isBusy(id: string): boolean {
    return this.#turns.has(id)
  }

  /** Waits until no lock is held. */
  async settle(): Promise<void> {
    await Promise.all([...this.#turns.values()].map(({ ended }) => ended))
  }
}
