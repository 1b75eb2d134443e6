import type { Context } from '../../access/context.ts'
import type { PartialFile } from '../../store/bytes.ts'

export type Resumables = ReturnType<typeof createResumables>

/** Unfinished uploads whose hashes are kept between two pieces; of others the bytes are read once more. */
const MAX_KEPT = 64

/** How long one may work undisturbed, in milliseconds: of many who want to at once, each gets somewhere. */
const LEAST_TURN_MS = 100

/** A request that works on an upload. */
interface Turn {
  ended: Promise<void>
  giveWay: () => void
}

/** What this process knows of unfinished uploads: who works on each, and what was hashed of them. */
export function createResumables({ store, log }: Pick<Context, 'store' | 'log'>) {
  const turns = new Map<string, Turn>()
  /** The last used at the end. */
  const kept = new Map<string, PartialFile>()

  /**
   * Has whoever works on an upload stop reading, waits until it has, and then does `next`, before anybody else
   * who waited. The one who asks is the one who is there: the connection of the other may be dead for long
   * before that is noticed.
   */
  async function whenFree<Answer>(id: string, next: () => Answer | Promise<Answer>): Promise<Answer> {
    for (let turn = turns.get(id); turn; turn = turns.get(id)) {
      await Promise.race([turn.ended, Bun.sleep(LEAST_TURN_MS)])
      turn.giveWay()
      await turn.ended
    }
    return next()
  }

  /** Runs `work` as the only one that works on this upload; `signal` says that somebody else wants to. */
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

  /** The first `size` bytes of an upload, to go on behind them; `undefined` when they are gone. */
  async function open(id: string, size: number): Promise<PartialFile | undefined> {
    const known = kept.get(id)
    if (!known || known.size < size) return store.openPartial(id, size)
    known.retreat(size)
    return known
  }

  /** Keeps what was hashed of an upload for its next piece. */
  function keep(id: string, partial: PartialFile): void {
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
    /** Removes what has arrived of an upload that the catalog no longer waits for. */
    remove: async (id: string): Promise<void> => {
      const partial = kept.get(id) ?? (await store.openPartial(id, 0))
      kept.delete(id)
      // What became of the upload is settled by now: a leftover here must not turn it into a failure.
      await partial
        ?.remove()
        .catch((error) => log.error('A staged file could not be removed; the next start tries again', error))
    },
    isBusy: (id: string): boolean => turns.has(id),
    /** Waits until nobody works on any. */
    settle: async (): Promise<void> => {
      await Promise.all([...turns.values()].map(({ ended }) => ended))
    },
  }
}
