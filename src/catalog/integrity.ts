import { asc, count, eq, max, ne, sql } from 'drizzle-orm'
import type { Engine } from './engine.ts'
import type { Query } from './query.ts'
import { integrity } from './schema.ts'

type IntegrityRow = typeof integrity.$inferSelect

/** Queries of problems found with files' bytes. Deleting a file removes its problem. */
export function integrityQueries({ db, prepare }: Engine) {
  return {
    /** Returns how many files have a problem and when the latest was found; `undefined` when none has. */
    summary: (): Query<{ count: number; latest: number } | undefined> =>
      prepare(db.select({ count: count(), latest: max(integrity.foundAt) }).from(integrity))
        .get()
        .into((found) =>
          found && found.latest !== null ? { count: found.count, latest: found.latest } : undefined,
        ),
    byFile: (fileId: string): Query<IntegrityRow | undefined> =>
      prepare(db.select().from(integrity).where(eq(integrity.fileId, fileId))).get(),
    fileIds: (): Query<string[]> =>
      prepare(db.select({ fileId: integrity.fileId }).from(integrity).orderBy(asc(integrity.fileId)))
        .all()
        .into((rows) => rows.map(({ fileId }) => fileId)),
    /** Records a problem. A known one keeps the time when it was found first. */
    put: (row: IntegrityRow): Query<void> =>
      prepare(
        db
          .insert(integrity)
          .values(row)
          .onConflictDoUpdate({
            target: integrity.fileId,
            set: { problem: row.problem, foundAt: row.foundAt },
            setWhere: ne(integrity.problem, sql`excluded.problem`),
          }),
      ).run(),
    clear: (fileId: string): Query<void> =>
      prepare(db.delete(integrity).where(eq(integrity.fileId, fileId))).run(),
  }
}
