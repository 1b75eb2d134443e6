import type { AddShared, SharedCount } from '../../platform/rate-limit.ts'
import type { Pool } from './pool.ts'

const COUNT = 'count, greatest(0, extract(epoch FROM ends_at - now()) * 1000)::bigint'
/** Statement that adds to counts, in the order of buckets: in another order, two servers would deadlock. */
const ADD = `INSERT INTO throttles AS known
  SELECT key, value::bigint, now() + $2 * interval '1 millisecond' FROM json_each_text($1::text::json) ORDER BY key
  ON CONFLICT (bucket) DO UPDATE SET
    count = CASE WHEN known.ends_at > now() THEN known.count ELSE 0 END + excluded.count,
    ends_at = CASE WHEN known.ends_at > now() THEN known.ends_at ELSE excluded.ends_at END
  RETURNING bucket, ${COUNT}`
/** Removes windows that have ended, but none that a server adds to. */
export const PRUNE_THROTTLES = `DELETE FROM throttles WHERE bucket IN (
  SELECT bucket FROM throttles WHERE ends_at <= now() FOR UPDATE SKIP LOCKED)`

/** Counts of buckets that all servers share. A window begins with its first count, by the clock of the database. */
export interface Throttles {
  add: AddShared
  /** Returns the count of a bucket whose window has not ended. */
  of: (bucket: string) => Promise<SharedCount | undefined>
  forget: (bucket: string) => Promise<void>
}

/** Returns the counts of all servers on a database. */
export function throttleQueries(pool: Pool): Throttles {
  const rowsOf = (text: string, values: readonly unknown[]) =>
    pool.use(async (connection) => (await connection.query(text, values)).rows)
  return {
    add: async (counts, windowMs) => {
      const rows = await rowsOf(ADD, [JSON.stringify(Object.fromEntries(counts)), windowMs])
      return new Map(
        rows.map(([bucket, count, ms]) => [String(bucket), { count: Number(count), endsInMs: Number(ms) }]),
      )
    },
    of: async (bucket) => {
      const rows = await rowsOf(`SELECT ${COUNT} FROM throttles WHERE bucket = $1 AND ends_at > now()`, [
        bucket,
      ])
      return rows[0] && { count: Number(rows[0][0]), endsInMs: Number(rows[0][1]) }
    },
    forget: async (bucket) => {
      await rowsOf('DELETE FROM throttles WHERE bucket = $1', [bucket])
    },
  }
}
