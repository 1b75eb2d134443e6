import type { ObjectDeps } from './deps.ts'

/** Blobs removed per slice. */
const SLICE = 250

/** Gives up what an earlier process was receiving. Its multipart uploads are aborted with the next sweep. */
export const abandon = ({ catalog, clock, node }: ObjectDeps): Promise<void> =>
  catalog.transactToFree(() => catalog.blobs.doomAbandoned(node, clock.now()))

/**
 * Removes the objects of doomed blobs whose time has come, then their rows: a row leads to each object until then.
 *
 * @throws {Refusal} `unavailable` when the object store does not respond.
 */
export async function sweep({ blobs, catalog, clock }: ObjectDeps): Promise<void> {
  for (;;) {
    const doomed = await catalog.blobs.doomed(clock.now(), SLICE)
    if (doomed.length === 0) return
    for (const { id, uploadId } of doomed) if (uploadId !== null) await blobs.abort({ id, uploadId })
    const ids = doomed.map(({ id }) => id)
    await blobs.remove(ids)
    await catalog.transactToFree(() => catalog.blobs.remove(ids))
  }
}
