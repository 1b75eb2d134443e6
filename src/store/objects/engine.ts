import type { Blobs } from '../../blobs/blobs.ts'
import { clearStaging } from '../../volume/layout.ts'
import type { EngineParts, OpenedEngine } from '../engine.ts'
import type { OpenedFile } from '../opened.ts'
import { Arrivals } from './arrivals.ts'
import type { ObjectDeps } from './deps.ts'
import { stateOfBlob } from './replace.ts'
import { BlobScrub } from './scrub.ts'
import { SharedPartial } from './shared-partial.ts'
import { ObjectPartial, ObjectStaging } from './staging.ts'
import { createObjectStorage } from './storage.ts'

/** Bytes of one upload that are on the local disk at once, about. */
const BYTES_ON_THEIR_WAY = 64 * 1024 ** 2

/**
 * Opens the engine whose bytes are blobs of an object store. The volume is the local disk: for bytes on their way, and
 * for uploads in pieces until they are complete.
 */
export async function openObjectEngine(parts: EngineParts, blobs: Blobs): Promise<OpenedEngine> {
  const { catalog, volume, paths, clock, node, log, scrubDays } = parts
  const deps: ObjectDeps = { ...parts, blobs, arrivals: new Arrivals(catalog), receiving: new Set() }
  const shared = catalog.pieces && { ...deps, pieces: catalog.pieces }
  await catalog.doomAbandoned(node, clock.now())
  clearStaging(paths, new Set(await catalog.resumables.unfinishedIds()), (error) =>
    log.error('Leftovers in staging could not be removed', error),
  )
  const open = ({ blobId, size }: { blobId: string | null; size: number }) =>
    blobId === null ? undefined : blobs.open({ id: blobId, size })
  const assertRoom = (bytes: number) => {
    blobs.makeRoom(bytes)
    volume.assertRoom(bytes)
  }
  return {
    engine: {
      ...createObjectStorage(deps),
      openFile: open,
      openNow: ({ blobId, size }): OpenedFile | undefined =>
        blobId === null ? undefined : blobs.openCached({ id: blobId, size }),
      stateOf: stateOfBlob,
      openVersion: open,
      openFolder: () => undefined,
      stage: (id) => ObjectStaging.create(deps, id),
      createPartial: async (id) =>
        shared ? new SharedPartial(shared, id, 0) : new ObjectPartial(deps, await volume.createPartial(id)),
      openPartial: async (id, size) => {
        if (shared) return SharedPartial.open(shared, id, size)
        const partial = await volume.openPartial(id, size)
        return partial && new ObjectPartial(deps, partial)
      },
      assertRoom: (bytes) => assertRoom(Math.min(bytes, BYTES_ON_THEIR_WAY)),
      // Unless its parts are sent at once, it gathers on the local disk, and they are there a second time.
      assertRoomForPartial: (bytes) =>
        assertRoom(shared ? Math.min(bytes, BYTES_ON_THEIR_WAY) : bytes + BYTES_ON_THEIR_WAY),
      createClaim: () => {
        const claim = volume.createClaim()
        return (bytes) => {
          try {
            claim(bytes)
          } catch {
            assertRoom(bytes)
          }
        }
      },
      // Removals of objects free no space on the local disk.
      isShort: () => false,
      scrub: new BlobScrub(deps, scrubDays),
    },
    close: async () => blobs.close(),
  }
}
