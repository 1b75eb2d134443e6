import { constants, Database } from 'bun:sqlite'
import { pathToFileURL } from 'node:url'
import { StartError } from '../../platform/errors.ts'

/** Checksums of all files of several catalogs. */
export interface Digests extends Disposable {
  has: (sha256: string) => boolean
}

/**
 * Reads the checksums of all files of closed databases into a new database at `path`, because they may not
 * fit in memory. The sources are only read, so they may be on read-only media.
 *
 * @throws {StartError} when one of them cannot be read to its end.
 */
export function collectDigests(path: string, databases: readonly string[]): Digests {
  const { SQLITE_OPEN_CREATE, SQLITE_OPEN_READWRITE, SQLITE_OPEN_URI } = constants
  const sqlite = new Database(path, SQLITE_OPEN_CREATE | SQLITE_OPEN_READWRITE | SQLITE_OPEN_URI)
  try {
    // The database is temporary, even after a crash.
    sqlite.run('PRAGMA journal_mode = OFF')
    sqlite.run('PRAGMA synchronous = OFF')
    sqlite.run('CREATE TABLE digests (sha256 TEXT PRIMARY KEY) WITHOUT ROWID')
    for (const database of databases) addFrom(sqlite, database)
  } catch (error) {
    sqlite.close()
    throw error
  }
  const find = sqlite.query('SELECT 1 FROM digests WHERE sha256 = ?')
  return { has: (sha256) => find.get(sha256) !== null, [Symbol.dispose]: () => sqlite.close() }
}

function addFrom(sqlite: Database, database: string): void {
  try {
    sqlite.run('ATTACH ? AS one', [`${pathToFileURL(database)}?immutable=1`])
    const [found] = sqlite.query<{ quick_check: string }, []>('PRAGMA one.quick_check(1)').all()
    if (found?.quick_check !== 'ok') throw new Error(`It is damaged: ${found?.quick_check}`)
    sqlite.run('INSERT OR IGNORE INTO digests SELECT sha256 FROM one.files')
    // A backup of an earlier version of Holdfast lacks some of these tables.
    for (const table of ['versions', 'trashed_files'])
      if (sqlite.query('SELECT 1 FROM one.sqlite_schema WHERE name = ?').get(table) !== null)
        sqlite.run(`INSERT OR IGNORE INTO digests SELECT sha256 FROM one.${table}`)
    sqlite.run('DETACH one')
  } catch (error) {
    throw new StartError(`The database "${database}" cannot be read, so nothing is removed.`, {
      cause: error,
    })
  }
}
