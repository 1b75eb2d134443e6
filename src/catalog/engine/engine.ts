import { getTableColumns, sql } from 'drizzle-orm'
import type { BunSQLiteDatabase } from 'drizzle-orm/bun-sqlite'
import type {
  IndexColumn,
  SQLiteInsertValue,
  SQLiteTable,
  SQLiteUpdateSetSource,
} from 'drizzle-orm/sqlite-core'
import type * as schema from '../schema/schema.ts'
import type { Dialect } from './dialect.ts'
import type { Note, Notes } from './notes.ts'
import type { Query, Work } from './query.ts'

/** Builder of the SQL that the query files are written in. It runs nothing by itself. */
export type Db = Pick<BunSQLiteDatabase<typeof schema>, 'delete' | 'insert' | 'select' | 'update'>

/** Values of a statement's placeholders by name. */
export type Values = Record<string, unknown>

/** Statement that the builder has made, with the types of all rows of its result and of the first. */
export interface Built<All, First> {
  prepare: () => {
    getQuery: () => { sql: string }
    all: (values?: Values) => All
    get: (values?: Values) => First
    run: (values?: Values) => unknown
  }
}

/** Declared statement. Its functions return queries. */
export interface Statement<All, First> {
  /** Returns all rows. */
  all: (values?: Values) => Query<All>
  /** Returns the first row. */
  get: (values?: Values) => Query<First>
  /** Runs it for its effect. */
  run: (values?: Values) => Query<void>
  /** Runs it for its effect, once with each of `values`. */
  each: (values: readonly Values[]) => Query<void>
  /** Returns the number of rows that it has changed, without those that triggers changed. */
  change: (values?: Values) => Query<number>
  /** Runs it once with each of `values`, and returns the number of rows that it has changed as `change` does. */
  changeEach: (values: readonly Values[]) => Query<number>
}

/**
 * Purges that changes of public files owe a cache in front: none, one for a folder, or beside it one for each file below,
 * because the cache knows addresses only.
 */
export type Owes = 'nothing' | 'folders' | 'files'

/** Database that prepares and runs queries. */
export interface Engine {
  readonly db: Db
  readonly dialect: Dialect
  readonly notes: Notes
  readonly owes: Owes
  /**
   * Declares a statement, which is built and prepared when it first runs. Building one costs more than running it, so
   * those without choices are declared once.
   */
  prepare: <All, First>(built: Built<All, First>) => Statement<All, First>
  /** Returns a body as one query. */
  body: <Value>(work: () => Work<Value>) => Query<Value>
}

/** Statements that change access, or a list other than files and folders. Updates of a time of use are not noted. */
const NOTED =
  /^(insert|update|delete)(?: into| from)? "(trash|shares|share_items|users|api_keys|quotas|folder_grants|sessions|settings|webhooks|invitations)"(?! set "used_at")/

/** Returns the note of each run of a statement, by its SQL. */
export function noteOfWrite(text: string): Note | undefined {
  const [, verb, table] = NOTED.exec(text) ?? []
  return table === undefined ? undefined : { of: 'write', statement: `${verb} ${table}` }
}

/** Columns to change instead when a row with the same values in `target` exists. */
interface Conflict<Table extends SQLiteTable> {
  target: IndexColumn[]
  set: SQLiteUpdateSetSource<Table>
}

/** Prepares an insert. */
export function prepareInsert<Table extends SQLiteTable>(
  { db, prepare }: Engine,
  table: Table,
  conflict?: Conflict<Table>,
) {
  type Row = Table['$inferSelect']
  const names = Object.keys(getTableColumns(table))
  const placeholders = Object.fromEntries(names.map((name) => [name, sql.placeholder(name)]))
  // There is one placeholder per column, so this is a whole row; the compiler cannot see that.
  const insert = db.insert(table).values(placeholders as SQLiteInsertValue<Table>)
  const statement = prepare(conflict ? insert.onConflictDoUpdate(conflict) : insert)
  const row: (row: Row) => Query<void> = statement.run
  const rows: (rows: readonly Row[]) => Query<void> = statement.each
  return { row, rows }
}
