import { deriveSecrets } from '../access/secrets.ts'
import type { Catalog, ReadableCatalog } from '../catalog/catalog.ts'
import { migrate } from '../catalog/postgres/migrate.ts'
import { connectPostgres } from '../catalog/postgres/open.ts'
import { openCatalog, readCatalog } from '../catalog/sqlite/open.ts'
import type { Clock } from '../platform/clock.ts'
import type { Config } from '../platform/config.ts'
import { Refusal, StartError } from '../platform/errors.ts'
import { assertInPlace } from '../store/instance.ts'
import {
  checkDatabase,
  existingLayout,
  findLayout,
  hasDatabase,
  lockLayout,
  prepareLayout,
} from '../volume/layout.ts'

/**
 * Opens the configured catalog for reading, also beside servers.
 *
 * @throws {StartError} when there is none, or it is of another version.
 */
export async function openToRead(
  { database, dataPath }: Pick<Config, 'database' | 'dataPath'>,
  { monotonic }: Clock,
): Promise<ReadableCatalog> {
  return database
    ? await connectPostgres({ ...database, monotonic })
    : readCatalog(findLayout(dataPath).database)
}

/** Returns true when the configured secret is the one that an instance was last started with. */
export async function hasSameSecret(
  { instance }: Pick<ReadableCatalog, 'instance'>,
  { authSecret }: Pick<Config, 'authSecret'>,
): Promise<boolean> {
  const known = await instance.get('secretFingerprint')
  return known === undefined || known === deriveSecrets(authSecret ?? '').fingerprint
}

/** Catalog on any engine that a command changes. */
export type ChangeableCatalog = Pick<
  Catalog,
  | 'attempts'
  | 'folders'
  | 'grants'
  | 'identities'
  | 'instance'
  | 'keys'
  | 'securityEvents'
  | 'sessions'
  | 'shares'
  | 'transact'
  | 'trash'
  | 'users'
  | 'webhookDeliveries'
>

/**
 * Runs `work` with the configured catalog. One in the data folder must be without a server; one that servers share may
 * have any number.
 *
 * @param options `isNew` creates a missing one.
 * @returns Its place, in words.
 * @throws {StartError} when there is none, or a server runs on the data folder.
 */
export async function changeCatalog(
  { database, dataPath }: Pick<Config, 'database' | 'dataPath'>,
  { clock, isNew }: { clock: Clock; isNew: boolean },
  work: (catalog: ChangeableCatalog) => Promise<void>,
): Promise<string> {
  if (!database) return await changeOwn(dataPath, isNew, work)
  if (isNew) await migrate(database.url)
  const catalog = await connectPostgres({ ...database, monotonic: clock.monotonic })
  try {
    await assertInPlace(catalog)
    await work(catalog)
  } catch (error) {
    throw asStartError(error)
  } finally {
    catalog.close()
  }
  return 'the shared database'
}

async function changeOwn(
  dataPath: string,
  isNew: boolean,
  work: (catalog: ChangeableCatalog) => Promise<void>,
): Promise<string> {
  const paths = isNew ? prepareLayout(dataPath) : existingLayout(dataPath)
  if (!isNew && !hasDatabase(paths))
    throw new StartError('There is no database yet, so there are no accounts')
  const lock = lockLayout(paths)
  try {
    checkDatabase(paths)
    const catalog = openCatalog({ path: paths.database, onUnknownOutcome: () => {} })
    await work(catalog).finally(catalog.close)
    return `"${paths.root}"`
  } finally {
    lock.release()
  }
}

/** Returns an error in words for the operator: the reason of an object store, not the words for its clients. */
export function asStartError(error: unknown): unknown {
  if (!(error instanceof Refusal)) return error
  const { cause, message } = error
  return new StartError(cause instanceof Error ? cause.message : message, { cause: error })
}
