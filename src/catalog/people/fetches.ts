import { and, asc, desc, eq, gt, inArray, lte, notInArray, or } from 'drizzle-orm'
import { type Engine, prepareInsert } from '../engine/engine.ts'
import type { Query } from '../engine/query.ts'
import { rowsOf } from '../engine/rows.ts'
import { fetches } from '../schema/schema.ts'

export type FetchRow = typeof fetches.$inferSelect
type Changes = Partial<Omit<FetchRow, 'id' | 'userId'>>

const isOpen = inArray(fetches.state, ['waiting', 'running'])

/** Queries of files that are fetched by URL. */
export function fetchQueries(engine: Engine) {
  const { db, notes, prepare } = engine
  const rows = rowsOf(engine, fetches)
  const noted = (row: Pick<FetchRow, 'userId'> | undefined): boolean => {
    if (row) notes.note({ of: 'account', id: fetchesOf(row.userId) })
    return row !== undefined
  }
  const change = (which: ReturnType<typeof and>, changes: Changes): Query<boolean> =>
    prepare(db.update(fetches).set(changes).where(which).returning({ userId: fetches.userId }))
      .get()
      .into(noted)
  const insert = prepareInsert(engine, fetches).row
  return {
    insert: (row: FetchRow): Query<void> => insert(row).into(() => void noted(row)),
    own: (userId: string, id: string) =>
      rows.select(and(eq(fetches.id, id), eq(fetches.userId, userId))).get(),
    /** Returns those of an account, newest first. */
    ofUser: (userId: string, limit: number) =>
      rows
        .select(eq(fetches.userId, userId), { order: [desc(fetches.createdAt), desc(fetches.id)], limit })
        .all(),
    countOpen: (userId: string) => rows.count(and(eq(fetches.userId, userId), isOpen)),
    /** Returns the accounts of those that run at `now`. */
    running: (now: number): Query<string[]> =>
      prepare(
        db
          .select({ userId: fetches.userId })
          .from(fetches)
          .where(and(eq(fetches.state, 'running'), gt(fetches.leaseUntil, now))),
      )
        .all()
        .into((rows) => rows.map(({ userId }) => userId)),
    /** Returns the oldest that waits, or whose lease has ended at `now`, of an account that is not busy. */
    due: ({ now, without, busy }: { now: number; without: string[]; busy: string[] }) =>
      rows
        .select(
          and(
            or(eq(fetches.state, 'waiting'), and(eq(fetches.state, 'running'), lte(fetches.leaseUntil, now))),
            notInArray(fetches.id, without),
            notInArray(fetches.userId, busy),
          ),
          { order: [asc(fetches.createdAt), asc(fetches.id)], limit: 1 },
        )
        .get(),
    /** Changes one that waits or runs; false when it has ended. */
    change: (id: string, changes: Changes): Query<boolean> =>
      change(and(eq(fetches.id, id), isOpen), changes),
    /** Changes one that a run still has; false when it was canceled, or another run has it. */
    changeRun: (id: string, run: string, changes: Changes): Query<boolean> =>
      change(and(eq(fetches.id, id), eq(fetches.run, run), eq(fetches.state, 'running')), changes),
    /** Removes up to `limit` that ended before a time, and returns how many. */
    removeEnded: (before: number, limit: number) =>
      rows.removeSome(
        and(inArray(fetches.state, ['done', 'failed', 'canceled']), lte(fetches.updatedAt, before)),
        limit,
      ),
  }
}

/** Returns the id by which changes of an account's fetches are noted. */
export const fetchesOf = (userId: string): string => `fetches ${userId}`
