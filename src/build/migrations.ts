import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  generateDrizzleJson,
  generateMigration,
  generateSQLiteDrizzleJson,
  generateSQLiteMigration,
} from 'drizzle-kit/api'
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
import * as schema from '../catalog/schema/schema.ts'

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
  if (column.default !== undefined) {
    const value = String(column.mapToDriverValue(column.default))
    made.default(sql.raw(column.getSQLType() === 'text' ? `'${value}'` : value))
  }
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

const postgresTables = tablesOf(
  Object.values(schema)
    .filter((one) => is(one, SQLiteTable))
    .filter((table) => !VIEWS.includes(getTableConfig(table).name)),
)

interface Changes {
  /** Statements that bring the last migration to the schema. */
  statements: string[]
  /** Schema as drizzle-kit describes it, which the next migration starts from. */
  snapshot: object
}

/** Kind of database, with the folder of its migrations. */
export interface Migrated {
  folder: string
  /** Text between two statements of a migration. */
  separator: string
  /** Compares the schema with the snapshot of the last migration. */
  changes: () => Promise<Changes>
}

const ROOT = join(import.meta.dir, '../../drizzle')
const placeOfSnapshot = (folder: string) => join(folder, 'meta/snapshot.json')
const readSnapshot = (folder: string) => JSON.parse(readFileSync(placeOfSnapshot(folder), 'utf8'))

const SQLITE: Migrated = {
  folder: ROOT,
  separator: '\n--> statement-breakpoint\n',
  async changes() {
    const snapshot = await generateSQLiteDrizzleJson(schema)
    return { statements: await generateSQLiteMigration(readSnapshot(this.folder), snapshot), snapshot }
  },
}

const POSTGRES: Migrated = {
  folder: join(ROOT, 'postgres'),
  separator: '\n',
  async changes() {
    const snapshot = generateDrizzleJson(Object.fromEntries(postgresTables.entries()))
    const statements = await generateMigration(readSnapshot(this.folder), snapshot)
    return { statements: statements.map((text) => text.replaceAll('"public".', '')), snapshot }
  },
}

export const ENGINES = { sqlite: SQLITE, postgres: POSTGRES }

const migrationsIn = (folder: string) =>
  readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .toSorted()

/** Migrations of a release, which never change after it: how many, and the checksum of their names and texts. */
export interface Released {
  count: number
  sha256: string
}

/** Describes the first `count` migrations of a folder, or all. */
export function releasedOf(folder: string, count = migrationsIn(folder).length): Released {
  const hasher = new Bun.CryptoHasher('sha256')
  for (const file of migrationsIn(folder).slice(0, count))
    hasher.update(`${file}\n${readFileSync(join(folder, file), 'utf8')}\n`)
  return { count, sha256: hasher.digest('hex') }
}

/** Returns the text of `migrations.ts` in a folder: every migration there in order, as text inside the program. */
export function listOf(folder: string): string {
  const files = migrationsIn(folder)
  const names = files.map((file) => file.slice(5, -4).replace(/_(.)/g, (_, letter) => letter.toUpperCase()))
  const imports = files.map((file, n) => `import ${names[n]} from './${file}' with { type: 'text' }\n`)
  const [head = ''] = /\/\*\*.*= \[\n/s.exec(readFileSync(join(folder, 'migrations.ts'), 'utf8')) ?? []
  return `${imports.join('')}\n${head}${names.map((name) => `  ${name},\n`).join('')}]\n`
}

/** Writes the migration of an engine to the schema, unless there is nothing to change. */
export async function generate(engine: Migrated, name: string): Promise<void> {
  const { folder, separator } = engine
  const { statements, snapshot } = await engine.changes()
  if (statements.length === 0) return
  const count = migrationsIn(folder).length
  const text = statements.join(separator).replace(/;\s*$/, '')
  writeFileSync(join(folder, `${String(count).padStart(4, '0')}_${name}.sql`), text)
  writeFileSync(placeOfSnapshot(folder), `${JSON.stringify(snapshot, undefined, 2)}\n`)
  writeFileSync(join(folder, 'migrations.ts'), listOf(folder))
}

// Usage: bun run db:generate <name>
if (import.meta.main) {
  const [name = 'change'] = process.argv.slice(2)
  for (const engine of Object.values(ENGINES)) await generate(engine, name)
}
