import { migrations } from '../../../drizzle/postgres/migrations.ts'
import { AwayError, StartError } from '../../platform/errors.ts'
import { Connection } from './connection.ts'
import { isAway, PostgresFailure } from './failure.ts'

/** Key of the advisory lock that one node at a time holds while it migrates: "Holdfast" in ASCII. */
const LOCK = '5219970450297975668'
/** Maximum time of a migration, and of the wait for another node that migrates, in milliseconds. */
const MIGRATION_MS = 3_600_000
/** Oldest version that has 64-bit ids of transactions. */
const MIN_VERSION = 13

/**
 * Migrates the database to the version of this program. One node does, the others wait.
 *
 * @throws {StartError} when the database cannot be opened, is of a newer version, or not in UTF-8; {AwayError} when it
 *   cannot be reached.
 */
export async function migrate(url: string): Promise<void> {
  try {
    const connection = await Connection.open(url)
    try {
      await assertUsable(connection)
      await connection.query('SELECT pg_advisory_lock($1::bigint)', [LOCK], MIGRATION_MS)
      await applyMissing(connection)
    } finally {
      connection.close()
    }
  } catch (error) {
    if (!(error instanceof PostgresFailure)) throw error
    if (isAway(error)) throw new AwayError(`${REFUSED}: it cannot be reached`, { cause: error })
    throw new StartError(`${REFUSED}: ${REASONS[error.code] ?? error.message}`, { cause: error })
  }
}

const REFUSED = 'Cannot open the database in PostgreSQL'

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
    throw new StartError(`The database has the encoding ${encoding}. Create one with the encoding UTF8.`)
}

async function applyMissing(connection: Connection): Promise<void> {
  await connection.query('CREATE TABLE IF NOT EXISTS schema_version (version bigint NOT NULL)')
  const { rows } = await connection.query('SELECT max(version) FROM schema_version')
  const applied = Number(rows[0]?.[0] ?? 0)
  if (applied > migrations.length)
    throw new StartError(
      'The database was written by a newer version of Holdfast. Start that version instead.',
    )
  for (const [index, text] of migrations.slice(applied).entries()) {
    const version = applied + index + 1
    const note = `DELETE FROM schema_version; INSERT INTO schema_version VALUES (${version})`
    await connection.script(`BEGIN;\n${text};\n${note};\nCOMMIT`, MIGRATION_MS)
  }
}
