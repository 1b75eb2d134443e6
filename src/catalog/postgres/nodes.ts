import { PRUNE_EVENTS } from './fence.ts'
import type { Pool } from './pool.ts'
import { PRUNE_THROTTLES } from './throttles.ts'

/** Time between two renewals of a lease, in milliseconds. */
export const RENEW_MS = 5000
/** Duration of a lease in milliseconds: a node that does not renew it for so long counts as dead. */
const LEASE_MS = 30_000

/** True for a row whose node has a lease. */
const isAlive = (node: string) =>
  `EXISTS (SELECT 1 FROM nodes WHERE nodes.id = ${node} AND nodes.expires_at > now())`

/** Items of the trash that one node at a time works on. */
export interface Holds {
  /** Takes hold of an item; false while another node that is alive holds it. */
  take: (item: string) => Promise<boolean>
  release: (item: string) => Promise<void>
}

type Change = (text: string, values: readonly unknown[]) => Promise<number>

/** Returns the holds of a node. */
const holdsOf = (change: Change, node: string): Holds => ({
  take: async (item) => {
    const taken = await change(
      `INSERT INTO holds VALUES ($1, $2) ON CONFLICT (item) DO UPDATE SET node = excluded.node
        WHERE holds.node = excluded.node OR NOT ${isAlive('holds.node')}`,
      [item, node],
    )
    return taken > 0
  },
  release: async (item) => {
    await change('DELETE FROM holds WHERE item = $1 AND node = $2', [item, node])
  },
})

/** Returns the functions of one node among others. All times are those of the server's clock. */
export function nodeQueries(pool: Pool, node: string) {
  const change: Change = (text, values) =>
    pool.use(async (connection) => (await connection.query(text, values)).count)
  return {
    /** Begins or renews the lease of this node. */
    renew: async (): Promise<void> => {
      await change(
        `INSERT INTO nodes VALUES ($1, now() + $2 * interval '1 millisecond')
          ON CONFLICT (id) DO UPDATE SET expires_at = excluded.expires_at`,
        [node, LEASE_MS],
      )
    },
    /** Ends the lease of this node. */
    leave: async (): Promise<void> => {
      await change('DELETE FROM nodes WHERE id = $1', [node])
    },
    /** Reports changes to all nodes, at their next fence. */
    announce: async (text: string): Promise<void> => {
      await change("INSERT INTO events (kind, target) VALUES ('lists', $1)", [text])
    },
    /** Returns the nodes whose leases have not ended. */
    alive: (): Promise<string[]> =>
      pool.use(async (connection) => {
        const { rows } = await connection.query('SELECT id FROM nodes WHERE expires_at > now() ORDER BY id')
        return rows.map(([id]) => String(id))
      }),
    /**
     * Marks the blobs for removal that a dead node was receiving, and returns how many. A node that wakes up again
     * cannot keep them: the row decides, not the clock.
     */
    doomAbandoned: (notBefore: number): Promise<number> =>
      change(
        `UPDATE blobs SET state = 'doomed', not_before = $1 WHERE state = 'arriving' AND NOT ${isAlive('blobs.node')}`,
        [notBefore],
      ),
    /** Returns true when this node is to do a job, which no node has begun within `everyMs`. */
    claim: async (job: string, everyMs: number): Promise<boolean> => {
      const claimed = await change(
        `INSERT INTO jobs VALUES ($1, now() + $2 * interval '1 millisecond')
          ON CONFLICT (name) DO UPDATE SET next_at = excluded.next_at WHERE jobs.next_at <= now()`,
        [job, everyMs],
      )
      return claimed > 0
    },
    holds: holdsOf(change, node),
    /** Removes the events that every node has read, windows that have ended, nodes that are dead for a day, and their holds. */
    prune: async (): Promise<void> => {
      await change(PRUNE_EVENTS, [])
      await change(PRUNE_THROTTLES, [])
      await change("DELETE FROM nodes WHERE expires_at < now() - interval '1 day'", [])
      await change(`DELETE FROM holds WHERE NOT ${isAlive('holds.node')}`, [])
    },
  }
}
