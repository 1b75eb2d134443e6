import { count, getTableColumns, type SQL, sql } from 'drizzle-orm'
import {
  getTableConfig,
  type SQLiteColumn,
  type SQLiteTable,
  type SQLiteUpdateSetSource,
} from 'drizzle-orm/sqlite-core'
import type { Built, Engine, Statement } from './engine.ts'
import type { Query } from './query.ts'

/** Order of rows, and the part of them: numbers, or placeholders of numbers. */
interface Part {
  order?: readonly (SQL | SQLiteColumn)[]
  limit?: Limit
  offset?: Limit
}

type Limit = number | ReturnType<typeof sql.placeholder> | undefined

/**
 * Returns the statements on whole rows of one table, which are not prepared before they run. Conditions and values may be
 * placeholders. Without a condition they are about all rows.
 */
export function rowsOf<Table extends SQLiteTable>({ db, prepare }: Engine, table: Table) {
  type Row = Table['$inferSelect']
  type Rows = Built<Row[], Row | undefined>
  return {
    select: (which?: SQL, { order = [], limit, offset }: Part = {}): Statement<Row[], Row | undefined> => {
      const selected = db
        .select()
        .from<SQLiteTable>(table)
        .where(which)
        .orderBy(...order)
        .$dynamic()
      if (limit !== undefined) selected.limit(limit)
      if (offset !== undefined) selected.offset(offset)
      return prepare(selected as Rows)
    },
    update: (changes: SQLiteUpdateSetSource<Table>, which?: SQL) =>
      prepare(db.update(table).set(changes).where(which)),
    remove: (which?: SQL) => prepare(db.delete(table).where(which)),
    /** Removes rows and returns them. */
    take: (which?: SQL): Statement<Row[], Row | undefined> =>
      prepare(db.delete<SQLiteTable>(table).where(which).returning() as Rows),
    /** Removes up to `limit` rows and returns how many. */
    removeSome: (which: SQL | undefined, limit: number): Query<number> => {
      const key = sql.join(keyOf(table), sql`, `)
      const some = db.select({ key }).from<SQLiteTable>(table).where(which).limit(limit)
      return prepare(db.delete(table).where(sql`(${key}) IN ${some}`)).change()
    },
    count: (which?: SQL): Query<number> =>
      prepare(db.select({ count: count() }).from<SQLiteTable>(table).where(which))
        .get()
        .into((row) => row?.count ?? 0),
    has: (which?: SQL): Query<boolean> =>
      prepare(db.select({ one: sql`1` }).from<SQLiteTable>(table).where(which).limit(1))
        .get()
        .into((row) => row !== undefined),
  }
}

/** Returns the columns of the primary key of a table. */
function keyOf(table: SQLiteTable): SQLiteColumn[] {
  const [primaryKey] = getTableConfig(table).primaryKeys
  return primaryKey?.columns ?? Object.values(getTableColumns(table)).filter((column) => column.primary)
}
