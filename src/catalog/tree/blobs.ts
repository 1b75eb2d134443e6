import { and, asc, eq, gt, isNotNull, lte, ne, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { type Engine, prepareInsert } from '../engine/engine.ts'
import type { Query } from '../engine/query.ts'
import { rowsOf } from '../engine/rows.ts'
import { blobs, files, trashedFiles, versions } from '../schema/schema.ts'
import type { FileRow } from './files.ts'
import type { TrashedFile } from './trash.ts'
import type { VersionRow } from './versions.ts'

export type BlobRow = typeof blobs.$inferSelect

/** Rows whose bytes are blobs. */
interface BlobUsers {
  files: FileRow[]
  versions: VersionRow[]
  trashed: TrashedFile[]
}

const USERS = { files, versions, trashed: trashedFiles }

const isArriving = eq(blobs.state, 'arriving')

/** Queries of blobs. */
function blobLookups(engine: Engine) {
  const { db, dialect, prepare, body } = engine
  const blobRows = rowsOf(engine, blobs)
  const fileRows = rowsOf(engine, files)
  const versionRows = rowsOf(engine, versions)
  const trashedFileRows = rowsOf(engine, trashedFiles)
  const isAmong = (ids: readonly string[], column: SQLiteColumn = blobs.id) =>
    sql`${column} IN (${dialect.elementsOf(JSON.stringify(ids))})`
  return {
    byId: (id: string) => blobRows.select(eq(blobs.id, id)).get(),
    /** Returns up to `limit` blobs by id, after an id. */
    after: (id: string, limit: number) =>
      blobRows.select(gt(blobs.id, id), { order: [asc(blobs.id)], limit }).all(),
    /** Returns the rows whose bytes are among these blobs. Reads all rows: for problems alone. */
    users: (ids: readonly string[]): Query<BlobUsers> =>
      body(function* () {
        return {
          files: yield* fileRows.select(isAmong(ids, files.blobId)).all(),
          versions: yield* versionRows.select(isAmong(ids, versions.blobId)).all(),
          trashed: yield* trashedFileRows.select(isAmong(ids, trashedFiles.blobId)).all(),
        }
      }),
    /** Returns the states of the blobs among `ids` that are known, by id. */
    statesOf: (ids: readonly string[]): Query<Pick<BlobRow, 'id' | 'state'>[]> =>
      prepare(
        db
          .select({ id: blobs.id, state: blobs.state })
          .from(blobs)
          .where(isAmong(ids))
          .orderBy(asc(blobs.id)),
      ).all(),
    /** Returns the ids of the blobs that a process is receiving, or has not given up. */
    arrivingOf: (node: string): Query<string[]> =>
      prepare(
        db
          .select({ id: blobs.id })
          .from(blobs)
          .where(and(isArriving, eq(blobs.node, node)))
          .orderBy(asc(blobs.id)),
      )
        .all()
        .into((rows) => rows.map(({ id }) => id)),
    /** Returns up to `limit` blobs that may be removed at `now`. */
    doomed: (now: number, limit: number) =>
      blobRows
        .select(and(eq(blobs.state, 'doomed'), lte(blobs.notBefore, now)), {
          order: [asc(blobs.notBefore)],
          limit,
        })
        .all(),
  }
}

/** Changes of the states of blobs. */
function blobStates(engine: Engine) {
  const { dialect } = engine
  const rows = rowsOf(engine, blobs)
  const isAmong = (ids: readonly string[], column: SQLiteColumn = blobs.id) =>
    sql`${column} IN (${dialect.elementsOf(JSON.stringify(ids))})`
  const insert = prepareInsert(engine, blobs)
  const restore = prepareInsert(engine, blobs, {
    target: [blobs.id],
    set: { state: 'kept', uploadId: null, size: sql`excluded.size` },
  })
  const keep = rows.update(
    { state: 'kept', uploadId: null, size: sql`${sql.placeholder('size')}` },
    and(eq(blobs.id, sql.placeholder('id')), isArriving),
  )
  return {
    insert: insert.row,
    insertAll: insert.rows,
    /** Records the multipart upload of an arriving blob. */
    setUpload: (id: string, uploadId: string) =>
      rows.update({ uploadId }, and(eq(blobs.id, id), isArriving)).run(),
    /** Marks an arriving blob as kept; false when it is not arriving any more. */
    keep: (id: string, size: number): Query<boolean> =>
      keep.change({ id, size }).into((changed) => changed > 0),
    /** Marks arriving blobs as kept; false when one of them is not arriving any more. */
    keepAll: (arrived: readonly { id: string; size: number }[]): Query<boolean> =>
      keep.changeEach(arrived).into((changed) => changed === arrived.length),
    /** Marks a blob as kept, whose row may be missing or mark it for removal. */
    restore: ({ id, size, createdAt }: Pick<BlobRow, 'id' | 'size' | 'createdAt'>): Query<void> =>
      restore.row({ ...{ id, size, createdAt }, state: 'kept', node: '', uploadId: null, notBefore: 0 }),
    /** Marks blobs for removal, once `notBefore` has passed. */
    doom: (ids: readonly string[], notBefore: number) =>
      rows.update({ state: 'doomed', notBefore }, isAmong(ids)).run(),
    /** Marks blobs for removal that are still arriving. */
    doomArriving: (ids: readonly string[], notBefore: number) =>
      rows.update({ state: 'doomed', notBefore }, and(isAmong(ids), isArriving)).run(),
    /** Marks the blobs for removal that other processes than `node` were receiving. */
    doomAbandoned: (node: string, notBefore: number) =>
      rows.update({ state: 'doomed', notBefore }, and(isArriving, ne(blobs.node, node))).run(),
  }
}

/** Changes of the rows that refer to blobs, and removals. */
function blobRemovals(engine: Engine) {
  const { db, dialect, prepare, body } = engine
  const rows = rowsOf(engine, blobs)
  const isAmong = (ids: readonly string[], column: SQLiteColumn = blobs.id) =>
    sql`${column} IN (${dialect.elementsOf(JSON.stringify(ids))})`
  return {
    /** Records the blob of a file, version or file in the trash. */
    attach: (place: keyof BlobUsers, id: string, blobId: string): Query<void> => {
      const table = USERS[place]
      return prepare(db.update(table).set({ blobId }).where(eq(table.id, id))).run()
    },
    /** Removes all blobs, and leaves the rows that refer to them. */
    forgetAll: (): Query<void> =>
      body(function* () {
        for (const table of Object.values(USERS))
          yield* prepare(db.update(table).set({ blobId: null }).where(isNotNull(table.blobId))).run()
        yield* rows.remove().run()
      }),
    /** Removes the rows of all blobs, of which files, versions and files in the trash retain the ids. */
    clear: () => rows.remove().run(),
    /** Removes the rows of blobs whose objects are gone. */
    remove: (ids: readonly string[]) => rows.remove(isAmong(ids)).run(),
  }
}

/** Queries of the blobs of an object store. */
export const blobQueries = (engine: Engine) => ({
  ...blobLookups(engine),
  ...blobStates(engine),
  ...blobRemovals(engine),
})
