import type { Context } from '../../access/context.ts'
import type { Partial } from '../../store/bytes.ts'

/** Services of resumable uploads. */
export interface UploadsContext extends Context {
  resumables: Resumables
}

type Resumables = ReturnType<typeof createResumables>

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
export function createResumables({ store, log }: Pick<Context, 'store' | 'log'>) {
  const turns = new Map<string, Turn>()
  /** Cached uploads, the most recently used last. */
  const kept = new Map<string, Partial>()

  /**
   * Preempts the request that holds the upload's lock, waits until it has let go, then runs `next`. The
   * newest request wins: the old connection may be dead without the server knowing.
   */
  async function whenFree<Answer>(id: string, next: () => Answer | Promise<Answer>): Promise<Answer> {
    for (let turn = turns.get(id); turn; turn = turns.get(id)) {
      await Promise.race([turn.ended, Bun.sleep(LEAST_TURN_MS)])
      turn.giveWay()
      await turn.ended
    }
    return next()
  }

  /** Runs `work` with the upload's lock; `signal` aborts when another request preempts it. */
  const alone = <Answer>(id: string, work: (signal: AbortSignal) => Promise<Answer>): Promise<Answer> =>
    whenFree(id, () => takeTurn(id, work))

  async function takeTurn<Answer>(
    id: string,
    work: (signal: AbortSignal) => Promise<Answer>,
  ): Promise<Answer> {
    const { promise: ended, resolve: end } = Promise.withResolvers<void>()
    const giveWay = new AbortController()
    turns.set(id, { ended, giveWay: () => giveWay.abort() })
    try {
      return await work(giveWay.signal)
    } finally {
      turns.delete(id)
      end()
    }
  }

  /** Opens an upload to continue after its first `size` bytes; `undefined` when they are gone. */
  async function open(id: string, size: number): Promise<Partial | undefined> {
    const known = kept.get(id)
    if (!known || known.size < size) return store.openPartial(id, size)
    known.retreat(size)
    return known
  }

  /** Caches the hash state of an upload for its next piece. */
  function keep(id: string, partial: Partial): void {
    kept.delete(id)
    kept.set(id, partial)
    for (const [oldest, idle] of kept) {
      if (kept.size <= MAX_KEPT) break
      if (turns.has(oldest)) continue
      idle.close()
      kept.delete(oldest)
    }
  }

  return {
    whenFree,
    alone,
    open,
    keep,
    /** Removes the bytes of an upload that the catalog no longer knows. */
    remove: async (id: string): Promise<void> => {
      const partial = kept.get(id) ?? (await store.openPartial(id, 0))
      kept.delete(id)
      // The outcome of the upload is final, so a leftover here must not turn it into a failure.
      await partial
        ?.remove()
        .catch((error) => log.error('A staged file could not be removed; the next start tries again', error))
    },
    isBusy: (id: string): boolean => turns.has(id),
    /** Waits until no lock is held. */
    settle: async (): Promise<void> => {
      await Promise.all([...turns.values()].map(({ ended }) => ended))
    },
  }
}
