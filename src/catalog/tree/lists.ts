import { and, asc, desc, eq, getTableColumns, inArray, type SQL, sql } from 'drizzle-orm'
import type { Dialect } from '../engine/dialect.ts'
import type { Engine } from '../engine/engine.ts'
import type { Query } from '../engine/query.ts'
import { rowsOf } from '../engine/rows.ts'
import { files } from '../schema/schema.ts'
import type { FileRow } from './files.ts'

/** Filter, order and part of a list of files. */
export interface FileList {
  /** Only files directly in this folder. */
  folderId?: string | undefined
  /** Only files directly in one of these folders. */
  folderIds?: readonly string[] | undefined
  /** Only these files. */
  ids?: readonly string[] | undefined
  /** Only files with exactly this name, in any folder. */
  name?: string | undefined
  orderBy: keyof FileRow
  ascending: boolean
  /** Number of files to skip. */
  offset: number
  /** Maximum number of files; `undefined` for all. */
  limit: number | undefined
}

type Column = keyof FileRow
const ALL_COLUMNS = Object.keys(getTableColumns(files)) as Column[]

/** Aliases columns to their names in `FileRow`. */
const named = (columns: readonly Column[]) =>
  Object.fromEntries(columns.map((column) => [column, sql`${files[column]}`.as(column)]))

/** Text of a query, with the values of its parameters. */
export interface QueryText {
  text: string
  params: readonly (string | number)[]
}

export type ListQueries = ReturnType<typeof listQueries>

/** Queries of file lists. Long ones are read from a snapshot by their texts. */
export function listQueries(engine: Engine) {
  const { db, dialect, prepare } = engine
  const rows = rowsOf(engine, files)
  const part = (list: FileList) => [list.limit ?? Number.MAX_SAFE_INTEGER, list.offset] as const
  return {
    /** Returns a whole list at once; it must be known to be short. */
    page: (list: FileList): Query<FileRow[]> => {
      const [limit, offset] = part(list)
      const isOfMany = list.folderIds !== undefined && list.orderBy === 'createdAt'
      const which = condition(dialect, list)
      if (!isOfMany) return rows.select(which, { order: order(list), limit, offset }).all()
      // An index has all that the order needs, so the other columns are read of the rows of the page only.
      const ids = db
        .select({ id: files.id })
        .from(files)
        .where(which)
        .orderBy(...order(list))
        .limit(limit)
        .offset(offset)
      const first = (list.ascending ? asc : desc)(dialect.withoutIndex(files.createdAt))
      return rows.select(inArray(files.id, ids), { order: [first, asc(files.id)] }).all()
    },
    /** Returns the files of a list and their folders by their ids, without other columns. */
    places: (list: FileList): Query<Pick<FileRow, 'id' | 'folderId'>[]> => {
      const [limit, offset] = part(list)
      return prepare(
        db
          .select({ id: files.id, folderId: files.folderId })
          .from(files)
          .where(condition(dialect, list))
          .orderBy(...order(list))
          .limit(limit)
          .offset(offset),
      ).all()
    },
    /** Returns the text of a list. */
    text: (list: FileList): QueryText => compile({ db, dialect }, list, ALL_COLUMNS),
    /** Returns the texts for the files directly in a folder, by name. They are written once for all folders. */
    textFor: (columns: readonly Column[]): ((folderId: string) => QueryText) => {
      // The folder's id is the first parameter.
      const { text, params } = compile({ db, dialect }, byName(''), columns)
      return (folderId) => ({ text, params: [folderId, ...params.slice(1)] })
    },
  }
}

const byName = (folderId: string): FileList => ({
  folderId,
  orderBy: 'name',
  ascending: true,
  offset: 0,
  limit: undefined,
})

function compile(
  { db, dialect }: Pick<Engine, 'db' | 'dialect'>,
  list: FileList,
  columns: readonly Column[],
) {
  const { sql: text, params } = db
    .select(named(columns))
    .from(files)
    .where(condition(dialect, list))
    .orderBy(...order(list))
    .limit(list.limit ?? Number.MAX_SAFE_INTEGER)
    .offset(list.offset)
    .toSQL()
  return { text, params: params.filter(isBinding) }
}

function condition(dialect: Dialect, { ids, folderId, folderIds, name }: FileList): SQL | undefined {
  return and(
    ids && sql`${files.id} IN (${dialect.elementsOf(JSON.stringify(ids))})`,
    folderIds && sql`${files.folderId} IN (${dialect.elementsOf(JSON.stringify(folderIds))})`,
    folderId === undefined ? undefined : eq(files.folderId, folderId),
    name === undefined ? undefined : eq(files.name, name),
  )
}

/** Ties fall back to newest first, then id, so that pages never overlap. */
function order({ orderBy, ascending }: FileList): SQL[] {
  const first = (ascending ? asc : desc)(files[orderBy])
  return orderBy === 'createdAt' ? [first, asc(files.id)] : [first, desc(files.createdAt), asc(files.id)]
}

const isBinding = (value: unknown): value is string | number =>
  typeof value === 'string' || typeof value === 'number'
