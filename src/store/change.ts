import type { Catalog } from '../catalog/open.ts'
import { UnknownOutcome } from '../catalog/unknown-outcome.ts'
import type { Clock } from '../platform/clock.ts'
import { refusalOfDisk } from '../platform/errors.ts'
import type { Log } from '../platform/log.ts'
import type { Random } from '../platform/random.ts'
import type { Volume } from '../volume/volume.ts'
import type { KeyLimit } from './key-limit.ts'
import type { Plan } from './plan.ts'
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
 * @throws {Refusal} `disk_refused` in the words of `failure`, `unavailable`, `no_space`.
 */
export async function change<Value>(
  { volume, unfinished }: Pick<StorageDeps, 'volume' | 'unfinished'>,
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
  commit: (transact: StorageDeps['catalog']['transact']) => Promise<Value>
  /** True when this frees space. */
  frees?: boolean
}

/**
 * Commits an intent, then the change, then finishes it. When the commit fails, the volume is rolled back,
 * too. A committed change stands: a finish that fails is retried.
 */
export async function announce<Value>(
  deps: StorageDeps,
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
