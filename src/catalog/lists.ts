import { Database, type SQLQueryBindings } from 'bun:sqlite'
import { type AnyColumn, and, asc, desc, eq, getTableColumns, type SQL, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/bun-sqlite'
import type { Db } from './db.ts'
import type { FileRow } from './files.ts'
import { type FolderRow, folderQueries } from './folders.ts'
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

const COLUMNS: Record<ListOrder, AnyColumn> = {
  createdAt: files.createdAt,
  updatedAt: files.updatedAt,
  name: files.name,
  size: files.size,
}

/** The columns under the names that `FileRow` has for them. */
const AS_FILE_ROW = Object.fromEntries(
  Object.entries(getTableColumns(files)).map(([property, column]) => [property, sql`${column}`.as(property)]),
)

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
      yield* readSlices(db, reader, list)
    },

    /**
     * The tree as it stands now, to be read as often as needed until it is disposed of, whatever is written
     * meanwhile. Files come in slices, by name.
     */
    snapshot(): Snapshot {
      const reader = new Database(path, { readonly: true })
      reader.run('BEGIN')
      const { inFolder } = folderQueries(drizzle(reader, { schema }))
      return {
        filesIn: (folderId) =>
          readSlices(db, reader, { folderId, orderBy: 'name', ascending: true, offset: 0, limit: undefined }),
        foldersIn: inFolder,
        [Symbol.dispose]: () => reader.close(),
      }
    },
  }
}

export interface Snapshot extends Disposable {
  filesIn: (folderId: string) => Generator<FileRow[], void>
  /** The folders directly in another, by name. */
  foldersIn: (parentId: string) => FolderRow[]
}

function* readSlices(db: Db, reader: Database, list: FileList): Generator<FileRow[], void> {
  const { sql: text, params } = db
    .select(AS_FILE_ROW)
    .from(files)
    .where(condition(list))
    .orderBy(...order(list))
    .limit(list.limit ?? Number.MAX_SAFE_INTEGER)
    .offset(list.offset)
    .toSQL()
  let slice: FileRow[] = []
  for (const row of reader.query<FileRow, SQLQueryBindings[]>(text).iterate(...params.filter(isBinding))) {
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
  const first = (ascending ? asc : desc)(COLUMNS[orderBy])
  return orderBy === 'createdAt' ? [first, asc(files.id)] : [first, desc(files.createdAt), asc(files.id)]
}

const isBinding = (value: unknown): value is string | number =>
  typeof value === 'string' || typeof value === 'number'
