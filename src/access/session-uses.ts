import type { Deps } from '../deps.ts'

export type SessionUses = ReturnType<typeof createSessionUses>

/**
 * When each session was last used. Uses are kept in memory until `flush` writes them, so that a request
 * costs no write; a crash loses those since the last flush. No more is held than one use a session.
 */
export function createSessionUses({ store, clock }: Pick<Deps, 'store' | 'clock'>) {
  /** Session ids with times of use, in the order of use. */
  let uses = new Map<string, number>()
  let latest = 0

  function record(sessionId: string): void {
    uses.delete(sessionId)
    uses.set(sessionId, clock.now())
  }

  /** Writes the uses; if that fails they are kept for the next time. */
  async function flush(): Promise<void> {
    if (uses.size === 0) return
    const flushed = uses
    uses = new Map()
    try {
      await store.transact(() => {
        for (const [id, usedAt] of flushed) {
          // Times tell the order, also of uses in one millisecond and while the clock is set back.
          latest = Math.max(usedAt, latest + 1)
          store.sessions.touch(id, latest)
        }
      })
    } catch (error) {
      for (const id of uses.keys()) flushed.delete(id)
      uses = new Map([...flushed, ...uses])
      throw error
    }
  }

  return { record, flush }
}
