import type { Blobs } from '../../blobs/blobs.ts'
import { EVERYTHING, type Reach } from '../../catalog/engine/reach.ts'
import { clearStaging } from '../../volume/layout.ts'
import type { Volume } from '../../volume/volume.ts'
import type { OpenedFile } from '../content.ts'
import type { Bytes, CallerOperations, EngineParts, OpenedEngine } from '../engine.ts'
import { authorized, changesOf, type Operations } from '../operations.ts'
import { Trash } from '../trash/trash.ts'
import {
  discardFolder,
  makeFolders,
  move,
  pruneVersions,
  removeFile,
  removeVersion,
  replaceFile,
  stateOfBlob,
} from './changes.ts'
import { Arrivals, type ObjectDeps } from './deps.ts'
import { assertPublishable, placeCopy, publishUpload } from './publish.ts'
import { BlobScrub } from './scrub.ts'
import { removeLeftPieces, SharedPartial } from './shared-partial.ts'
import { giveUpInterrupted, ObjectPartial, ObjectStaging } from './staging.ts'
import { sweep } from './sweep.ts'
import { giveBack, purgeItem, put, swapFolders } from './trash.ts'

/** Bytes of one upload that are on the local disk at once, about. */
const BYTES_ON_THEIR_WAY = 64 * 1024 ** 2

/** Changes of rows whose bytes are blobs. Each is one transaction: names are only in rows, and a blob never changes. */
const OPERATIONS: Operations<ObjectDeps> = {
  isPresent: () => true,
  ...{ move, replaceFile, removeVersion, removeFile, makeFolders, discardFolder },
  ...{ put, giveBack, swapFolders, purgeItem },
}

/**
 * Opens the engine whose bytes are blobs of an object store. The volume is the local disk: for bytes on their way, and
 * for uploads in pieces until they are complete.
 */
export async function openObjectEngine(parts: EngineParts, blobs: Blobs): Promise<OpenedEngine> {
  const { catalog, volume, paths, clock, node, log, scrubDays } = parts
  const arriving = { arrivals: new Arrivals(catalog), receiving: new Set<string>() }
  const deps: ObjectDeps = { ...parts, ...arriving, blobs, reach: EVERYTHING }
  const trash = new Trash(deps, OPERATIONS)
  await catalog.doomAbandoned(node, clock.now())
  clearStaging(paths, new Set(await catalog.resumables.unfinishedIds()), (error) =>
    log.error('Leftovers in staging could not be removed', error),
  )
  const within = (reach: Reach) => callerOperations({ ...deps, reach }, trash)
  return {
    within,
    engine: {
      ...bytesIn(deps, volume),
      ...within(EVERYTHING),
      purgeTrash: (id) => trash.purge(deps, id),
      pruneVersions: () => pruneVersions(deps),
      // No version takes space on the local disk.
      removeOldestVersion: async () => 'none',
      // An operation ends with its transaction.
      unfinished: { summary: () => undefined, retry: async () => {}, asideNames: () => [] },
      finishLeftovers: async () => {
        await trash.finish()
        await removeLeftPieces(deps)
        await sweep(deps)
      },
      giveUpInterrupted: async () => {
        await trash.releaseInterrupted()
        await giveUpInterrupted(deps)
      },
      scrub: new BlobScrub({ ...parts, ...deps }, scrubDays),
    },
    close: async () => blobs.close(),
  }
}

const callerOperations = (deps: ObjectDeps, trash: Trash<ObjectDeps>): CallerOperations => ({
  publishUpload: (upload) => publishUpload(deps, upload),
  assertPublishable: (file) => assertPublishable(deps, file),
  placeCopy: (destination, item) => placeCopy(deps, destination, item),
  changes: (authorize) => changesOf(authorized(deps, authorize), trash, OPERATIONS),
})

/** Access to blobs, and to bytes on their way on the local disk. */
function bytesIn(deps: ObjectDeps, volume: Volume): Bytes {
  const { blobs, catalog } = deps
  const shared = catalog.pieces && { ...deps, pieces: catalog.pieces }
  const open = ({ blobId, size }: { blobId: string | null; size: number }) =>
    blobId === null ? undefined : blobs.open({ id: blobId, size })
  const assertRoom = (bytes: number) => {
    blobs.makeRoom(bytes)
    volume.assertRoom(bytes)
  }
  return {
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
    // A store that responds may have no such object.
    assertReachable: async () => void (await blobs.reader.sizeOf('none')),
    // Removals of objects free no space on the local disk.
    isShort: () => false,
  }
}
