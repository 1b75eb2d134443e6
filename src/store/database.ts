import type { Catalog } from '../catalog/catalog.ts'
import type { Owes } from '../catalog/engine/engine.ts'
import { UnknownOutcome } from '../catalog/engine/query.ts'
import type { ChangeEvent } from '../catalog/postgres/fence.ts'
import { openCatalog } from '../catalog/sqlite/open.ts'
import type { DatabaseConfig } from '../platform/database.ts'
import { StartError } from '../platform/errors.ts'
import type { Services } from '../platform/platform.ts'
import { createReserve } from '../volume/disk.ts'
import { checkDatabase, hasDatabase, isReadOnly, type VolumePaths } from '../volume/layout.ts'

/** Called with changes by other servers; `missed` when there may be any. */
export type ChangeListener = (changes: ChangeEvent[] | 'missed') => void | Promise<void>

/** Catalog that is open, with what its engine needs of the data folder. */
export interface OpenedCatalog {
  catalog: Catalog
  /** Adds a listener, which is awaited before a fence resolves. The only server has nothing to listen to. */
  onChanges: (listener: ChangeListener) => void
  /** Reserves disk space for deletes, and gives it up: the start itself may need it. */
  reserve: { take: () => void; giveUp: () => void }
  /** Ends the lease of this server, so that others need not wait for its end. */
  leave: () => Promise<void>
  /** Closes what a start that fails leaves open, and ends its lease: a command would take it for a server. */
  abandon: () => Promise<void>
}

interface CatalogOptions extends Services {
  paths: VolumePaths
  onUnknownOutcome: (error: unknown) => void
  /** Purges that a cache in front is owed. */
  owes: Owes
}

/** Opens the catalog in the data folder. @throws {StartError} when it is missing, foreign or damaged. */
export function openEmbedded(options: CatalogOptions): OpenedCatalog {
  const { paths, clock, random, log, onUnknownOutcome, owes } = options
  const reserve = createReserve(paths, {
    randomBytes: random.bytes,
    onError: (error) => log.error('Space for deletes on a full volume could not be reserved', error),
  })
  checkDatabase(paths)
  reserve.giveUp()
  const catalog = openCatalog({
    path: paths.database,
    onUnknownOutcome,
    reserve,
    isReadOnly: () => isReadOnly(paths),
    monotonic: clock.monotonic,
    owes,
  })
  return { catalog, onChanges: () => {}, reserve, leave: async () => {}, abandon: async () => {} }
}

/**
 * Opens the catalog that several servers share.
 *
 * @param node Id of this process.
 * @throws {StartError} when the database cannot be used, or the data folder has files of its own.
 */
export async function openShared(
  { url, pool }: DatabaseConfig,
  { paths, clock, log, onUnknownOutcome, node, owes }: CatalogOptions & { node: string },
): Promise<OpenedCatalog> {
  if (hasDatabase(paths))
    throw new StartError(
      `The data folder "${paths.root}" has a database of its own: unset DATABASE_URL, or set DATA_PATH to an empty folder. Nothing was changed.`,
    )
  const listeners: ChangeListener[] = []
  const report = async (changes: ChangeEvent[] | 'missed'): Promise<void> => {
    for (const listener of listeners) await listener(changes)
  }
  // Loaded on demand: most instances have no shared database.
  const { openPostgres } = await import('../catalog/postgres/open.ts')
  const postgres = await openPostgres({
    ...{ url, pool, node, owes },
    monotonic: clock.monotonic,
    onEvents: report,
    onMissed: () => report('missed'),
  })
  for (const sentence of await postgres.advice()) log.notice(sentence)
  return {
    catalog: {
      ...postgres,
      fail: (cause) => {
        onUnknownOutcome(cause)
        return new UnknownOutcome('Files could not be written safely', { cause })
      },
      now: () => {
        throw new Error('A shared database has no query without a wait')
      },
    },
    onChanges: (listener) => void listeners.push(listener),
    reserve: { take: () => {}, giveUp: () => {} },
    leave: postgres.nodes.leave,
    abandon: async () => {
      await postgres.nodes.leave().catch(() => {})
      postgres.close()
    },
  }
}
