import { and, asc, desc, eq, getTableColumns, type SQL, sql } from 'drizzle-orm'
import type { Db, Engine } from '../engine/engine.ts'
import type { Query } from '../engine/query.ts'
import { files } from '../schema/schema.ts'
import type { FileRow } from './files.ts'

/** Filter, order and part of a list of files. */
export interface FileList {
  /** Only files directly in this folder. */
  folderId?: string | undefined
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
export function listQueries({ db, prepare }: Engine) {
  return {
    /** Returns a whole list at once; it must be known to be short. */
    page: (list: FileList): Query<FileRow[]> =>
      prepare(
        db
          .select()
          .from(files)
          .where(condition(list))
          .orderBy(...order(list))
          .limit(list.limit ?? Number.MAX_SAFE_INTEGER)
          .offset(list.offset),
      ).all(),
    /** Returns the text of a list. */
    text: (list: FileList): QueryText => compile(db, list, ALL_COLUMNS),
    /** Returns the texts for the files directly in a folder, by name. They are written once for all folders. */
    textFor: (columns: readonly Column[]): ((folderId: string) => QueryText) => {
      // The folder's id is the first parameter.
      const { text, params } = compile(db, byName(''), columns)
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

function compile(db: Db, list: FileList, columns: readonly Column[]) {
  const { sql: text, params } = db
    .select(named(columns))
    .from(files)
    .where(condition(list))
    .orderBy(...order(list))
    .limit(list.limit ?? Number.MAX_SAFE_INTEGER)
    .offset(list.offset)
    .toSQL()
  return { text, params: params.filter(isBinding) }
}

function condition({ folderId, name }: FileList): SQL | undefined {
  return and(
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
