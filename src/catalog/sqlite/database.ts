import type { Database } from 'bun:sqlite'
import { closeSync, existsSync, openSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { migrations } from '../../../drizzle/migrations.ts'
import { errorCode, StartError } from '../../platform/errors.ts'
import { syncPath } from '../../platform/sync-path.ts'
import { assertNotNewer } from '../engine/newer.ts'
import { isDamage, REBUILD_ADVICE } from './damage.ts'
import { PlannedOnce } from './planned-once.ts'

/**
 * Milliseconds to wait for another process that recovers or checkpoints the log as it opens or closes the database.
 */
const OPEN_WAIT_MS = 2000

/** Checkpoints the log into the database file and closes it. */
export function closeDatabase(sqlite: Database): void {
  // The other thread may be running a checkpoint.
  sqlite.run(`PRAGMA busy_timeout = ${OPEN_WAIT_MS}`)
  sqlite.run('PRAGMA wal_checkpoint(TRUNCATE)')
  sqlite.close()
}

/** Removes a leftover write-ahead log before a database that needs none takes its name. */
export function removeLog(path: string): void {
  for (const ending of ['-wal', '-shm']) rmSync(path + ending, { force: true })
}

/** Opens the database for reading only. @throws {StartError} when there is none, or it is of another version. */
export function openToRead(path: string): Database {
  return asStartError(path, () => {
    const sqlite = new PlannedOnce(path, { readonly: true, strict: true })
    sqlite.run(`PRAGMA busy_timeout = ${OPEN_WAIT_MS}`)
    const applied = appliedMigrations(sqlite)
    assertNotNewer(`The database "${path}"`, applied, migrations.length)
    if (applied < migrations.length)
      throw new StartError(
        'The database was written by an older version of Holdfast: start a server of this version on it first.',
      )
    return sqlite
  })
}

/** Opens the database and migrates it. @throws {StartError} when it is damaged, or of a newer version. */
export function openDatabase(path: string): Database {
  return asStartError(path, () => {
    makePrivate(path)
    const sqlite = new PlannedOnce(path, { create: true, strict: true })
    sqlite.run(`PRAGMA busy_timeout = ${OPEN_WAIT_MS}`)
    sqlite.run('PRAGMA journal_mode = WAL')
    // FULL: with NORMAL an acknowledged upload would not survive a power cut.
    sqlite.run('PRAGMA synchronous = FULL')
    sqlite.run('PRAGMA foreign_keys = ON')
    sqlite.run('PRAGMA cache_size = -16384')
    migrate(sqlite, path)
    // SQLite ignores the error when it makes the log's name durable.
    if (path !== ':memory:') syncPath(dirname(path))
    // From here on nothing may block: transactions retry when another connection writes.
    sqlite.run('PRAGMA busy_timeout = 0')
    return sqlite
  })
}

/**
 * Creates a missing database with access for its owner only; its log gets the same mode. SQLite takes an
 * empty file for a new database.
 */
export function makePrivate(path: string): void {
  if (path !== ':memory:' && !existsSync(path)) closeSync(openSync(path, 'a', 0o600))
}

function asStartError<Opened>(path: string, open: () => Opened): Opened {
  try {
    return open()
  } catch (error) {
    if (error instanceof StartError) throw error
    const code = errorCode(error) ?? 'it is not readable'
    if (code.startsWith('SQLITE_IOERR_SHM'))
      throw new StartError(
        `The disk of the database "${path}" cannot map files into memory (${code}): mount mergerfs with cache.files=partial, or use a local disk.`,
        { cause: error },
      )
    const advice = isDamage(error) ? ` ${REBUILD_ADVICE}` : ''
    throw new StartError(`Cannot open the database "${path}": ${code}. Nothing was changed.${advice}`, {
      cause: error,
    })
  }
}

function appliedMigrations(sqlite: Database): number {
  return sqlite.query<{ user_version: number }, []>('PRAGMA user_version').get()?.user_version ?? 0
}

function migrate(sqlite: Database, path: string): void {
  const applied = appliedMigrations(sqlite)
  assertNotNewer(`The database "${path}"`, applied, migrations.length)
  migrations.slice(applied).forEach((migration, index) => {
    sqlite.transaction(() => {
      for (const statement of migration.split('--> statement-breakpoint')) sqlite.run(statement)
      sqlite.run(`PRAGMA user_version = ${applied + index + 1}`)
    })()
  })
}
