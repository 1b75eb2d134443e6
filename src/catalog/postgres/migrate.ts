import { migrations } from '../../../drizzle/postgres/migrations.ts'
import { AwayError, StartError } from '../../platform/errors.ts'
import { assertNotNewer } from '../engine/newer.ts'
import { changeTables } from './change-tables.ts'
import { Connection, nameOf } from './connection.ts'
import { errorFor, isAway, PostgresFailure } from './failure.ts'
import { prepareSearch } from './search/indexes.ts'

/** Key of the advisory lock that one node at a time holds while it migrates: "Holdfast" in ASCII. */
const LOCK = '5219970450297975668'
/** Maximum time to wait for another node that migrates, in milliseconds. */
const OTHERS_MS = 3_600_000
/** Time to wait for the lock of a process that ends just now, in milliseconds. */
const ENDING_MS = 5000
/** Time between two attempts to take the lock, in milliseconds. */
const RETRY_MS = 100
/** Oldest version that has 64-bit ids of transactions. */
const MIN_VERSION = 13

/**
 * Migrates the database to the version of this program. One node does, the others wait.
 *
 * @throws {StartError} when the database cannot be opened, is of a newer version, or not in UTF-8; {AwayError} when it
 *   cannot be reached.
 */
export const migrate = (url: string): Promise<void> =>
  withConnection(url, async (connection) => {
    if (!(await takeLock(connection, OTHERS_MS)))
      throw new AwayError(
        `Cannot use the database "${connection.name}": another process has been changing it for an hour`,
      )
    await migrateOn(connection)
  })

/**
 * Like `migrate`, for a connection that has the lock.
 *
 * @param mark Statement that is part of the first migration, so that no server finds tables without its row.
 */
export async function migrateOn(connection: Connection, mark?: string): Promise<void> {
  await assertUsable(connection)
  await applyMissing(connection, mark)
  await prepareSearch(connection)
}

/**
 * Asserts that the database is of the version of this program, and changes nothing.
 *
 * @throws {StartError} also when no server has ever used it; {AwayError} when it cannot be reached.
 */
export const assertMigrated = (url: string): Promise<void> =>
  withConnection(url, async (connection) => {
    if (!(await hasTable(connection, 'schema_version')))
      throw new StartError(
        `The database "${connection.name}" has no instance yet: start a server on it first.`,
      )
    if ((await appliedOf(connection)) < migrations.length)
      throw new StartError(
        `The database "${connection.name}" was written by an older version of Holdfast: start a server of this version on it first.`,
      )
  })

/**
 * Runs `work` on a connection of its own while no server is running on the database, and none starts: each takes
 * the lock of migrations first.
 *
 * @param waitMs Milliseconds to wait for that lock: PostgreSQL releases it some time after a process has ended.
 * @throws {StartError} when a server runs, and what `work` throws; {AwayError} when the database cannot be reached.
 */
export const withoutServers = <Value>(
  url: string,
  work: (connection: Connection) => Promise<Value>,
  waitMs = ENDING_MS,
): Promise<Value> =>
  withConnection(url, async (connection) => {
    if (!(await takeLock(connection, waitMs)))
      throw new StartError(
        `A server is starting on the database "${connection.name}", or another command changes it. Nothing was changed.`,
      )
    await assertNoServers(connection)
    return await work(connection)
  })

/**
 * Takes the lock of migrations within `waitMs`; false when another process has it all that time. Attempts one after another
 * leave no query open, for whose snapshot the other's concurrent index would wait.
 */
async function takeLock(connection: Connection, waitMs: number): Promise<boolean> {
  for (let waited = 0; ; waited += RETRY_MS) {
    const { rows } = await connection.query('SELECT pg_try_advisory_lock($1::bigint)', [LOCK])
    if (rows[0]?.[0] === true) return true
    if (waited >= waitMs) return false
    await Bun.sleep(RETRY_MS)
  }
}

/** @throws {StartError} when a server runs on the database. */
export async function assertNoServers(connection: Connection): Promise<void> {
  if (!(await hasTable(connection, 'nodes'))) return
  const { rows } = await connection.query('SELECT count(*) FROM nodes WHERE expires_at > now()')
  if (rows[0]?.[0] !== 0)
    throw new StartError(
      `Servers run on the database "${connection.name}" (${rows[0]?.[0]}): stop them first. One that was killed counts for 30 seconds.`,
    )
}

/** Runs `work` on a connection of its own, and puts its failures into words for the operator. */
export async function withConnection<Value>(
  url: string,
  work: (connection: Connection) => Promise<Value>,
): Promise<Value> {
  try {
    const connection = await Connection.open(url)
    try {
      return await work(connection)
    } finally {
      connection.close()
    }
  } catch (error) {
    if (!(error instanceof PostgresFailure)) throw error
    if (isAway(error))
      throw new AwayError(`Cannot use the database "${nameOf(url)}": it cannot be reached (${error.code})`, {
        cause: error,
      })
    const known = errorFor(error)
    if (known instanceof StartError) throw known
    throw new StartError(
      `Cannot use the database "${nameOf(url)}": ${REASONS[error.code] ?? error.message}`,
      { cause: error },
    )
  }
}

/** Failures that the operator can mend, by their codes. */
const REASONS: Record<string, string> = {
  '28000': 'the user is unknown or not allowed',
  '28P01': 'the password is wrong',
  '3D000': 'there is no database of this name',
  '42501': 'the user lacks the rights to make tables',
}

async function assertUsable(connection: Connection): Promise<void> {
  const { rows } = await connection.query(
    "SELECT current_setting('server_version_num'), current_setting('server_encoding')",
  )
  const [version, encoding] = rows[0] ?? []
  const major = Math.floor(Number(version) / 10_000)
  if (major < MIN_VERSION)
    throw new StartError(`PostgreSQL ${major} is too old: version ${MIN_VERSION} or newer is needed.`)
  if (encoding !== 'UTF8')
    throw new StartError(
      `The database "${connection.name}" has the encoding ${encoding}. Create one with the encoding UTF8.`,
    )
}

async function hasTable(connection: Connection, name: string): Promise<boolean> {
  const { rows } = await connection.query('SELECT to_regclass($1) IS NOT NULL', [name])
  return rows[0]?.[0] === true
}

async function applyMissing(connection: Connection, mark: string | undefined): Promise<void> {
  await connection.query('CREATE TABLE IF NOT EXISTS schema_version (version bigint NOT NULL)')
  const applied = await appliedOf(connection)
  for (const [index, text] of migrations.slice(applied).entries()) {
    const version = applied + index + 1
    const note = `DELETE FROM schema_version; INSERT INTO schema_version VALUES (${version})`
    const isMarked = version === 1 && mark !== undefined
    await changeTables(connection, [text, note, ...(isMarked ? [mark] : [])].join(';\n'))
  }
}

/** Returns how many migrations the database has. @throws {StartError} when this version does not know all of them. */
async function appliedOf(connection: Connection): Promise<number> {
  const { rows } = await connection.query('SELECT max(version) FROM schema_version')
  const applied = Number(rows[0]?.[0] ?? 0)
  assertNotNewer(`The database "${connection.name}"`, applied, migrations.length)
  return applied
}
