import { asc, count, desc, eq, gt, lt, sql } from 'drizzle-orm'
import { type Engine, prepareInsert } from '../engine/engine.ts'
import type { Query } from '../engine/query.ts'
import { versions, versionTotal } from '../schema/schema.ts'

export type VersionRow = typeof versions.$inferSelect

/** Queries of versions. */
function versionLookups({ db, dialect, prepare }: Engine) {
  const byId = prepare(
    db
      .select()
      .from(versions)
      .where(eq(versions.id, sql.placeholder('id'))),
  )
  return {
    byId: (id: string): Query<VersionRow | undefined> => byId.get({ id }),
    /** Returns a page of the versions of a file, newest first. */
    ofFile: (fileId: string, { limit, offset }: { limit: number; offset: number }): Query<VersionRow[]> =>
      prepare(
        db
          .select()
          .from(versions)
          .where(eq(versions.fileId, fileId))
          .orderBy(desc(versions.replacedAt), desc(versions.id))
          .limit(limit)
          .offset(offset),
      ).all(),
    /** Returns up to `limit` versions by id, after an id. */
    after: (id: string, limit: number): Query<VersionRow[]> =>
      prepare(
        db.select().from(versions).where(gt(versions.id, id)).orderBy(asc(versions.id)).limit(limit),
      ).all(),
    /** Returns up to `limit` versions that were replaced before `time`, oldest first. */
    replacedBefore: (time: number, limit: number): Query<VersionRow[]> =>
      prepare(
        db
          .select()
          .from(versions)
          .where(lt(versions.replacedAt, time))
          .orderBy(asc(versions.replacedAt), asc(versions.id))
          .limit(limit),
      ).all(),
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
  const isOfFiles = sql`${versions.fileId} IN (${dialect.elementsOf(sql.placeholder('fileIds'))})`
  const ofFiles = prepare(
    db.select({ id: versions.id, blobId: versions.blobId }).from(versions).where(isOfFiles),
  )
  const removeOfFiles = prepare(db.delete(versions).where(isOfFiles))
  return {
    insert: prepareInsert(engine, versions).row,
    /** Removes some versions. */
    remove: (ids: readonly string[]): Query<void> =>
      prepare(
        db.delete(versions).where(sql`${versions.id} IN (${dialect.elementsOf(JSON.stringify(ids))})`),
      ).run(),
    /** Makes the versions of a file those of another. */
    giveTo: (fileId: string, from: string): Query<void> =>
      prepare(db.update(versions).set({ fileId }).where(eq(versions.fileId, from))).run(),
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
