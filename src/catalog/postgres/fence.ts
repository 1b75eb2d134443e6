import type { Pool } from './pool.ts'

/** Change of what nodes keep in memory: of one file, of any, of the settings, of websites, or of what lists show. */
export interface ChangeEvent {
  kind: 'file' | 'tree' | 'settings' | 'sites' | 'lists'
  /** Id of the file, or the text that a node has announced. */
  target: string
}

/** Deadline of a read in milliseconds: requests wait for it, and may wait for the server once more. */
const READ_MS = 5000
/** Time without a read after which events may have been removed before they were read, in milliseconds. */
const FORGOTTEN_MS = 300_000
/** Events older than this are removed, so that a node that reads in time misses none. */
export const PRUNE_EVENTS = "DELETE FROM events WHERE created_at < now() - interval '10 minutes'"

/** Events since the transactions that were under way at the read before, and those that are under way now. */
const READ = `SELECT pg_snapshot_xmin(pg_current_snapshot())::text, events.id, events.kind, events.target
  FROM (SELECT 1) AS one LEFT JOIN events ON events.xid >= $1::xid8`

interface FenceOptions {
  pool: Pool
  /** Called with the events that a read has found first. The read ends when it resolves. */
  onEvents: (events: ChangeEvent[]) => void | Promise<void>
  /** Called when events may have been missed: nothing in memory can be trusted. */
  onMissed: () => void | Promise<void>
  /** Milliseconds of a monotonic clock. */
  monotonic: () => number
}

/**
 * Lets a node know every commit of the others that had ended before it asked. One read serves all that wait for it. A
 * caller never joins a read that is under way, because its snapshot may be older than the call.
 */
export class Fence {
  readonly #options: FenceOptions
  #running: Promise<void> | undefined
  #next: Promise<void> | undefined
  /** Oldest transaction that was under way at the last read; `undefined` before the first. */
  #xmin: string | undefined
  /** Ids of the events that the last read has found. */
  #seen = new Set<unknown>()
  /** Time at which the last successful read began. */
  #readAt = Number.NEGATIVE_INFINITY
  /** Number of connections that had broken then. */
  #breaks = 0

  constructor(options: FenceOptions) {
    this.#options = options
  }

  /**
   * Resolves when this node knows every commit that had ended `maxAgeMs` before the call; `undefined` when it does.
   *
   * @throws {Refusal} `unavailable` when the server is away.
   */
  pass(maxAgeMs = 0): Promise<void> | undefined {
    const { monotonic } = this.#options
    if (maxAgeMs > 0 && monotonic() - this.#readAt <= maxAgeMs) return undefined
    if (!this.#running) return this.#start()
    this.#next ??= this.#running.then(
      () => this.#start(),
      (error) => {
        // The server is away: a further read would only wait for it again.
        this.#next = undefined
        throw error
      },
    )
    return this.#next
  }

  #start(): Promise<void> {
    this.#next = undefined
    const running = this.#read().finally(() => {
      if (this.#running === running) this.#running = undefined
    })
    this.#running = running
    return running
  }

  async #read(): Promise<void> {
    const { pool, monotonic, onEvents, onMissed } = this.#options
    const began = monotonic()
    const { rows } = await pool.use((connection) => connection.query(READ, [this.#xmin ?? '0'], READ_MS))
    const { breaks } = pool
    const found = rows.filter(([, id]) => id !== null)
    if (this.#xmin !== undefined) {
      // Another server may lack transactions that were known, and give their ids to new ones.
      if (breaks !== this.#breaks || began - this.#readAt > FORGOTTEN_MS) await onMissed()
      const events = found.filter(([, id]) => !this.#seen.has(id))
      if (events.length > 0) await onEvents(events.map(eventOf))
    }
    // Only now: when a listener fails, the next read finds the same events.
    this.#xmin = String(rows[0]?.[0])
    this.#seen = new Set(found.map(([, id]) => id))
    this.#readAt = began
    this.#breaks = breaks
  }
}

const KINDS = ['file', 'settings', 'sites', 'lists'] as const

const eventOf = ([, , kind, target]: readonly unknown[]): ChangeEvent => ({
  // One that only a later version knows may be of anything.
  kind: KINDS.find((known) => known === kind) ?? 'tree',
  target: String(target),
})
