import type { Catalog } from '../../catalog/catalog.ts'
import { UnknownOutcome, type Work } from '../../catalog/engine/query.ts'
import { refusalOfDisk } from '../../platform/errors.ts'
import type { Log } from '../../platform/log.ts'
import { isTooLong, MAX_KEY_BYTES, MAX_NAME_BYTES } from '../../platform/names.ts'
import type { Volume } from '../../volume/volume.ts'
import { assertFitsBelow, refuseTooLong, type TreeDeps } from '../tree.ts'
import type { MovePlan, Plan } from './plan.ts'
import type { VersionBytes } from './version-bytes.ts'

type Mode = 'shared' | 'exclusive'

interface Waiter {
  mode: Mode
  start: () => void
}

/**
 * Orders operations on the tree. Those that only add to an existing folder share the lock; those that change
 * the tree itself hold it alone. First come, first served, so nothing starves. Reading needs no lock.
 */
export class TreeLock {
  #sharing = 0
  #exclusive = false
  readonly #waiting: Waiter[] = []
  /** Publications under way: the keys of their files, and their ends. */
  readonly #publications = new Set<{ keys: ReadonlySet<string>; end: Promise<void> }>()

  shared<Value>(work: () => Promise<Value>): Promise<Value> {
    return this.#run('shared', work)
  }

  exclusive<Value>(work: () => Promise<Value>): Promise<Value> {
    return this.#run('exclusive', work)
  }

  /** Runs a publication of files at these keys. The caller shares the lock. */
  async publish<Value>(keys: readonly string[], work: () => Promise<Value>): Promise<Value> {
    const { promise: end, resolve } = Promise.withResolvers<void>()
    const publication = { keys: new Set(keys), end }
    this.#publications.add(publication)
    try {
      return await work()
    } finally {
      this.#publications.delete(publication)
      resolve()
    }
  }

  /** Resolves when the publications at `key` have ended. Before, a file is there that may never be in the catalog. */
  async published(key: string): Promise<void> {
    for (const { keys, end } of this.#publications) if (keys.has(key)) await end
  }

  async #run<Value>(mode: Mode, work: () => Promise<Value>): Promise<Value> {
    await new Promise<void>((start) => {
      this.#waiting.push({ mode, start })
      this.#admit()
    })
    try {
      return await work()
    } finally {
      if (mode === 'shared') this.#sharing -= 1
      else this.#exclusive = false
      this.#admit()
    }
  }

  #admit(): void {
    let next = this.#waiting[0]
    while (next && !this.#exclusive && (next.mode === 'shared' || this.#sharing === 0)) {
      this.#waiting.shift()
      if (next.mode === 'shared') this.#sharing += 1
      else this.#exclusive = true
      next.start()
      next = this.#waiting[0]
    }
  }
}

/** Move of a file or folder from one key to another. */
type Moved = Pick<MovePlan, 'what' | 'id' | 'folders'> & Record<'from' | 'to', { key: string }>

type KeyCatalog = Pick<Catalog, 'folders' | 'longestPathBelow' | 'hasPathBelow'>

/**
 * Enforces the maximum length of keys. Moving a folder lengthens every key below it. Instead of scanning
 * them, this keeps an upper bound on the longest folder key (updated on create and move) and scans only when
 * the bound cannot prove that they fit.
 */
export class KeyLimit {
  readonly #catalog: KeyCatalog
  readonly #rootId: string
  /**
   * Upper bound on the length of folder keys in bytes. Computed when first needed, so a start does not wait
   * for it.
   */
  #bound = Infinity

  constructor({ catalog, rootId }: { catalog: KeyCatalog; rootId: string }) {
    this.#catalog = catalog
    this.#rootId = rootId
  }

  /** @throws {Refusal} `invalid` when the key of a file or folder to be made is too long. */
  admit({ folders, files }: { folders: readonly string[]; files: readonly { key: string }[] }): void {
    for (const { key } of files) if (isTooLong(key)) throw refuseTooLong('The key')
    for (const key of folders) {
      if (isTooLong(key)) throw refuseTooLong('The key')
      this.#bound = Math.max(this.#bound, Buffer.byteLength(key))
    }
  }

  /**
   * @throws {Refusal} `invalid` when the new key, or any key below it, is too long. A folder whose key does
   *   not grow may contain keys that are too long already.
   */
  async admitMove({ what, id, from, to, folders = [] }: Moved): Promise<void> {
    const growth = Buffer.byteLength(to.key) - Buffer.byteLength(from.key)
    const mayBeTooLong = what === 'file' || growth > 0
    this.admit({ folders, files: mayBeTooLong ? [to] : [] })
    if (mayBeTooLong && what === 'folder') await this.#admitBelow(id, to.key, growth)
  }

  /** @throws {Refusal} `invalid` when a key below the folder that returns to the tree at `key` is too long. */
  async admitReturn({ id, key }: { id: string; key: string }): Promise<void> {
    const left = MAX_KEY_BYTES - Buffer.byteLength(key)
    if (left < 0 || (await this.#catalog.hasPathBelow(id, left, MAX_NAME_BYTES)))
      throw refuseTooLong('A key in the folder')
    const longest = Buffer.byteLength(key) + (await this.#catalog.longestPathBelow(id))
    this.#bound = Math.max(this.#bound, longest)
  }

  /** Validates as `admitReturn` does, inside the caller's transaction: for a folder of few rows. */
  *admitSmallReturn({ id, key }: { id: string; key: string }): Work<void> {
    yield* assertFitsBelow(this.#catalog, { id, key })
    const longest = Buffer.byteLength(key) + (yield* this.#catalog.folders.longestPathBelow(id))
    this.#bound = Math.max(this.#bound, longest)
  }

  async #admitBelow(id: string, key: string, growth: number): Promise<void> {
    const safe = MAX_KEY_BYTES - MAX_NAME_BYTES - 1 - growth
    if (this.#bound > safe) this.#bound = await this.#catalog.longestPathBelow(this.#rootId)
    const left = MAX_KEY_BYTES - Buffer.byteLength(key)
    if (this.#bound > safe && (await this.#catalog.hasPathBelow(id, left, MAX_NAME_BYTES)))
      throw refuseTooLong('A key in the folder')
    this.#bound += growth
  }
}

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
export interface FolderDeps extends TreeDeps {
  volume: Volume
  log: Log
  lock: TreeLock
  unfinished: Finisher
  keyLimit: KeyLimit
  versionBytes: VersionBytes
  /** Returns the number of days for which versions are kept; 0 for not at all. */
  versionDays: () => number
}

interface Change {
  /** Subject and failed action, for the message when the disk refuses. */
  failure: string
  /** Keys that the operation changes. */
  keys: readonly string[]
}

/**
 * Runs a change of the volume. It refuses when the volume is not the catalog's, or an unfinished operation is
 * in the way.
 *
 * @throws {Refusal} `disk-refused` in the words of `failure`, `unavailable`, `no-space`.
 */
export async function change<Value>(
  { volume, unfinished }: Pick<FolderDeps, 'volume' | 'unfinished'>,
  { failure, keys }: Change,
  work: () => Promise<Value>,
): Promise<Value> {
  volume.assertPresent()
  await unfinished.assertFinished(keys)
  try {
    return await work()
  } catch (error) {
    throw refusalOfDisk(error, failure) ?? error
  }
}

interface Announced<Value> {
  plan: Plan
  /** Changes the volume and the catalog in one turn, after the intent is committed. */
  commit: (transact: FolderDeps['catalog']['transact']) => Promise<Value>
  /** True when this frees space. */
  frees?: boolean
}

/**
 * Commits an intent, then the change, then finishes it. When the commit fails, the volume is rolled back,
 * too. A committed change stands: a finish that fails is retried.
 */
export async function announce<Value>(
  deps: FolderDeps,
  { plan, commit, frees = false }: Announced<Value>,
): Promise<{ value: Value; finished: Promise<unknown> }> {
  const { catalog, random, unfinished } = deps
  const id = random.id()
  await unfinished.announce(id, plan, frees)
  let value: Value
  try {
    value = await commit(frees ? catalog.transactToFree : catalog.transact)
  } catch (error) {
    if (error instanceof UnknownOutcome) throw error
    await unfinished.rollBack(id, plan)
    throw error
  }
  // Not awaited here: the purge of a folder must not hold the lock.
  return { value, finished: unfinished.finish(id, plan) }
}
