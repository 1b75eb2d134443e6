import { migrations } from '../../../drizzle/postgres/migrations.ts'
import { StartError } from '../../platform/errors.ts'
import { Connection } from './connection.ts'

/** Key of the advisory lock that one node at a time holds while it migrates: "Holdfast" in ASCII. */
const LOCK = '5219970450297975668'
/** Maximum time of a migration, and of the wait for another node that migrates, in milliseconds. */
const MIGRATION_MS = 3_600_000

/**
 * Migrates the database to the version of this program. One node does, the others wait.
 *
 * @throws {StartError} when the database is of a newer version.
 */
export async function migrate(url: string): Promise<void> {
  const connection = await Connection.open(url)
  try {
    await connection.query('SELECT pg_advisory_lock($1::bigint)', [LOCK], MIGRATION_MS)
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
  } finally {
    connection.close()
  }
}
