import { and, asc, desc, eq, gt, lt, max, ne, type SQL, sql } from 'drizzle-orm'
import { RULE_FILES } from '../../platform/names.ts'
import { type Engine, prepareInsert, type Values } from '../engine/engine.ts'
import type { Query } from '../engine/query.ts'
import { rowsOf } from '../engine/rows.ts'
import { files } from '../schema/schema.ts'
import type { FolderTree } from './folders.ts'
import { purgesOf } from './purges.ts'

export type FileRow = typeof files.$inferSelect
/** Columns of a file that may change. An `undefined` one keeps its value. */
export type FileColumns = { [Column in keyof Omit<FileRow, 'id'>]?: FileRow[Column] | undefined }
/** Columns of a file that decide access to it, lead to its bytes, and tell its states apart. */
export type FileAccess = Pick<
  FileRow,
  'id' | 'visibility' | 'mimeType' | 'isUtf8' | 'size' | 'sha256' | 'blobId' | 'updatedAt'
>

/** Prepares a query of what decides access to one file. */
export function prepareAccess({ db, prepare }: Engine, isFile: SQL | undefined) {
  // An aggregate always returns a row, so a hit and a miss take equally long.
  const statement = prepare(
    db
      .select({
        id: max(files.id),
        visibility: max(files.visibility),
        mimeType: max(files.mimeType),
        isUtf8: max(files.isUtf8),
        size: max(files.size),
        sha256: max(files.sha256),
        blobId: max(files.blobId),
        updatedAt: max(files.updatedAt),
      })
      .from(files)
      .where(isFile),
  )
  return (values: Values): Query<FileAccess | undefined> =>
    statement.get(values).into((found) => {
      if (!found) return undefined
      const { id, visibility, mimeType, size, sha256, updatedAt } = found
      if (id === null || visibility === null || mimeType === null) return undefined
      return size === null || sha256 === null || updatedAt === null
        ? undefined
        : // PostgreSQL returns the aggregate of a boolean as the stored number.
          { ...found, id, visibility, mimeType, isUtf8: Boolean(found.isUtf8), size, sha256, updatedAt }
    })
}

const hasName = and(eq(files.folderId, sql.placeholder('folderId')), eq(files.name, sql.placeholder('name')))

/** Prepares the query of what decides access to the file of a name in the folder at `segments`. */
export function prepareAccessAt(engine: Engine, tree: Pick<FolderTree, 'idAt'>) {
  const byName = prepareAccess(engine, hasName)
  return (segments: readonly string[], name: string): Query<FileAccess | undefined> =>
    engine.body(function* () {
      const folderId = yield* tree.idAt(segments)
      return folderId === undefined ? undefined : yield* byName({ folderId, name })
    })
}

/** Queries of files. */
function fileLookups(engine: Engine) {
  const { dialect } = engine
  const rows = rowsOf(engine, files)
  const isAmong = sql`${files.id} IN (${dialect.elementsOf(sql.placeholder('ids'))})`
  const byId = rows.select(eq(files.id, sql.placeholder('id')))
  const byIds = rows.select(isAmong)
  const byName = rows.select(hasName)
  const someOf = (which: SQL | undefined, limit: number, ...order: SQL[]) =>
    rows.select(which, { order, limit }).all()

  return {
    byId: (id: string): Query<FileRow | undefined> => byId.get({ id }),
    /** Returns the files among `ids`, in no order. */
    byIds: (ids: readonly string[]): Query<FileRow[]> => byIds.all({ ids: JSON.stringify(ids) }),
    /** Returns the files among `ids`. No other transaction changes them before this one ends. */
    lockAll: (ids: readonly string[]) =>
      rows.select(sql`${isAmong}${dialect.lockRows()}`).all({
        ids: JSON.stringify(ids),
      }),
    byName: (folderId: string, name: string): Query<FileRow | undefined> => byName.get({ folderId, name }),
    /** Returns up to `limit` files of one folder by name, after a name. */
    inFolderAfter: (folderId: string, name: string, limit: number): Query<FileRow[]> =>
      someOf(and(eq(files.folderId, folderId), gt(files.name, name)), limit, asc(files.name)),
    /** Returns up to `limit` files of one folder before a name, the nearest first. */
    inFolderBefore: (folderId: string, name: string, limit: number): Query<FileRow[]> =>
      someOf(and(eq(files.folderId, folderId), lt(files.name, name)), limit, desc(files.name)),
    /** Returns up to `limit` files by id, after an id. */
    after: (id: string, limit: number): Query<FileRow[]> => someOf(gt(files.id, id), limit, asc(files.id)),
    /** True when there is any file. */
    any: () => rows.has(),
  }
}

/** Changes of files, which are noted. */
function fileChanges(engine: Engine) {
  const { db, dialect, notes, prepare } = engine
  const rows = rowsOf(engine, files)
  const isAmong = sql`${files.id} IN (${dialect.elementsOf(sql.placeholder('ids'))})`
  const owed = purgesOf(engine)
  let displaced = 0
  const insert = prepareInsert(engine, files)
  const remove = prepare(
    db
      .delete(files)
      .where(eq(files.id, sql.placeholder('id')))
      .returning({ folderId: files.folderId }),
  )
  const removeOne = (id: string): Query<void> =>
    owed.ofFiles(
      [id],
      remove.get({ id }).into((row) => {
        displaced += 1
        if (row) notes.note({ of: 'left file', id, from: row.folderId })
      }),
    )
  const removeAll = rows.remove(isAmong)

  return {
    /**
     * Returns a counter that increments when any file may have moved or been deleted. While it is unchanged,
     * names in a snapshot still refer to the same files.
     */
    displacements: (): number => displaced,
    insert: (rows: readonly FileRow[]): Query<void> =>
      owed.ofRules(
        rows.filter(({ name }) => RULE_FILES.some((rule) => rule === name)).map(({ id }) => id),
        insert.rows(rows).into(() => notes.note({ of: 'new files', rows })),
      ),
    /**
     * Changes the given columns.
     *
     * @param from Folder that the file leaves.
     */
    update: (id: string, changes: FileColumns, from?: string): Query<void> =>
      owed.ofFiles(
        [id],
        owed.ofRules(
          [id],
          rows
            .update(changes, eq(files.id, id))
            .run()
            .into(() => {
              displaced += 1
              notes.note(
                from === undefined ? { of: 'changed files', ids: [id] } : { of: 'left file', id, from },
              )
            }),
        ),
      ),
    /** Changes the files among `ids` that have another visibility. */
    setVisibility: (
      ids: readonly string[],
      { visibility, updatedAt }: Pick<FileRow, 'visibility' | 'updatedAt'>,
    ): Query<void> => {
      const isOther = and(isAmong, ne(files.visibility, visibility))
      const change = rows
        .update({ visibility, updatedAt }, isOther)
        .run({ ids: JSON.stringify(ids) })
        .into(() => notes.note({ of: 'changed files', ids }))
      return visibility === 'public' ? owed.ofRules(ids, change) : owed.ofFiles(ids, change)
    },
    remove: removeOne,
    removeAll: (ids: readonly string[]): Query<void> => {
      // Several are those of a folder that has left the tree before.
      const [first] = ids
      if (first !== undefined && ids.length === 1) return removeOne(first)
      return removeAll.run({ ids: JSON.stringify(ids) }).into(() => {
        displaced += 1
      })
    },
  }
}

/** Queries of the catalog's files. */
export const fileQueries = (engine: Engine) => ({ ...fileLookups(engine), ...fileChanges(engine) })
