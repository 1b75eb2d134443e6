import { afterAll, beforeAll, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { migrations } from '../../drizzle/postgres/migrations.ts'
import RELEASED from '../../drizzle/released.json'
import { migrate } from '../../src/catalog/postgres/migrate.ts'
import { startPostgres, type TestPostgres } from '../support/postgres.ts'

let server: TestPostgres
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server[Symbol.dispose]())

interface Column {
  table: string
  name: string
  type: string
}

/** Reads the columns that take values, by table, of all tables but the one of the version. */
async function columnsOf(sql: SQL): Promise<Map<string, Column[]>> {
  const columns: Column[] =
    await sql`SELECT table_name AS table, column_name AS name, data_type AS type FROM information_schema.columns
      WHERE table_name IN (SELECT tablename FROM pg_tables WHERE schemaname = 'public')
      AND table_name <> 'schema_version' AND is_identity = 'NO' AND is_generated = 'NEVER'
      ORDER BY table_name, ordinal_position`
  return Map.groupBy(columns, ({ table }) => table)
}

const VALUES: Record<string, (column: Column, n: number) => string> = {
  text: ({ table, name }, n) => `${table} ${name} ${n}`,
  bigint: (_, n) => String(n + 1),
  boolean: (_, n) => String(n % 2 === 0),
  xid8: (_, n) => String(n + 1),
  'timestamp with time zone': (_, n) => `2026-11-2${n}T00:00:00Z`,
}

/** Adds three rows to each table. No trigger changes them, and none refers to another. */
async function fill(sql: SQL): Promise<void> {
  await sql`SET session_replication_role = replica`
  for (const [table, columns] of await columnsOf(sql))
    for (const n of [0, 1, 2]) {
      const names = columns.map(({ name }) => `"${name}"`).join(', ')
      const places = columns.map((_, index) => `$${index + 1}`).join(', ')
      const values = columns.map((column) => VALUES[column.type]?.(column, n) ?? null)
      await sql.unsafe(`INSERT INTO "${table}" (${names}) VALUES (${places})`, values)
    }
  await sql`SET session_replication_role = DEFAULT`
}

/** Returns the rows of tables as JSON, with these columns only. */
async function rowsOf(sql: SQL, tables: Map<string, Column[]>): Promise<[string, string[]][]> {
  const found: [string, string[]][] = []
  for (const [table, columns] of tables) {
    const list = columns.map(({ name }) => `"${name}"`).join(', ')
    const rows: { row: string }[] = await sql.unsafe(
      `SELECT to_json(r)::text AS row FROM (SELECT ${list} FROM "${table}") AS r ORDER BY 1`,
    )
    found.push([table, rows.map(({ row }) => row)])
  }
  return found
}

test.each(Object.entries(RELEASED))(
  'a database of release %s on PostgreSQL migrates with every value of every row',
  async (_, { postgres: { count } }) => {
    const url = server.createDatabase()
    await using sql = new SQL({ url, max: 1 })
    for (const text of migrations.slice(0, count)) await sql.unsafe(text)
    await sql`CREATE TABLE schema_version (version bigint NOT NULL)`
    await sql`INSERT INTO schema_version VALUES (${count})`
    await fill(sql)
    const tables = await columnsOf(sql)
    const before = await rowsOf(sql, tables)

    await migrate(url)

    expect(before.filter(([, rows]) => rows.length !== 3)).toEqual([])
    expect(await rowsOf(sql, tables)).toEqual(before)
    const [version] = await sql`SELECT version FROM schema_version`
    expect(version).toEqual({ version: String(migrations.length) })
  },
)
