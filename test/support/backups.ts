import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { apiOf } from './api.ts'
import { runInside } from './command.ts'
import { register, startInside } from './holdfast.ts'

/**
 * Starts a server with an account, a folder for backups and a folder for restored data.
 *
 * @param run Runs the commands, by default in this process.
 */
export async function startWithBackups(run = runInside) {
  const base = mkdtempSync(join(tmpdir(), 'holdfast-'))
  const dataPath = join(base, 'data')
  const backups = join(base, 'backups')
  const holdfast = await startInside({ dataPath })
  const account = await register(holdfast)
  return {
    holdfast,
    account,
    api: apiOf(holdfast, account),
    base,
    backups,
    backup: (...options: string[]) => run(['backup', backups, ...options], { DATA_PATH: dataPath }),
    restore: (name: string, ...options: string[]) =>
      run(['restore', backups, ...options], { DATA_PATH: join(base, name) }),
    /** Starts a server on restored data. */
    open: async (name: string) => {
      const restored = await startInside({ dataPath: join(base, name) })
      return { restored, api: apiOf(restored, account), [Symbol.asyncDispose]: () => restored.stop() }
    },
    [Symbol.asyncDispose]: async () => {
      await holdfast.stop()
      rmSync(base, { recursive: true, force: true })
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
