import { readCatalog } from '../catalog/open.ts'
import type { Clock } from '../platform/clock.ts'
import type { Config } from '../platform/config.ts'
import { StartError } from '../platform/errors.ts'
import type { Log } from '../platform/log.ts'
import { makeBackup } from '../store/backup/backup.ts'
import { pruneStore } from '../store/backup/prune.ts'
import { openStore } from '../store/backup/store.ts'
import { assertOnDisk } from '../store/instance.ts'
import { findLayout, isWithin } from '../volume/layout.ts'

interface BackupCommand {
  folder: string
  /** Number of backups that stay, this one among them; all by default. */
  keep?: number | undefined
  clock: Clock
  log: Log
}

/**
 * Runs `backup`: copies the catalog and the bytes of every file to a folder of backups, and then removes old
 * ones if requested.
 *
 * @returns The exit code: 0 when everything is in the backup, 1 when the bytes of a file differ from the
 *   catalog.
 * @throws {StartError} when there is nothing to back up, or the folder cannot be used.
 */
export async function runBackup(
  config: Config,
  { folder, keep, clock, log }: BackupCommand,
): Promise<number> {
  const paths = findLayout(config.dataPath)
  if (isWithin(folder, paths.root)) throw new StartError('A backup must not be in the data folder itself')
  const catalog = readCatalog(paths.database)
  await assertOnDisk(catalog, 'backup').finally(catalog.close)
  const store = openStore(folder, { isNew: true })
  let damaged = 0
  const onProblem = (key: string) => {
    damaged += 1
    log.info(`${JSON.stringify(key)}: missing or changed on disk, and so not in the backup`)
  }
  const { name, files, copied } = await makeBackup({ paths, store, clock, onProblem })
  log.info(`Backup ${name}: ${files} file(s), ${copied} of them copied, ${damaged} damaged`)
  if (keep !== undefined) {
    const { snapshots, objects, bytes } = pruneStore({ store, keep, latest: name })
    log.info(`Removed ${snapshots} old backup(s), and ${objects} file(s) of ${bytes} bytes that no other has`)
  }
  return damaged === 0 ? 0 : 1
}
