import { and, asc, desc, eq, gt, lte, ne, notExists, type SQLWrapper, sql } from 'drizzle-orm'
import { type Engine, prepareInsert } from '../engine/engine.ts'
import type { Query } from '../engine/query.ts'
import { rowsOf } from '../engine/rows.ts'
import { files, folderGrants, folders, trash, trashedFiles, trashedFolders } from '../schema/schema.ts'

/** File or folder in the trash. */
export type TrashRow = typeof trash.$inferSelect
export type TrashedFile = typeof trashedFiles.$inferSelect
export type TrashedFolder = typeof trashedFolders.$inferSelect

/** Number of files, and their bytes together. */
interface Amount {
  count: number
  size: number
}

/** Part of the list of items, and its order. */
export interface TrashPage {
  limit: number
  offset: number
  orderBy?: keyof TrashRow | undefined
  ascending?: boolean | undefined
}

const sum = (column: typeof trash.count | typeof trash.size) => sql<number>`coalesce(sum(${column}), 0)`

const hasId = (table: typeof trash | typeof trashedFiles | typeof trashedFolders) =>
  eq(table.id, sql.placeholder('id'))
const place = { trashId: sql.placeholder('trashId'), name: sql.placeholder('name') }

/** Walks from items of the trash to the folders that they were in, as long as these are in the trash. */
const placesOf = (which = sql``) => sql`
  WITH RECURSIVE up(id, at) AS (
    SELECT id, parent_id FROM trash ${which}
    UNION SELECT up.id, above.parent_id FROM up JOIN trashed_folders ON trashed_folders.id = up.at
      JOIN trash AS above ON above.id = trashed_folders.trash_id
  )`

/** Returns the condition that a file or folder is gone for good: neither in the tree nor in the trash. */
export const isGone = ({ db }: Pick<Engine, 'db'>, id: SQLWrapper) =>
  and(
    ...[files, folders, trashedFiles, trashedFolders].map((table) =>
      notExists(db.select({ one: sql`1` }).from(table).where(eq(table.id, id))),
    ),
  )

/** Queries of the items of the trash. */
function itemQueries(engine: Engine) {
  const { db, dialect, prepare } = engine
  const rows = rowsOf(engine, trash)
  const isListed = eq(trash.purging, false)
  const byId = rows.select(hasId(trash))
  const ids = dialect.elementsOf(sql.placeholder('ids'))
  const places = prepare(
    db
      .select({ id: sql<string>`id`, folderId: sql<string>`at` })
      .from(sql`(${placesOf(sql`WHERE id IN (${ids})`)} SELECT id, at FROM up) AS places`),
  )
  return {
    insert: prepareInsert(engine, trash).row,
    byId: (id: string): Query<TrashRow | undefined> => byId.get({ id }),
    /** Returns a part of the items that can be restored, the latest first unless it says otherwise. */
    page: ({ limit, offset, orderBy = 'deletedAt', ascending = false }: TrashPage) =>
      rows
        .select(isListed, {
          order: [(ascending ? asc : desc)(trash[orderBy]), desc(trash.deletedAt), asc(trash.id)],
          limit,
          offset,
        })
        .all(),
    /** Returns up to `limit` items that were deleted at `time` or before, the oldest first. */
    until: (time: number, limit: number) =>
      rows
        .select(and(isListed, lte(trash.deletedAt, time)), {
          order: [asc(trash.deletedAt), desc(trash.id)],
          limit,
        })
        .all(),
    /** Returns up to `limit` items that can be restored, by id, after an id. */
    after: (id: string, limit: number) =>
      rows.select(and(isListed, gt(trash.id, id)), { order: [asc(trash.id)], limit }).all(),
    /** Returns the number of items that can be restored. */
    listed: () => rows.count(isListed),
    /** Returns the folder that each of some items was in, and the folders that those in the trash were in. */
    placesOf: (ids: readonly string[]): Query<{ id: string; folderId: string }[]> =>
      places.all({ ids: JSON.stringify(ids) }),
    /** Returns the files in the trash that were in some folders, in items of their own or others, or that these have replaced. */
    totalIn: (folderIds: readonly string[]): Query<Amount> => {
      const ids = dialect.elementsOf(JSON.stringify(folderIds))
      const places = sql`${placesOf()} SELECT id FROM up WHERE at IN (${ids})`
      return prepare(
        db
          .select({ count: sum(trash.count), size: sum(trash.size) })
          .from(trash)
          .where(sql`${trash.id} IN (${places}) OR ${trash.replacedBy} IN (${ids})`),
      )
        .get()
        .into((amount) => amount ?? { count: 0, size: 0 })
    },
    /** Returns the files in the trash, those that are being removed included. */
    total: (): Query<Amount> =>
      prepare(db.select({ count: sum(trash.count), size: sum(trash.size) }).from(trash))
        .get()
        .into((amount) => amount ?? { count: 0, size: 0 }),
  }
}

/** Changes of the items of the trash. */
function itemChanges(engine: Engine) {
  const { db, prepare, body } = engine
  const trashRows = rowsOf(engine, trash)
  const folderGrantRows = rowsOf(engine, folderGrants)
  const remove = trashRows.remove(hasId(trash))
  return {
    /** Adds files to the amounts of an item; negative numbers take them away. */
    add: (id: string, { count, size }: Amount) =>
      trashRows
        .update(
          { count: sql`${trash.count} + ${count}`, size: sql`${trash.size} + ${size}` },
          eq(trash.id, id),
        )
        .run(),
    /** Marks an item for removal: it cannot be restored from then on. */
    startPurge: (id: string) => trashRows.update({ purging: true }, eq(trash.id, id)).run(),
    /** Lets what a folder has replaced be replaced by the one that takes its place. */
    follow: (folderId: string, next: string) =>
      trashRows.update({ replacedBy: next }, eq(trash.replacedBy, folderId)).run(),
    purging: () => trashRows.select(eq(trash.purging, true)).all(),
    remove: (id: string): Query<void> => remove.run({ id }),
    /** Removes an item with all its rows, and the rights of accounts in its folders. */
    removeItem: (id: string): Query<void> =>
      body(function* () {
        const gone = db
          .select({ id: trashedFolders.id })
          .from(trashedFolders)
          .where(eq(trashedFolders.trashId, id))
        yield* folderGrantRows.remove(sql`${folderGrants.folderId} IN ${gone}`).run()
        for (const table of [trashedFiles, trashedFolders])
          yield* prepare(db.delete(table).where(eq(table.trashId, id))).run()
        yield* remove.run({ id })
      }),
    /** True when an item has its bytes in this folder of `trash/`. */
    hasEntry: (entry: string) => trashRows.has(eq(trash.entry, entry)),
    /** True when an item has no more than `limit` rows of files and folders. */
    hasAtMost: (trashId: string, limit: number): Query<boolean> =>
      body(function* () {
        let rows = 0
        for (const table of [trashedFiles, trashedFolders]) {
          const some = db.select({ id: table.id }).from(table).where(eq(table.trashId, trashId))
          rows += (yield* prepare(some.limit(limit + 1)).all()).length
        }
        return rows <= limit
      }),
  }
}

/** Queries of the files in the trash. */
function heldFileQueries(engine: Engine) {
  const { dialect } = engine
  const rows = rowsOf(engine, trashedFiles)
  const file = rows.select(hasId(trashedFiles))
  const removeFiles = rows.remove(sql`${trashedFiles.id} IN (${dialect.elementsOf(sql.placeholder('ids'))})`)
  const filesIn = rows.select(
    and(
      eq(trashedFiles.trashId, place.trashId),
      eq(trashedFiles.folderId, sql.placeholder('folderId')),
      gt(trashedFiles.name, place.name),
    ),
    { order: [asc(trashedFiles.name)], limit: sql.placeholder('limit') },
  )
  return {
    insertFiles: prepareInsert(engine, trashedFiles).rows,
    file: (id: string): Query<TrashedFile | undefined> => file.get({ id }),
    /** Returns up to `limit` files of an item that are directly in one folder, by name, after a name. */
    filesIn: (trashId: string, folderId: string, name: string, limit: number): Query<TrashedFile[]> =>
      filesIn.all({ trashId, folderId, name, limit }),
    /** Returns up to `limit` files of all items by id, after an id. */
    filesAfter: (id: string, limit: number) =>
      rows.select(gt(trashedFiles.id, id), { order: [asc(trashedFiles.id)], limit }).all(),
    /** Returns up to `limit` files of an item, in the order of an index: rows that are gone would be read each time. */
    someFiles: (trashId: string, limit: number) =>
      rows
        .select(eq(trashedFiles.trashId, trashId), {
          order: [asc(trashedFiles.folderId), asc(trashedFiles.name)],
          limit,
        })
        .all(),
    renameFile: (id: string, name: string) => rows.update({ name }, eq(trashedFiles.id, id)).run(),
    removeFiles: (ids: readonly string[]): Query<void> => removeFiles.run({ ids: JSON.stringify(ids) }),
  }
}

/** Queries of the folders in the trash. */
function heldFolderQueries(engine: Engine) {
  const rows = rowsOf(engine, trashedFolders)
  const folder = rows.select(hasId(trashedFolders))
  const removeFolder = rows.remove(hasId(trashedFolders))
  const foldersIn = rows.select(
    and(
      eq(trashedFolders.trashId, place.trashId),
      eq(trashedFolders.parentId, sql.placeholder('parentId')),
      ne(trashedFolders.id, sql.placeholder('parentId')),
      gt(trashedFolders.name, place.name),
    ),
    { order: [asc(trashedFolders.name)], limit: sql.placeholder('limit') },
  )
  return {
    insertFolder: prepareInsert(engine, trashedFolders).row,
    folder: (id: string): Query<TrashedFolder | undefined> => folder.get({ id }),
    /** Returns up to `limit` folders of an item that are directly in another, by name, after a name. */
    foldersIn: (trashId: string, parentId: string, name: string, limit: number): Query<TrashedFolder[]> =>
      foldersIn.all({ trashId, parentId, name, limit }),
    /** Returns up to `limit` folders below all items by id, after an id. */
    foldersAfter: (id: string, limit: number) =>
      rows
        .select(and(gt(trashedFolders.id, id), ne(trashedFolders.id, trashedFolders.parentId)), {
          order: [asc(trashedFolders.id)],
          limit,
        })
        .all(),
    renameFolder: (id: string, name: string) => rows.update({ name }, eq(trashedFolders.id, id)).run(),
    removeFolder: (id: string): Query<void> => removeFolder.run({ id }),
  }
}

/** Queries of the trash: its items, and the rows of files and folders that belong to them. */
export const trashQueries = (engine: Engine) => ({
  ...itemQueries(engine),
  ...itemChanges(engine),
  ...heldFileQueries(engine),
  ...heldFolderQueries(engine),
})
