import { and, desc, eq, gte, inArray, lt, type SQL, sql } from 'drizzle-orm'
import { type Engine, prepareInsert } from '../engine/engine.ts'
import type { Query } from '../engine/query.ts'
import { rowsOf } from '../engine/rows.ts'
import { securityEvents } from '../schema/schema.ts'

export type SecurityEventRow = typeof securityEvents.$inferSelect

/** Filter of the security log. */
export interface LogPart {
  userId?: string | undefined
  types?: readonly string[] | undefined
  address?: string | undefined
  /** Bounds of the time: the first is inclusive, the second is not. */
  after?: number | undefined
  until?: number | undefined
}

/** Page of such a part. */
interface LogPage extends LogPart {
  limit: number
  before?: SecurityEventRow | undefined
}

/** Queries of the instance's security log. */
export function securityEventQueries(engine: Engine) {
  const { dialect, body } = engine
  const rows = rowsOf(engine, securityEvents)
  const { id, createdAt, userId, type, ipAddress } = securityEvents
  const newest = ({ limit, before, ...part }: LogPage, ofTypes?: SQL) =>
    rows
      .select(
        and(
          part.userId === undefined ? undefined : eq(userId, part.userId),
          ofTypes,
          part.address === undefined ? undefined : eq(ipAddress, part.address),
          part.after === undefined ? undefined : gte(createdAt, part.after),
          part.until === undefined ? undefined : lt(createdAt, part.until),
          before && sql`(${createdAt}, ${id}) < (${before.createdAt}, ${before.id})`,
        ),
        { order: [desc(createdAt), desc(id)], limit },
      )
      .all()
  return {
    insert: prepareInsert(engine, securityEvents).row,
    byId: (wanted: string) => rows.select(eq(id, wanted)).get(),
    /** Returns the latest entries of a part, newest first. */
    newest: (page: LogPage): Query<SecurityEventRow[]> => {
      const { types, address, limit } = page
      if (types === undefined) return newest(page)
      // An address has few entries.
      if (address !== undefined && types.length > 0)
        return newest(page, inArray(dialect.withoutIndex(type), [...types]))
      return body(function* () {
        const found: SecurityEventRow[] = []
        // One query per type, each on its index: a single query would read every entry to find a few.
        for (const one of types) found.push(...(yield* newest(page, eq(type, one))))
        return found.toSorted(newestFirst).slice(0, limit)
      })
    },
    /** Removes up to `limit` entries from before `time` and returns how many. */
    removeBefore: (time: number, limit: number) => rows.removeSome(lt(createdAt, time), limit),
  }
}

const newestFirst = (a: SecurityEventRow, b: SecurityEventRow) =>
  b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1)
