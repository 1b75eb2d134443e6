import { Database } from 'bun:sqlite'
import { readdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { runInside } from './command.ts'
import { startAgain, startInsideWithAccount } from './fixture.ts'
import { temporaryFolder } from './temporary.ts'

/** Outcome of a `verify` that finds no difference. */
export const AGREES = { exitCode: 0, output: 'Volume and catalog agree\n' }

/**
 * Starts a server with an account, a folder for backups and a folder for restored data.
 *
 * @param run Runs the commands, by default in this process.
 */
export async function startWithBackups(run = runInside) {
  const folder = temporaryFolder()
  const base = folder.path
  const at = (name: string) => join(base, name)
  const holdfast = await startInsideWithAccount({ dataPath: at('data') })
  const runOn = (name: string, ...words: string[]) => run(words, { DATA_PATH: at(name) })
  const backups = at('backups')
  return {
    holdfast,
    api: holdfast.api,
    base,
    backups,
    /** Path of the database. */
    database: at('data/db/holdfast.sqlite'),
    backup: (...options: string[]) => runOn('data', 'backup', backups, ...options),
    restore: (name: string, ...options: string[]) => runOn(name, 'restore', backups, ...options),
    verify: (...options: string[]) => runOn('data', 'verify', ...options),
    repair: (...options: string[]) => runOn('data', 'repair', '--adopt', ...options),
    /** Stops the server, and moves the folder of its database away. Returns where it is. */
    loseDatabase: async () => {
      await holdfast.stop()
      renameSync(at('data/db'), at('away'))
      return at('away')
    },
    /** Starts a server on restored data, or again on its own. */
    open: (name = 'data', environment = {}) => startAgain(holdfast, { dataPath: at(name), environment }),
    [Symbol.asyncDispose]: async () => {
      await holdfast.stop()
      folder[Symbol.dispose]()
    },
  }
}

/** Returns the names of the stored objects in a folder of backups. */
export const objectsIn = (backups: string) =>
  readdirSync(join(backups, 'objects'), { recursive: true })
    .map(String)
    .filter((path) => path.includes('/'))

/** Returns the names of a backup folder's snapshots, oldest first. */
export const snapshotsIn = (backups: string) => readdirSync(join(backups, 'snapshots')).sort()

/** Returns the path of the database in the oldest snapshot of a folder of backups. */
export const databaseIn = (backups: string) =>
  join(backups, 'snapshots', snapshotsIn(backups)[0] ?? '', 'holdfast.sqlite')

/** Runs statements on a database that no server has open. */
export function tamper(path: string, ...statements: string[]): void {
  using database = new Database(path)
  for (const statement of statements) database.run(statement)
  database.run('PRAGMA wal_checkpoint(TRUNCATE)')
}
