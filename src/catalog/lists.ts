import { and, asc, desc, eq, getTableColumns, type SQL, sql } from 'drizzle-orm'
import type { Db, Engine } from './engine.ts'
import type { FileRow } from './files.ts'
import type { Query } from './query.ts'
import type { Snapshot } from './readers.ts'
import { files } from './schema.ts'

export type ListOrder = 'createdAt' | 'updatedAt' | 'name' | 'size'

/** Filter, order and part of a list of files. */
export interface FileList {
  /** Only files directly in this folder. */
  folderId?: string | undefined
  /** Only files with exactly this name, in any folder. */
  name?: string | undefined
  orderBy: ListOrder
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
interface QueryText {
  text: string
  params: readonly (string | number)[]
}

/** Texts of the queries of lists that are read from a snapshot. */
export function listTexts({ db }: Engine) {
  return {
    ofList: (list: FileList): QueryText => compile(db, list, ALL_COLUMNS),
    /** Returns the text for the files directly in one folder. It is written once for all folders. */
    inFolders(columns: readonly Column[]): (folderId: string) => QueryText {
      // The folder's id is the first parameter.
      const { text, params } = compile(db, byName(''), columns)
      return (folderId) => ({ text, params: [folderId, ...params.slice(1)] })
    },
  }
}

/** Queries of file lists: short ones from the current catalog, long ones from a snapshot. */
export function listQueries(engine: Engine) {
  const { db, prepare } = engine
  const texts = listTexts(engine)
  return {
    /** Returns the whole list at once; it must be known to be short. */
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

    /** Yields a list of any length in time slices. */
    rows(snapshot: Snapshot, list: FileList): Generator<FileRow[], void> {
      const { text, params } = texts.ofList(list)
      return snapshot.rows(text, params)
    },

    /** Returns a list at once, as it is in a snapshot; it must be known to be short. */
    pageOf(snapshot: Snapshot, list: FileList): Query<FileRow[]> {
      const { text, params } = texts.ofList(list)
      return snapshot.all(text, params)
    },

    /** Yields some columns of the files directly in some folders, by name, in time slices. */
    inFolders<Asked extends Column>(
      snapshot: Snapshot,
      columns: readonly Asked[],
    ): (folderId: string) => Generator<Pick<FileRow, Asked>[], void> {
      const textFor = texts.inFolders(columns)
      return (folderId) => {
        const { text, params } = textFor(folderId)
        return snapshot.rows(text, params)
      }
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
