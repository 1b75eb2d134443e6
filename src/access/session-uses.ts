import type { Clock } from '../platform/clock.ts'
import { WriteBehind } from '../platform/write-behind.ts'
import type { Store } from '../store/store.ts'

interface Use {
  sessionId: string
  usedAt: number
  /** Number of uses of all sessions before this one. */
  position: number
}

/** Times of the latest uses of sessions. */
export class SessionUses {
  readonly #clock: Clock
  readonly #uses: WriteBehind<Use>
  #count = 0
  #latest = 0

  constructor({ store, clock }: { store: Store; clock: Clock }) {
    this.#clock = clock
    this.#uses = new WriteBehind<Use>({
      merge: (use, newer) => Object.assign(use, newer),
      save: (uses) => {
        const times = uses.map(({ sessionId, usedAt }) => ({ sessionId, usedAt: this.#after(usedAt) }))
        return store.transact(function* () {
          for (const { sessionId, usedAt } of times) yield* store.sessions.touch(sessionId, usedAt)
        })
      },
      compare: (one, other) => one.position - other.position,
    })
  }

  record(sessionId: string): void {
    this.#uses.add(sessionId, { sessionId, usedAt: this.#clock.now(), position: this.#count++ })
  }

  flush(): Promise<void> {
    return this.#uses.flush()
  }

  /**
   * Returns a time after all earlier ones, so that times order uses within one millisecond, and after the
   * clock is set back.
   */
  #after(usedAt: number): number {
    this.#latest = Math.max(usedAt, this.#latest + 1)
    return this.#latest
  }
}
