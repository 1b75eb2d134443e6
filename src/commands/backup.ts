import { join } from 'node:path'
import { objectStoreOf } from '../blobs/open.ts'
import { copyFromPostgres } from '../catalog/postgres/copy.ts'
import { withConnection } from '../catalog/postgres/migrate.ts'
import { copyCatalog } from '../catalog/sqlite/open.ts'
import { count, readableBytes } from '../platform/amounts.ts'
import type { Config } from '../platform/config.ts'
import { StartError } from '../platform/errors.ts'
import type { Services } from '../platform/platform.ts'
import { type LiveRows, makeBackup } from '../store/backup/backup.ts'
import { folderOrigin, type Origin, objectOrigin } from '../store/backup/origin.ts'
import { pruneStore } from '../store/backup/prune.ts'
import { openStore } from '../store/backup/store.ts'
import { assertOnDisk, objectStoreNameOf } from '../store/instance.ts'
import { findLayout, isWithin, SECRET } from '../volume/layout.ts'
import { Volume } from '../volume/volume.ts'
import { asStartError, openToRead } from './open-catalog.ts'

interface BackupCommand extends Services {
  folder: string
  /** Number of backups that stay, this one among them; all by default. */
  keep?: number | undefined
}

/**
 * Runs `backup`: copies the catalog and the bytes of every file to a folder of backups, and then removes old
 * ones if requested.
 *
 * @returns The exit code: 0 when everything is in the backup, 1 when the bytes of a file differ from the
 *   catalog.
 * @throws {StartError} when there is nothing to back up, or the folder cannot be used.
 */
export async function runBackup(config: Config, command: BackupCommand): Promise<number> {
  const { folder, keep, clock, log } = command
  const { rows, secret } = sourceOf(config, command)
  const origin = await originOf(config, command)
  const store = openStore(folder, { isNew: true })
  let damaged = 0
  const onProblem = (key: string) => {
    damaged += 1
    log.info(`${JSON.stringify(key)}: missing or changed, and so not in the backup`)
  }
  const { name, files, copied } = await makeBackup({
    ...{ rows, secret, origin, store, clock, onProblem },
  }).catch((error) => {
    throw asStartError(error)
  })
  log.info(
    `Backup ${name}: ${count(files, 'file')}, ${countCopies(copied)} (including versions and trash), ${damaged} damaged`,
  )
  if (keep !== undefined) {
    const { snapshots, objects, bytes } = pruneStore({ store, keep, latest: name })
    log.info(
      `Removed ${count(snapshots, 'old backup')} and ${count(objects, 'file')} (${readableBytes(bytes)}) that no other has`,
    )
  }
  return damaged === 0 ? 0 : 1
}

const countCopies = (copies: number) => `${copies} new ${copies === 1 ? 'copy' : 'copies'}`

/** Returns the rows of the instance, and its secret. */
function sourceOf(config: Config, { folder, clock }: BackupCommand): { rows: LiveRows; secret?: string } {
  const open = () => openToRead(config, clock)
  const { database } = config
  if (database) {
    const copy = (path: string) =>
      withConnection(database.url, (connection) => copyFromPostgres(connection, path))
    return { rows: { copy, open } }
  }
  const paths = findLayout(config.dataPath)
  if (isWithin(folder, paths.root)) throw new StartError('A backup must not be in the data folder itself')
  return {
    rows: { copy: (path) => copyCatalog(paths.database, path), open },
    secret: join(paths.root, SECRET),
  }
}

/** Returns the place that has the bytes of the instance. @throws {StartError} when it is not the configured one. */
async function originOf(config: Config, command: BackupCommand): Promise<Origin> {
  const catalog = await openToRead(config, command.clock)
  try {
    const objects = config.objectStore && objectStoreOf(config.objectStore, command)
    if (objects && objects.name === (await objectStoreNameOf(catalog))) return objectOrigin(objects.reader())
    await assertOnDisk(catalog)
    return folderOrigin(new Volume(findLayout(config.dataPath)))
  } finally {
    catalog.close()
  }
}
