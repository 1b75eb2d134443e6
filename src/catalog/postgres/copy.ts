import type { Database, SQLQueryBindings } from 'bun:sqlite'
import { is } from 'drizzle-orm'
import { getTableConfig, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { StartError } from '../../platform/errors.ts'
import { FILLING } from '../instance/settings.ts'
import * as schema from '../schema/schema.ts'
import { openDatabase, openToRead } from '../sqlite/database.ts'
import type { Connection } from './connection.ts'
import { migrateOn } from './migrate.ts'

type Values = (string | number | null)[]

/** Table of both engines, with the names of its columns and of those of its primary key. */
interface Table {
  name: string
  columns: string[]
  key: string[]
}

/** Tables that triggers fill from the others. */
const COUNTED = [
  schema.fileTotals,
  schema.fileDays,
  schema.folderSizes,
  schema.folderTotal,
  schema.versionTotal,
  schema.uploaderTotals,
  schema.hostingTotals,
]
/** Tables whose rows others refer to. They come first. */
const PARENTS: SQLiteTable[] = [schema.users, schema.folders, schema.files, schema.shares]

/** Tables in an order in which rows may be inserted. */
const TABLES: readonly Table[] = [
  ...PARENTS,
  ...Object.values(schema).filter(
    (table): table is typeof table & SQLiteTable =>
      is(table, SQLiteTable) && !PARENTS.includes(table) && !COUNTED.some((counted) => counted === table),
  ),
].map((table) => {
  const { name, columns, primaryKeys } = getTableConfig(table)
  const key = primaryKeys[0]?.columns ?? columns.filter(({ primary }) => primary)
  return { name, columns: columns.map((column) => column.name), key: key.map((column) => column.name) }
})

/** Rows that are sent or fetched at a time. */
const BATCH_ROWS = 1000
/** Deadline of the statements of a copy, in milliseconds: an index may be large. */
const COPY_MS = 600_000
/** Time after which the server ends a snapshot whose reader hangs. */
const IDLE = '60s'

const isFolders = ({ name }: Table) => name === getTableConfig(schema.folders).name

/** Folders in an order in which each comes after the one that it is in. A folder outside the tree is in itself. */
const PARENTS_FIRST = `(WITH RECURSIVE tree (id, depth) AS (
    SELECT id, 0 FROM folders WHERE parent_id IS NULL OR parent_id = id
    UNION ALL SELECT child.id, depth + 1 FROM tree JOIN folders AS child ON child.parent_id = tree.id AND child.id <> tree.id)
  SELECT folders.* FROM tree JOIN folders USING (id) ORDER BY depth)`

const listOf = (names: readonly string[]) => names.map((name) => `"${name}"`).join(', ')

/**
 * Copies all rows of a database in SQLite to an empty one in PostgreSQL, inside the transaction of the connection.
 *
 * @throws {PostgresFailure}
 */
export async function copyToPostgres(path: string, connection: Connection): Promise<void> {
  const sqlite = openToRead(path)
  try {
    for (const table of TABLES) {
      const columns = listOf(table.columns)
      const insert = `INSERT INTO "${table.name}" (${columns})
        SELECT ${columns} FROM json_populate_recordset(NULL::"${table.name}", $1::text::json)`
      let batch: Record<string, unknown>[] = []
      const send = async () => {
        await connection.query(insert, [JSON.stringify(batch)], COPY_MS)
        batch = []
      }
      for (const row of rowsInSqlite(sqlite, table, isFolders(table) ? PARENTS_FIRST : undefined)) {
        batch.push(Object.fromEntries(table.columns.map((name, index) => [name, row[index]])))
        if (batch.length === BATCH_ROWS) await send()
      }
      await send()
    }
  } finally {
    sqlite.close()
  }
}

/**
 * Fills an empty database in PostgreSQL with all rows of one in SQLite, in one transaction. One that has exactly these
 * rows stays as it is.
 *
 * @throws {StartError} when it has others.
 */
async function fillPostgres(path: string, connection: Connection): Promise<void> {
  await connection.script('BEGIN')
  await connection.query('DELETE FROM instance WHERE name = $1', [FILLING])
  if (await isEmpty(connection)) {
    await copyToPostgres(path, connection)
    if (!(await hasSameRows(path, connection))) throw new Error('The copied rows differ')
  } else if (!(await hasSameRows(path, connection))) throw notEmpty(connection)
  await connection.query('COMMIT', [], COPY_MS)
  await connection.query('ANALYZE', [], COPY_MS)
}

const notEmpty = ({ name }: Connection) =>
  new StartError(`The database "${name}" is not empty. Nothing was changed in it.`)

const MARK = `INSERT INTO instance (name, value) VALUES ('${FILLING}', 'true')`

/**
 * Migrates a database, asserts that it has no rows yet, or those of this instance, and marks an empty one.
 *
 * @throws {StartError}
 */
async function assertFillable(connection: Connection, volumeId: string): Promise<void> {
  await migrateOn(connection, MARK)
  const { rows } = await connection.query("SELECT value FROM instance WHERE name = 'volumeId'")
  if (rows[0] !== undefined && rows[0][0] !== volumeId) throw notEmpty(connection)
  if (await isEmpty(connection)) await connection.query(MARK)
}

async function isEmpty(connection: Connection): Promise<boolean> {
  const tables = TABLES.map(({ name }) => `EXISTS (SELECT 1 FROM "${name}")`)
  return (await connection.query(`SELECT ${tables.join(' OR ')}`)).rows[0]?.[0] === false
}

/** Returns a database in PostgreSQL as the target of a move or restore. No server runs on it meanwhile. */
export const targetOn = (connection: Connection) => ({
  assertFillable: (volumeId: string): Promise<void> => assertFillable(connection, volumeId),
  fill: (path: string): Promise<void> => fillPostgres(path, connection),
})

/** Returns true when a database in PostgreSQL has exactly the rows of one in SQLite. */
export async function hasSameRows(path: string, connection: Connection): Promise<boolean> {
  const sqlite = openToRead(path)
  try {
    for (const table of TABLES)
      if (
        (await digestOf(rowsInSqlite(sqlite, table))) !== (await digestOf(rowsInPostgres(connection, table)))
      )
        return false
    return true
  } finally {
    sqlite.close()
  }
}

/**
 * Copies all rows of a database in PostgreSQL to a new one in SQLite, as they stand at one moment. Rows alone are read in
 * its transaction, so it is as short as the database is small. The pieces of unfinished uploads are doomed: their uploads
 * stay behind.
 *
 * @throws {PostgresFailure}
 */
export async function copyFromPostgres(connection: Connection, path: string): Promise<void> {
  const sqlite = openDatabase(path)
  try {
    // A folder may be inserted before the one that it is in.
    sqlite.run('PRAGMA foreign_keys = OFF')
    sqlite.run('BEGIN')
    await connection.script(
      `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL idle_in_transaction_session_timeout = '${IDLE}'`,
    )
    for (const table of TABLES) await copyTable(connection, sqlite, table)
    await doomPieces(connection, sqlite)
    await connection.query('ROLLBACK')
    sqlite.run('COMMIT')
    sqlite.run('PRAGMA wal_checkpoint(TRUNCATE)')
  } catch (error) {
    connection.close()
    throw error
  } finally {
    sqlite.close()
  }
}

async function copyTable(connection: Connection, sqlite: Database, table: Table): Promise<void> {
  const { name, columns } = table
  const places = columns.map(() => '?').join(', ')
  const insert = sqlite.query<never, SQLQueryBindings[]>(
    `INSERT INTO "${name}" (${listOf(columns)}) VALUES (${places})`,
  )
  for await (const row of rowsInPostgres(connection, table)) insert.run(...row)
}

async function doomPieces(connection: Connection, sqlite: Database): Promise<void> {
  const doom = sqlite.query("UPDATE blobs SET state = 'doomed' WHERE id = ?")
  const { rows } = await connection.query('SELECT blob_id FROM pieces', [], COPY_MS)
  for (const [id] of rows) doom.run(String(id))
}

/** Yields the rows of a table by their key, or those of a query in its own order. */
function* rowsInSqlite(
  sqlite: Database,
  { name, columns, key }: Table,
  ordered = `"${name}" ORDER BY ${listOf(key)}`,
): Generator<Values> {
  const text = `SELECT ${listOf(columns)} FROM ${ordered}`
  for (const row of sqlite.query<Record<string, string | number | null>, []>(text).iterate())
    yield columns.map((column) => storable(row[column] ?? null))
}

/** Replaces NUL, which PostgreSQL cannot store. */
const storable = (value: string | number | null) =>
  typeof value === 'string' ? value.replaceAll('\0', '\uFFFD') : value

/** Yields the rows of a table by their key, inside a transaction. */
async function* rowsInPostgres(
  connection: Connection,
  { name, columns, key }: Table,
): AsyncGenerator<Values, void> {
  const text = `SELECT ${listOf(columns)} FROM "${name}" ORDER BY ${listOf(key)}`
  await connection.query(`DECLARE copied NO SCROLL CURSOR FOR ${text}`, [], COPY_MS)
  for (;;) {
    const { rows } = await connection.query(`FETCH ${BATCH_ROWS} FROM copied`, [], COPY_MS)
    // Every column is text, or a number that fits.
    yield* rows as Values[]
    if (rows.length < BATCH_ROWS) break
  }
  await connection.query('CLOSE copied')
}

/** Returns a digest of all rows of a database in SQLite. */
export async function digestRows(path: string): Promise<string> {
  const sqlite = openToRead(path)
  try {
    const digests: string[] = []
    for (const table of TABLES) digests.push(await digestOf(rowsInSqlite(sqlite, table)))
    return new Bun.CryptoHasher('sha256').update(digests.join()).digest('hex')
  } finally {
    sqlite.close()
  }
}

async function digestOf(rows: Iterable<Values> | AsyncIterable<Values>): Promise<string> {
  const hash = new Bun.CryptoHasher('sha256')
  for await (const row of rows) hash.update(JSON.stringify(row))
  return hash.digest('hex')
}
