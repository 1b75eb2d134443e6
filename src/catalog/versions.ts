import { asc, desc, eq, gt, lt, sql } from 'drizzle-orm'
import { type Db, prepareInsert } from './db.ts'
import { versions, versionTotal } from './schema.ts'

export type VersionRow = typeof versions.$inferSelect

/** Queries of the bytes that were replaced. */
export function versionQueries(db: Db) {
  const idsOfFile = db
    .select({ id: versions.id })
    .from(versions)
    .where(eq(versions.fileId, sql.placeholder('fileId')))
    .prepare()
  const byId = db
    .select()
    .from(versions)
    .where(eq(versions.id, sql.placeholder('id')))
    .prepare()
  const insert = prepareInsert(db, versions)
  return {
    byId: (id: string): VersionRow | undefined => byId.get({ id }),
    /** Returns a page of the versions of a file, newest first. */
    ofFile: (fileId: string, { limit, offset }: { limit: number; offset: number }): VersionRow[] =>
      db
        .select()
        .from(versions)
        .where(eq(versions.fileId, fileId))
        .orderBy(desc(versions.replacedAt), desc(versions.id))
        .limit(limit)
        .offset(offset)
        .all(),
    /** Returns up to `limit` versions by id, after an id. */
    after: (id: string, limit: number): VersionRow[] =>
      db.select().from(versions).where(gt(versions.id, id)).orderBy(asc(versions.id)).limit(limit).all(),
    /** Returns up to `limit` versions that were replaced before `time`, oldest first. */
    replacedBefore: (time: number, limit: number): VersionRow[] =>
      db
        .select()
        .from(versions)
        .where(lt(versions.replacedAt, time))
        .orderBy(asc(versions.replacedAt), asc(versions.id))
        .limit(limit)
        .all(),
    total: (): { count: number; size: number } =>
      db.select({ count: versionTotal.count, size: versionTotal.size }).from(versionTotal).get() ?? {
        count: 0,
        size: 0,
      },
    insert: (row: VersionRow): void => insert(row),
    /** Removes some versions. */
    remove: (ids: readonly string[]): void => {
      db.delete(versions)
        .where(sql`${versions.id} IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`)
        .run()
    },
    /** Removes the versions of a file and returns their ids. */
    removeOfFile: (fileId: string): string[] => {
      const ids = idsOfFile.all({ fileId }).map(({ id }) => id)
      if (ids.length > 0) db.delete(versions).where(eq(versions.fileId, fileId)).run()
      return ids
    },
  }
}
