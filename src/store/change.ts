import { UnknownOutcome } from '../catalog/unknown-outcome.ts'
import { refusalOfDisk } from '../platform/errors.ts'
import type { StorageDeps } from './parts.ts'
import type { Plan } from './plan.ts'

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
