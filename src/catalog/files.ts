import { and, asc, eq, gt, max, ne, sql } from 'drizzle-orm'
import { type Db, prepareInsert } from './db.ts'
import { files } from './schema.ts'

export type FileRow = typeof files.$inferSelect
/** Columns of a file that may change. An `undefined` one keeps its value. */
export type FileColumns = { [Column in keyof Omit<FileRow, 'id'>]?: FileRow[Column] | undefined }
/** Columns of a file that decide access to it, lead to its bytes, and tell its states apart. */
export type FileAccess = Pick<FileRow, 'id' | 'visibility' | 'mimeType' | 'size' | 'blobId' | 'updatedAt'>

/** Passes any number of ids as one parameter, because SQLite limits the parameters of a statement. */
const isAmong = (ids: readonly string[]) =>
  sql`${files.id} IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`

/** Queries of the catalog's files. */
export function fileQueries(db: Db) {
  const byId = db
    .select()
    .from(files)
    .where(eq(files.id, sql.placeholder('id')))
    .prepare()
  const hasName = and(
    eq(files.folderId, sql.placeholder('folderId')),
    eq(files.name, sql.placeholder('name')),
  )
  const byName = db.select().from(files).where(hasName).prepare()
  // An aggregate always returns a row, so a hit and a miss take equally long.
  const accessByName = db
    .select({
      id: max(files.id),
      visibility: max(files.visibility),
      mimeType: max(files.mimeType),
      size: max(files.size),
      blobId: max(files.blobId),
      updatedAt: max(files.updatedAt),
    })
    .from(files)
    .where(hasName)
    .prepare()
  const insert = prepareInsert(db, files)
  const remove = db
    .delete(files)
    .where(eq(files.id, sql.placeholder('id')))
    .prepare()

  let displaced = 0
  return {
    /**
     * Returns a counter that increments when any file may have moved or been deleted. While it is unchanged,
     * names in a snapshot still refer to the same files.
     */
    displacements: (): number => displaced,
    byId: (id: string): FileRow | undefined => byId.get({ id }),
    /** Returns the files among `ids`, in no order. */
    byIds: (ids: readonly string[]): FileRow[] => db.select().from(files).where(isAmong(ids)).all(),
    byName: (folderId: string, name: string): FileRow | undefined => byName.get({ folderId, name }),
    accessByName: (folderId: string, name: string): FileAccess | undefined => {
      const found = accessByName.get({ folderId, name })
      if (!found) return undefined
      const { id, visibility, mimeType, size, updatedAt } = found
      return id === null || visibility === null || mimeType === null || size === null || updatedAt === null
        ? undefined
        : { ...found, id, visibility, mimeType, size, updatedAt }
    },
    /** Returns up to `limit` files of one folder by name, after a name. */
    inFolderAfter: (folderId: string, name: string, limit: number): FileRow[] =>
      db
        .select()
        .from(files)
        .where(and(eq(files.folderId, folderId), gt(files.name, name)))
        .orderBy(asc(files.name))
        .limit(limit)
        .all(),
    /** Returns up to `limit` files by id, after an id. */
    after: (id: string, limit: number): FileRow[] =>
      db.select().from(files).where(gt(files.id, id)).orderBy(asc(files.id)).limit(limit).all(),
    insert: (rows: readonly FileRow[]): void => {
      for (const row of rows) insert(row)
    },
    /** Returns up to `limit` files of one folder. */
    someInFolder: (folderId: string, limit: number): FileRow[] =>
      db.select().from(files).where(eq(files.folderId, folderId)).limit(limit).all(),
    /** Changes the given columns. */
    update: (id: string, changes: FileColumns): void => {
      displaced += 1
      db.update(files).set(changes).where(eq(files.id, id)).run()
    },
    /** Changes the files among `ids` that have another visibility. */
    setVisibility: (
      ids: readonly string[],
      { visibility, updatedAt }: Pick<FileRow, 'visibility' | 'updatedAt'>,
    ): void => {
      const isOther = and(isAmong(ids), ne(files.visibility, visibility))
      db.update(files).set({ visibility, updatedAt }).where(isOther).run()
    },
    remove: (id: string): void => {
      displaced += 1
      remove.run({ id })
    },
    /** True when there is any file. */
    any: (): boolean => db.select({ id: files.id }).from(files).limit(1).get() !== undefined,
  }
}
