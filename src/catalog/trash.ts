import { and, asc, count, desc, eq, gt, lte, ne, sql } from 'drizzle-orm'
import { type Db, prepareInsert } from './db.ts'
import { trash, trashedFiles, trashedFolders } from './schema.ts'

/** File or folder in the trash. */
export type TrashRow = typeof trash.$inferSelect
export type TrashedFile = typeof trashedFiles.$inferSelect
export type TrashedFolder = typeof trashedFolders.$inferSelect

/** Number of files, and their bytes together. */
interface Amount {
  count: number
  size: number
}

const sum = (column: typeof trash.count | typeof trash.size) => sql<number>`coalesce(sum(${column}), 0)`

/** Queries of the trash: its items, and the rows of files and folders that belong to them. */
export function trashQueries(db: Db) {
  const byId = db
    .select()
    .from(trash)
    .where(eq(trash.id, sql.placeholder('id')))
    .prepare()
  const isListed = eq(trash.purging, false)
  const remove = (table: typeof trashedFiles | typeof trashedFolders) =>
    db
      .delete(table)
      .where(eq(table.id, sql.placeholder('id')))
      .prepare()
  const [removeFile, removeFolder] = [remove(trashedFiles), remove(trashedFolders)]
  const place = { trashId: sql.placeholder('trashId'), name: sql.placeholder('name') }
  const filesIn = db
    .select()
    .from(trashedFiles)
    .where(
      and(
        eq(trashedFiles.trashId, place.trashId),
        eq(trashedFiles.folderId, sql.placeholder('folderId')),
        gt(trashedFiles.name, place.name),
      ),
    )
    .orderBy(asc(trashedFiles.name))
    .limit(sql.placeholder('limit'))
    .prepare()
  const foldersIn = db
    .select()
    .from(trashedFolders)
    .where(
      and(
        eq(trashedFolders.trashId, place.trashId),
        eq(trashedFolders.parentId, sql.placeholder('parentId')),
        ne(trashedFolders.id, sql.placeholder('parentId')),
        gt(trashedFolders.name, place.name),
      ),
    )
    .orderBy(asc(trashedFolders.name))
    .limit(sql.placeholder('limit'))
    .prepare()
  return {
    insert: prepareInsert(db, trash),
    byId: (id: string): TrashRow | undefined => byId.get({ id }),
    /** Returns a part of the items that can be restored, the latest first. */
    page: ({ limit, offset }: { limit: number; offset: number }): TrashRow[] =>
      db
        .select()
        .from(trash)
        .where(isListed)
        .orderBy(desc(trash.deletedAt), asc(trash.id))
        .limit(limit)
        .offset(offset)
        .all(),
    /** Returns up to `limit` items that were deleted at `time` or before, the oldest first. */
    until: (time: number, limit: number): TrashRow[] =>
      db
        .select()
        .from(trash)
        .where(and(isListed, lte(trash.deletedAt, time)))
        .orderBy(asc(trash.deletedAt), desc(trash.id))
        .limit(limit)
        .all(),
    /** Returns the number of items that can be restored. */
    listed: (): number => db.select({ count: count() }).from(trash).where(isListed).get()?.count ?? 0,
    /** Returns the files in the trash, those that are being removed included. */
    total: (): Amount =>
      db
        .select({ count: sum(trash.count), size: sum(trash.size) })
        .from(trash)
        .get() ?? { count: 0, size: 0 },
    /** Adds files to the amounts of an item; negative numbers take them away. */
    add: (id: string, { count, size }: Amount): void => {
      db.update(trash)
        .set({ count: sql`${trash.count} + ${count}`, size: sql`${trash.size} + ${size}` })
        .where(eq(trash.id, id))
        .run()
    },
    /** Marks an item for removal: it cannot be restored from then on. */
    startPurge: (id: string): void => {
      db.update(trash).set({ purging: true }).where(eq(trash.id, id)).run()
    },
    purging: (): TrashRow[] => db.select().from(trash).where(eq(trash.purging, true)).all(),
    remove: (id: string): void => {
      db.delete(trash).where(eq(trash.id, id)).run()
    },

    /** Removes an item with all its rows. */
    removeItem: (id: string): void => {
      for (const table of [trashedFiles, trashedFolders]) db.delete(table).where(eq(table.trashId, id)).run()
      db.delete(trash).where(eq(trash.id, id)).run()
    },
    /** True when an item has its bytes in this folder of `trash/`. */
    hasEntry: (entry: string): boolean =>
      db.select({ id: trash.id }).from(trash).where(eq(trash.entry, entry)).limit(1).get() !== undefined,

    insertFile: prepareInsert(db, trashedFiles),
    file: (id: string): TrashedFile | undefined =>
      db.select().from(trashedFiles).where(eq(trashedFiles.id, id)).get(),
    /** Returns up to `limit` files of an item that are directly in one folder, by name, after a name. */
    filesIn: (trashId: string, folderId: string, name: string, limit: number): TrashedFile[] =>
      filesIn.all({ trashId, folderId, name, limit }),
    /** Returns up to `limit` files of all items by id, after an id. */
    filesAfter: (id: string, limit: number): TrashedFile[] =>
      db
        .select()
        .from(trashedFiles)
        .where(gt(trashedFiles.id, id))
        .orderBy(asc(trashedFiles.id))
        .limit(limit)
        .all(),
    renameFile: (id: string, name: string): void => {
      db.update(trashedFiles).set({ name }).where(eq(trashedFiles.id, id)).run()
    },
    removeFile: (id: string): void => {
      removeFile.run({ id })
    },

    insertFolder: prepareInsert(db, trashedFolders),
    folder: (id: string): TrashedFolder | undefined =>
      db.select().from(trashedFolders).where(eq(trashedFolders.id, id)).get(),
    /** Returns up to `limit` folders of an item that are directly in another, by name, after a name. */
    foldersIn: (trashId: string, parentId: string, name: string, limit: number): TrashedFolder[] =>
      foldersIn.all({ trashId, parentId, name, limit }),
    /** Returns up to `limit` folders below all items by id, after an id. */
    foldersAfter: (id: string, limit: number): TrashedFolder[] =>
      db
        .select()
        .from(trashedFolders)
        .where(and(gt(trashedFolders.id, id), ne(trashedFolders.id, trashedFolders.parentId)))
        .orderBy(asc(trashedFolders.id))
        .limit(limit)
        .all(),
    renameFolder: (id: string, name: string): void => {
      db.update(trashedFolders).set({ name }).where(eq(trashedFolders.id, id)).run()
    },
    removeFolder: (id: string): void => {
      removeFolder.run({ id })
    },
  }
}
