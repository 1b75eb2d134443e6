import { is, type SQLWrapper, sql } from 'drizzle-orm'
import {
  bigint,
  check,
  customType,
  foreignKey,
  index,
  type PgColumn,
  type PgTable,
  pgTable,
  primaryKey,
  uniqueIndex,
} from 'drizzle-orm/pg-core'
import {
  type ForeignKey,
  getTableConfig,
  type Index,
  SQLiteColumn,
  SQLiteSyncDialect,
  SQLiteTable,
} from 'drizzle-orm/sqlite-core'
import * as schema from '../../src/catalog/schema.ts'

/** Totals, which PostgreSQL counts in its own way: its migrations make views of them. */
const VIEWS = ['file_totals', 'file_days', 'folder_sizes', 'folder_total', 'version_total', 'uploader_totals']

const dialect = new SQLiteSyncDialect()
const rawSql = (part: SQLWrapper) => sql.raw(dialect.sqlToQuery(part.getSQL(), 'indexes').sql)

const orderedText = customType<{ data: string }>({ dataType: () => 'text COLLATE "C"' })

function columnOf(column: SQLiteColumn) {
  const made =
    column.getSQLType() === 'text' ? orderedText(column.name) : bigint(column.name, { mode: 'number' })
  if (column.notNull) made.notNull()
  if (column.primary) made.primaryKey()
  if (column.isUnique) made.unique(column.uniqueName)
  if (column.default !== undefined) made.default(sql.raw(String(column.mapToDriverValue(column.default))))
  return made
}

function indexOf({ config: { name, unique, columns, where } }: Index) {
  const [first = sql``, ...others] = columns.map((part) =>
    is(part, SQLiteColumn) ? sql.raw(`"${part.name}"`) : rawSql(part),
  )
  const made = (unique ? uniqueIndex : index)(name).on(first, ...others)
  return where ? made.where(rawSql(where)) : made
}

/**
 * Makes the tables of PostgreSQL from those of SQLite, which are their only source. Text has the order of its bytes,
 * and every other value is stored as SQLite stores it: numbers and booleans as integers, JSON as text.
 */
function tablesOf(tables: readonly SQLiteTable[]): PgTable[] {
  const made = new Map<string, PgTable>()
  const columnOfMade = (table: string, column: string) => {
    const found = Object.entries(made.get(table) ?? {}).find(([name]) => name === column)
    return found?.[1] as PgColumn
  }
  const referenceOf = (foreign: ForeignKey, table: string) => {
    const { columns, foreignColumns, foreignTable } = foreign.reference()
    const { name } = getTableConfig(foreignTable as SQLiteTable)
    return foreignKey({
      name: foreign.getName(),
      columns: columns.map((column) => columnOfMade(table, column.name)) as [PgColumn],
      foreignColumns: foreignColumns.map((column) => columnOfMade(name, column.name)) as [PgColumn],
    }).onDelete(foreign.onDelete ?? 'no action')
  }
  for (const table of tables) {
    const { name, columns, indexes, foreignKeys, primaryKeys, checks } = getTableConfig(table)
    const own = Object.fromEntries(columns.map((column) => [column.name, columnOf(column)]))
    const extras = () => [
      ...indexes.map(indexOf),
      ...foreignKeys.map((foreign) => referenceOf(foreign, name)),
      ...primaryKeys.map((key) =>
        primaryKey({ columns: key.columns.map((column) => columnOfMade(name, column.name)) as [PgColumn] }),
      ),
      ...checks.map((one) => check(one.name, rawSql(one.value))),
    ]
    made.set(name, pgTable(name, own, extras))
  }
  return [...made.values()]
}

const sources = Object.values(schema).filter((one) => is(one, SQLiteTable))

/** Tables of PostgreSQL by their names. */
export const postgresTables = Object.fromEntries(
  tablesOf(sources.filter((table) => !VIEWS.includes(getTableConfig(table).name))).map((table, at) => [
    at,
    table,
  ]),
)
