import { objectStoreOf } from '../blobs/open.ts'
import { targetOn } from '../catalog/postgres/copy.ts'
import { withoutServers } from '../catalog/postgres/migrate.ts'
import type { Config } from '../platform/config.ts'
import { StartError } from '../platform/errors.ts'
import type { Services } from '../platform/platform.ts'
import { newestOf } from '../store/backup/names.ts'
import { restoreSnapshot, type SharedRows } from '../store/backup/restore.ts'
import { type BackupStore, openStore } from '../store/backup/store.ts'
import { asStartError, hasSameSecret, openToRead } from './open-catalog.ts'
import { runVerify } from './verify.ts'

interface RestoreCommand extends Services {
  folder: string
  /** Name of the snapshot; `undefined` for the latest. */
  at: string | undefined
}

/**
 * Runs `restore`: fills an empty data folder, and the object store if one is configured, from a backup, and compares every
 * byte with the catalog.
 *
 * @returns The exit code: 0 when all of it is there, 1 when a file is missing or has another name.
 * @throws {StartError} when there is no such backup, or the data folder is not empty.
 */
export async function runRestore(config: Config, command: RestoreCommand): Promise<number> {
  const { log, random } = command
  const store = openStore(command.folder)
  const name = choose(store, command)
  const objects = config.objectStore && objectStoreOf(config.objectStore, command)
  const restore = (shared?: SharedRows) =>
    restoreSnapshot({ store, name, dataPath: config.dataPath, objects, shared, random })
  const restoring = config.database
    ? withoutServers(config.database.url, (connection) => restore(targetOn(connection)))
    : restore()
  const renamed = await restoring.catch((error) => {
    throw asStartError(error)
  })
  for (const { from, problem, to } of renamed)
    log.info(`The name ${JSON.stringify(from)} ${problem}: restored as "${to}"`)
  log.info(`Restored the backup ${name}`)
  if (config.database) await reportOtherSecret(config, command)
  const verified = await runVerify(config, { ...command, deep: true })
  return renamed.length === 0 ? verified : 1
}

/** Logs when servers with the configured secret do not start. */
async function reportOtherSecret(config: Config, { clock, log }: RestoreCommand): Promise<void> {
  const catalog = await openToRead(config, clock)
  if (!(await hasSameSecret(catalog, config).finally(catalog.close)))
    log.info(
      'AUTH_SECRET is not the secret of the backup. Set it to that one, which may be the text of its file "secret"',
    )
}

function choose(store: BackupStore, { folder, at }: RestoreCommand): string {
  const names = store.snapshots()
  const name = at ?? newestOf(names)
  if (name !== undefined && names.includes(name)) return name
  const which = names.length === 0 ? 'none' : names.join(', ')
  throw new StartError(`There is no such backup in "${folder}". There are: ${which}`)
}
