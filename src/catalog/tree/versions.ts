import { asc, count, desc, eq, gt, lt, sql } from 'drizzle-orm'
import { type Engine, prepareInsert } from '../engine/engine.ts'
import type { Query } from '../engine/query.ts'
import { rowsOf } from '../engine/rows.ts'
import { versions, versionTotal } from '../schema/schema.ts'

export type VersionRow = typeof versions.$inferSelect

/** Queries of versions. */
function versionLookups(engine: Engine) {
  const { db, dialect, prepare } = engine
  const rows = rowsOf(engine, versions)
  const byId = rows.select(eq(versions.id, sql.placeholder('id')))
  return {
    byId: (id: string): Query<VersionRow | undefined> => byId.get({ id }),
    /** Returns a page of the versions of a file, newest first. */
    ofFile: (fileId: string, { limit, offset }: { limit: number; offset: number }) =>
      rows
        .select(eq(versions.fileId, fileId), {
          order: [desc(versions.replacedAt), desc(versions.id)],
          limit,
          offset,
        })
        .all(),
    /** Returns up to `limit` versions by id, after an id. */
    after: (id: string, limit: number) =>
      rows.select(gt(versions.id, id), { order: [asc(versions.id)], limit }).all(),
    /** Returns up to `limit` versions that were replaced before `time`, oldest first. */
    replacedBefore: (time: number, limit: number) =>
      rows
        .select(lt(versions.replacedAt, time), { order: [asc(versions.replacedAt), asc(versions.id)], limit })
        .all(),
    /** Returns the number and size of the versions of some files. */
    totalOf: (fileIds: readonly string[]): Query<{ count: number; size: number }> =>
      prepare(
        db
          .select({ count: count(), size: sql<number>`coalesce(sum(${versions.size}), 0)` })
          .from(versions)
          .where(sql`${versions.fileId} IN (${dialect.elementsOf(JSON.stringify(fileIds))})`),
      )
        .get()
        .into((total) => total ?? { count: 0, size: 0 }),
    total: (): Query<{ count: number; size: number }> =>
      prepare(db.select({ count: versionTotal.count, size: versionTotal.size }).from(versionTotal))
        .get()
        .into((total) => total ?? { count: 0, size: 0 }),
  }
}

/** Changes of versions. */
function versionChanges(engine: Engine) {
  const { db, dialect, prepare, body } = engine
  const rows = rowsOf(engine, versions)
  const isOfFiles = sql`${versions.fileId} IN (${dialect.elementsOf(sql.placeholder('fileIds'))})`
  const ofFiles = prepare(
    db.select({ id: versions.id, blobId: versions.blobId }).from(versions).where(isOfFiles),
  )
  const removeOfFiles = rows.remove(isOfFiles)
  return {
    insert: prepareInsert(engine, versions).row,
    /** Removes some versions. */
    remove: (ids: readonly string[]) =>
      rows.remove(sql`${versions.id} IN (${dialect.elementsOf(JSON.stringify(ids))})`).run(),
    /** Makes the versions of a file those of another. */
    giveTo: (fileId: string, from: string) => rows.update({ fileId }, eq(versions.fileId, from)).run(),
    /** Removes the versions of files, and returns what leads to their bytes. */
    removeOfFiles: (ids: readonly string[]): Query<Pick<VersionRow, 'id' | 'blobId'>[]> =>
      body(function* () {
        const fileIds = JSON.stringify(ids)
        const found = yield* ofFiles.all({ fileIds })
        if (found.length > 0) yield* removeOfFiles.run({ fileIds })
        return found
      }),
  }
}

/** Queries of the bytes that were replaced. */
export const versionQueries = (engine: Engine) => ({ ...versionLookups(engine), ...versionChanges(engine) })
