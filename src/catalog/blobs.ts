import { and, asc, eq, gt, lte, ne, sql } from 'drizzle-orm'
import { type Db, prepareInsert } from './db.ts'
import { blobs } from './schema.ts'

export type BlobRow = typeof blobs.$inferSelect

/** Queries of the blobs of an object store. */
export function blobQueries(db: Db) {
  const isArriving = eq(blobs.state, 'arriving')
  const isAmong = (ids: readonly string[]) =>
    sql`${blobs.id} IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`
  return {
    insert: prepareInsert(db, blobs),
    byId: (id: string): BlobRow | undefined => db.select().from(blobs).where(eq(blobs.id, id)).get(),
    /** Returns up to `limit` blobs by id, after an id. */
    after: (id: string, limit: number): BlobRow[] =>
      db.select().from(blobs).where(gt(blobs.id, id)).orderBy(asc(blobs.id)).limit(limit).all(),
    /** Records the multipart upload of an arriving blob. */
    setUpload: (id: string, uploadId: string): void => {
      db.update(blobs)
        .set({ uploadId })
        .where(and(eq(blobs.id, id), isArriving))
        .run()
    },
    /** Marks an arriving blob as kept; false when it is not arriving any more. */
    keep: (id: string, size: number): boolean =>
      db
        .update(blobs)
        .set({ state: 'kept', uploadId: null, size })
        .where(and(eq(blobs.id, id), isArriving))
        .returning({ id: blobs.id })
        .get() !== undefined,
    /** Marks blobs for removal, once `notBefore` has passed. */
    doom: (ids: readonly string[], notBefore: number): void => {
      db.update(blobs).set({ state: 'doomed', notBefore }).where(isAmong(ids)).run()
    },
    /** Marks the blobs for removal that other processes than `node` were receiving. */
    doomAbandoned: (node: string, notBefore: number): void => {
      db.update(blobs)
        .set({ state: 'doomed', notBefore })
        .where(and(isArriving, ne(blobs.node, node)))
        .run()
    },
    /** Returns up to `limit` blobs that may be removed at `now`. */
    doomed: (now: number, limit: number): BlobRow[] =>
      db
        .select()
        .from(blobs)
        .where(and(eq(blobs.state, 'doomed'), lte(blobs.notBefore, now)))
        .orderBy(asc(blobs.notBefore))
        .limit(limit)
        .all(),
    /** Removes the rows of blobs whose objects are gone. */
    remove: (ids: readonly string[]): void => {
      db.delete(blobs).where(isAmong(ids)).run()
    },
  }
}
