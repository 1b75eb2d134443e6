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

/** Columns to change instead when a row with the same values in `target` exists. */
interface Conflict<Table extends SQLiteTable> {
  target: IndexColumn[]
  set: SQLiteUpdateSetSource<Table>
}

/** Prepares an insert: building the statement costs more than running it. */
export function prepareInsert<Table extends SQLiteTable>(
  db: Db,
  table: Table,
  conflict?: Conflict<Table>,
): (row: Table['$inferSelect']) => void {
  const names = Object.keys(getTableColumns(table))
  const placeholders = Object.fromEntries(names.map((name) => [name, sql.placeholder(name)]))
  // There is one placeholder per column, so this is a whole row; the compiler cannot see that.
  const insert = db.insert(table).values(placeholders as SQLiteInsertValue<Table>)
  const statement = (conflict ? insert.onConflictDoUpdate(conflict) : insert).prepare()
  return (row) => {
    statement.run(row)
  }
}
