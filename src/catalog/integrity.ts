import { asc, count, eq, max, ne, sql } from 'drizzle-orm'
import type { Db } from './db.ts'
import { integrity } from './schema.ts'

type IntegrityRow = typeof integrity.$inferSelect

/** Queries of problems found with files' bytes. Deleting a file removes its problem. */
export function integrityQueries(db: Db) {
  return {
    /** Returns how many files have a problem and when the latest was found; `undefined` when none has. */
    summary: (): { count: number; latest: number } | undefined => {
      const found = db
        .select({ count: count(), latest: max(integrity.foundAt) })
        .from(integrity)
        .get()
      return found && found.latest !== null ? { count: found.count, latest: found.latest } : undefined
    },
    byFile: (fileId: string): IntegrityRow | undefined =>
      db.select().from(integrity).where(eq(integrity.fileId, fileId)).get(),
    fileIds: (): string[] =>
      db
        .select({ fileId: integrity.fileId })
        .from(integrity)
        .orderBy(asc(integrity.fileId))
        .all()
        .map(({ fileId }) => fileId),
    /** Records a problem. A known one keeps the time when it was found first. */
    put: (row: IntegrityRow): void => {
      db.insert(integrity)
        .values(row)
        .onConflictDoUpdate({
          target: integrity.fileId,
          set: { problem: row.problem, foundAt: row.foundAt },
          setWhere: ne(integrity.problem, sql`excluded.problem`),
        })
        .run()
    },
    clear: (fileId: string): void => {
      db.delete(integrity).where(eq(integrity.fileId, fileId)).run()
    },
  }
}
