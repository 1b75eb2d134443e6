import type { BlobRow } from '../../catalog/tree/blobs.ts'
import { count } from '../../platform/amounts.ts'
import type { ObjectDeps } from './deps.ts'

/** Blobs removed per slice. */
const SLICE = 250
/** Time after which an object that the store did not remove is tried again, in milliseconds. */
const RETRY_MS = 3_600_000

/**
 * Gives up what processes were receiving that have ended. Then it removes the objects of doomed blobs whose time has come,
 * and their rows: a row leads to each object until then. Objects that the store does not remove are tried again later.
 * Removes nothing while a server of another database uses the objects.
 *
 * @throws {Refusal} `unavailable` when the object store does not respond.
 */
export async function sweep({ blobs, catalog, clock, log, node }: ObjectDeps): Promise<void> {
  await catalog.doomAbandoned(node, clock.now())
  // Asked also when nothing is due, so that a second server is noticed.
  while (await blobs.mayRemove()) {
    const doomed = await catalog.blobs.doomed(clock.now(), SLICE)
    if (doomed.length === 0) return
    const left = await removeObjects(blobs, doomed)
    const gone = doomed.flatMap(({ id }) => (left.has(id) ? [] : id))
    await catalog.transactToFree(function* () {
      yield* catalog.blobs.remove(gone)
      yield* catalog.blobs.doom([...left], clock.now() + RETRY_MS)
    })
    if (left.size > 0)
      log.info(`The object store did not remove ${count(left.size, 'object')}, and will be asked again`)
  }
}

/** Returns the ids of the blobs whose objects or parts are left. */
async function removeObjects(blobs: ObjectDeps['blobs'], doomed: readonly BlobRow[]): Promise<Set<string>> {
  const refused: string[] = []
  for (const { id, uploadId } of doomed)
    if (uploadId !== null && !(await blobs.abort({ id, uploadId }))) refused.push(id)
  return new Set([...refused, ...(await blobs.remove(doomed.map(({ id }) => id)))])
}
