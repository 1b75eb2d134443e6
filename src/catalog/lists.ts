import { Database, type SQLQueryBindings } from 'bun:sqlite'
import { and, asc, desc, eq, getTableColumns, type SQL, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/bun-sqlite'
import type { Db } from './db.ts'
import type { FileRow } from './files.ts'
import { type FolderRow, prepareFoldersIn } from './folders.ts'
import * as schema from './schema.ts'

export type ListOrder = 'createdAt' | 'updatedAt' | 'name' | 'size'

/** Which files, in which order, and which part of them. */
export interface FileList {
  /** Only those directly in this folder. */
  folderId?: string | undefined
  /** Only those of exactly this name, in any folder. */
  name?: string | undefined
  orderBy: ListOrder
  ascending: boolean
  /** Files to skip. */
  offset: number
  /** Files at most; `undefined` for all. */
  limit: number | undefined
}

/** Rows read at once from a long list, so that other requests wait no longer than for these. */
const SLICE_ROWS = 100

const { files } = schema

type Column = keyof FileRow
const ALL_COLUMNS = Object.keys(getTableColumns(files)) as Column[]

/** Columns under the names that `FileRow` has for them. */
const named = (columns: readonly Column[]) =>
  Object.fromEntries(columns.map((column) => [column, sql`${files[column]}`.as(column)]))

/** The catalog's lists of files, in the database at `path`. */
export function listQueries(db: Db, path: string) {
  return {
    /** The whole list at once, for one that is known to be short. */
    page: (list: FileList): FileRow[] =>
      db
        .select()
        .from(files)
        .where(condition(list))
        .orderBy(...order(list))
        .limit(list.limit ?? Number.MAX_SAFE_INTEGER)
        .offset(list.offset)
        .all(),

    /**
     * A list of any length in slices, as it stands when the first one is taken. It has a connection of its
     * own: while it waits for a slow client, others write, and read what they wrote.
     */
    *slices(list: FileList): Generator<FileRow[], void> {
      using reader = new Database(path, { readonly: true })
      const { text, params } = compile(db, list, ALL_COLUMNS)
      yield* inSlices(reader.query<FileRow, SQLQueryBindings[]>(text).iterate(...params))
    },

    /**
     * The tree as it stands now, of each file some columns, to be read as often as needed until it is disposed of,
     * whatever is written meanwhile.
     */
    snapshot<Asked extends Column>(columns: readonly Asked[]): Snapshot<Pick<FileRow, Asked>> {
      const reader = new Database(path, { readonly: true })
      reader.run('BEGIN')
      // Put together once for all folders. A folder's id is its first parameter.
      const { text, params } = compile(db, byName(''), columns)
      const files = reader.query<Pick<FileRow, Asked>, SQLQueryBindings[]>(text)
      return {
        filesIn: (folderId) => inSlices(files.iterate(folderId, ...params.slice(1))),
        foldersIn: prepareFoldersIn(drizzle(reader, { schema })),
        [Symbol.dispose]: () => reader.close(),
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

export interface Snapshot<Row> extends Disposable {
  /** The files directly in a folder, by name, in slices; those of one folder are taken before another's are asked for. */
  filesIn: (folderId: string) => Generator<Row[], void>
  /** The folders directly in another, by name. */
  foldersIn: (parentId: string) => FolderRow[]
}

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

function* inSlices<Row>(rows: Iterable<Row>): Generator<Row[], void> {
  let slice: Row[] = []
  for (const row of rows) {
    slice.push(row)
    if (slice.length < SLICE_ROWS) continue
    yield slice
    slice = []
  }
  if (slice.length > 0) yield slice
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
