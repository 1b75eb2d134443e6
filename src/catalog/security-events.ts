import { and, desc, eq, inArray, lt, type SQL, sql } from 'drizzle-orm'
import { type Engine, prepareInsert } from './engine.ts'
import type { Query } from './query.ts'
import { securityEvents } from './schema.ts'

export type SecurityEventRow = typeof securityEvents.$inferSelect

/** Filter of the security log. */
interface LogPart {
  limit: number
  userId?: string | undefined
  before?: SecurityEventRow | undefined
  types?: readonly string[] | undefined
}

/** Queries of the instance's security log. */
export function securityEventQueries(engine: Engine) {
  const { db, prepare, body } = engine
  const { id, createdAt, userId, type } = securityEvents
  const newest = ({ limit, before, ...part }: Omit<LogPart, 'types'>, oneType?: string) =>
    prepare(
      db
        .select()
        .from(securityEvents)
        .where(
          and(
            part.userId === undefined ? undefined : eq(userId, part.userId),
            oneType === undefined ? undefined : eq(type, oneType),
            before && sql`(${createdAt}, ${id}) < (${before.createdAt}, ${before.id})`,
          ),
        )
        .orderBy(desc(createdAt), desc(id))
        .limit(limit),
    ).all()
  return {
    insert: prepareInsert(engine, securityEvents).row,
    byId: (wanted: string): Query<SecurityEventRow | undefined> =>
      prepare(db.select().from(securityEvents).where(eq(id, wanted))).get(),
    /**
     * Returns the latest entries, newest first: of all accounts or one, of all types or some, or before one
     * entry.
     */
    newest: ({ types, ...part }: LogPart): Query<SecurityEventRow[]> =>
      types
        ? body(function* () {
            const found: SecurityEventRow[] = []
            // One query per type, each on its index: a single query would read every entry to find a few.
            for (const one of types) found.push(...(yield* newest(part, one)))
            return found.toSorted(newestFirst).slice(0, part.limit)
          })
        : newest(part),
    /** Removes up to `limit` entries from before `time` and returns how many. */
    removeBefore: (time: number, limit: number): Query<number> => removeSome(lt(createdAt, time), limit),
  }

  function removeSome(which: SQL, limit: number): Query<number> {
    const some = db.select({ id }).from(securityEvents).where(which).limit(limit)
    return prepare(db.delete(securityEvents).where(inArray(id, some))).change()
  }
}

const newestFirst = (a: SecurityEventRow, b: SecurityEventRow) =>
  b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1)
