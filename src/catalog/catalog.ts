import type { Job } from '../platform/jobs.ts'
import type { SlotUse } from '../platform/slots.ts'
import type { Steps, Transact } from './engine/query.ts'
import type { Holds } from './postgres/nodes.ts'
import type { PieceQueries } from './postgres/pieces.ts'
import type { Throttles } from './postgres/throttles.ts'
import type { Dangling } from './sqlite/check.ts'
import type { EmbeddedCatalog } from './sqlite/open.ts'
import type { tablesOf } from './tables.ts'
import type { SnapshotReaders } from './tree/snapshot.ts'

/** Functions of a catalog, on any engine. */
export interface Catalog
  extends Omit<
    EmbeddedCatalog,
    'check' | 'doomAbandoned' | 'isShared' | 'jobs' | 'logSize' | 'readers' | 'transact' | 'transactToFree'
  > {
  readers: SnapshotReaders
  transact: Transact
  /** Like `transact`, for work that frees space on the disk. */
  transactToFree: Transact
  /** Resolves when the changes that are under way have ended, also those that no caller awaits. */
  ended: () => Promise<void>
  /** Marks the blobs for removal that are being received by processes that have ended, or are not `node`. */
  doomAbandoned: (node: string, notBefore: number) => Promise<unknown>
  /** Returns the size of the write-ahead log in bytes; `undefined` when the log is that of another server. */
  logSize: () => number | undefined
  /** Returns the use of connections to the database; missing when it is in this process. */
  poolUse?: () => SlotUse
  /** True when several servers share the database. */
  isShared: boolean
  /** Jobs of the database. */
  jobs: readonly Job[]
  /** Reports changes of lists to the servers that share the database; missing when there are none. */
  announce?: (text: string) => Promise<void>
  /** Returns true when this server is to do a job; missing when it is the only one. */
  claim?: (job: string, everyMs: number) => Promise<boolean>
  /** Items of the trash that one server at a time works on; missing when it is the only one. */
  holds?: Holds
  /** Counts of limits that several servers share. */
  throttles?: Throttles
  /** Pieces of unfinished uploads that several servers can continue. */
  pieces?: PieceQueries
}

/** Catalog on any engine that is open for reading, beside servers. */
export interface ReadableCatalog extends ReturnType<typeof tablesOf> {
  read: <Value>(work: () => Steps<Value>) => Promise<Value>
  check: {
    damage: () => PromiseLike<string[]>
    dangling: () => PromiseLike<Dangling[]>
    wrongTotals: () => PromiseLike<string[]>
  }
  close: () => void
}
