import type { Catalog } from '../catalog/open.ts'
import type { Clock } from '../platform/clock.ts'
import type { Log } from '../platform/log.ts'
import type { Random } from '../platform/random.ts'
import type { Volume } from '../volume/volume.ts'
import type { KeyLimit } from './key-limit.ts'
import type { Plan } from './plan.ts'
import type { TreeLock } from './tree-lock.ts'
import type { VersionBytes } from './version-bytes.ts'

/** Finishes announced operations, or rolls them back. */
interface Finisher {
  /** @param frees True when the operation frees space. */
  announce: (id: string, plan: Plan, frees?: boolean) => Promise<void>
  assertFinished: (keys: readonly string[]) => Promise<void>
  /** Resolves to false when it is left for later. */
  finish: (id: string, plan: Plan) => Promise<boolean>
  rollBack: (id: string, plan: Plan) => Promise<void>
  /** Returns the names in `versions/` that unfinished operations need. */
  versionNames: () => string[]
}

/** Services shared by all operations on rows and bytes. */
export interface StorageDeps {
  catalog: Catalog
  volume: Volume
  clock: Clock
  random: Random
  log: Log
  lock: TreeLock
  unfinished: Finisher
  keyLimit: KeyLimit
  versionBytes: VersionBytes
  /** Returns the number of days for which versions are kept; 0 for not at all. */
  versionDays: () => number
}
