import { getTableColumns, sql } from 'drizzle-orm'
import type { BunSQLiteDatabase } from 'drizzle-orm/bun-sqlite'
import type {
  IndexColumn,
  SQLiteInsertValue,
  SQLiteTable,
  SQLiteUpdateSetSource,
} from 'drizzle-orm/sqlite-core'
import type * as schema from './schema.ts'

/** The database as the query files see it. */
export type Db = BunSQLiteDatabase<typeof schema>

/** How a row that has the same values in the columns of `target` is changed instead. */
interface Conflict<Table extends SQLiteTable> {
  target: IndexColumn[]
  set: SQLiteUpdateSetSource<Table>
}

/** Prepares what adds a row to a table: to put the statement together costs more than to run it. */
export function prepareInsert<Table extends SQLiteTable>(
  db: Db,
  table: Table,
  conflict?: Conflict<Table>,
): (row: Table['$inferSelect']) => void {
  const names = Object.keys(getTableColumns(table))
  const placeholders = Object.fromEntries(names.map((name) => [name, sql.placeholder(name)]))
  // One for each column: so it is a row, which the names alone do not show the compiler.
  const insert = db.insert(table).values(placeholders as SQLiteInsertValue<Table>)
  const statement = (conflict ? insert.onConflictDoUpdate(conflict) : insert).prepare()
  return (row) => {
    statement.run(row)
  }
}
