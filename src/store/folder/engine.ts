import type { Steps, Work } from '../../catalog/engine/query.ts'
import { EVERYTHING, type Reach } from '../../catalog/engine/reach.ts'
import { count } from '../../platform/amounts.ts'
import { Refusal } from '../../platform/errors.ts'
import { clearStaging } from '../../volume/layout.ts'
import type { CallerOperations, EngineParts, OpenedEngine } from '../engine.ts'
import { authorized, changesOf, type Operations } from '../operations.ts'
import { ContentScrub } from '../scrub.ts'
import { Trash } from '../trash/trash.ts'
import { type FolderDeps, KeyLimit, TreeLock } from './change.ts'
import { move } from './move.ts'
import { assertPublishable, makeFolders, placeCopy, publishUpload } from './publish.ts'
import { discardFolder, removeFile } from './remove.ts'
import { swapFolders } from './swap.ts'
import { giveBack, purgeItem, put } from './trash.ts'
import { Unfinished } from './unfinished.ts'
import { contentsOf } from './verify.ts'
import { VersionBytes } from './version-bytes.ts'
import { clearVersions, pruneVersions, removeOldestVersion, removeVersion, replaceFile } from './versions.ts'

const OPERATIONS: Operations<FolderDeps> = {
  isPresent: ({ volume }) => volume.isPresent(),
  ...{ move, replaceFile, removeVersion, removeFile, makeFolders, discardFolder },
  ...{ put, giveBack, swapFolders, purgeItem },
}

/** Opens the engine whose bytes are files in the data folder, and recovers what an earlier process left unfinished. */
export async function openFolderEngine(parts: EngineParts): Promise<OpenedEngine> {
  const { catalog, volume, paths, log, scrubDays } = parts
  const { deps, unfinished, finishLeftovers, trash } = createFolderDeps(parts)
  const recovered = await unfinished.recover()
  if (recovered > 0) log.info(`Recovered ${count(recovered, 'unfinished operation')}`)
  clearStaging(
    paths,
    new Set([...(await catalog.resumables.unfinishedIds()), ...unfinished.asideNames()]),
    (error) => log.error('Leftovers in staging could not be removed', error),
  )
  const strays = await clearVersions(deps, unfinished.versionNames(), (error) =>
    log.error('Leftovers in the folder "versions" could not be removed', error),
  )
  if (strays > 0)
    log.info(
      `The folder "versions" has ${count(strays, 'file')} of an earlier database, which you can remove`,
    )
  const within = (reach: Reach) => callerOperations({ ...deps, reach }, trash)
  return {
    within,
    engine: {
      openFile: volume.openFile.bind(volume),
      openNow: volume.openFile.bind(volume),
      stateOf: (file) => {
        const opened = volume.openFile(file)
        opened?.close()
        return opened
      },
      openVersion: ({ id }) => volume.versions.open(id),
      openFolder: volume.openFolder.bind(volume),
      stage: volume.stage.bind(volume),
      createPartial: volume.createPartial.bind(volume),
      openPartial: volume.openPartial.bind(volume),
      assertRoom: volume.assertRoom.bind(volume),
      assertRoomForPartial: volume.assertRoom.bind(volume),
      createClaim: volume.createClaim,
      assertReachable: async () => volume.assertPresent(),
      isShort: volume.isShort,
      ...within(EVERYTHING),
      purgeTrash: (id) => trash.purge(deps, id),
      pruneVersions: () => pruneVersions(deps),
      removeOldestVersion: () => removeOldestVersion(deps),
      unfinished,
      finishLeftovers,
      giveUpInterrupted: async () => {},
      scrub: new ContentScrub({ ...parts, contents: contentsOf(volume), days: scrubDays }),
    },
    close: () => unfinished.forget(),
  }
}

const callerOperations = (deps: FolderDeps, trash: Trash<FolderDeps>): CallerOperations => ({
  publishUpload: (upload) => publishUpload(deps, upload),
  assertPublishable: (file) => assertPublishable(deps, file),
  placeCopy: (destination, item) => placeCopy(deps, destination, item),
  changes: (authorize) => changesOf(authorized(deps, unlessChanged(deps, authorize)), trash, OPERATIONS),
})

/** Authorizes a change whose plan was made before its transaction: it is void once the caller reaches something else. */
const unlessChanged = ({ reach }: FolderDeps, authorize: () => Steps<void>) =>
  function* (): Work<void> {
    const { fingerprint } = reach
    yield* authorize()
    if (reach.fingerprint !== fingerprint)
      throw new Refusal('right-missing', 'The folders that this account reaches have changed: try again')
  }

/**
 * Creates the services of operations that change the catalog and the volume together, each in an order that is
 * recoverable after a crash at any point. Nothing else may change both.
 */
export function createFolderDeps(
  parts: Omit<FolderDeps, 'lock' | 'keyLimit' | 'versionBytes' | 'unfinished' | 'reach'>,
) {
  const base = { ...parts, reach: EVERYTHING, lock: new TreeLock(), versionBytes: new VersionBytes(parts) }
  const unfinished = new Unfinished(base)
  const deps: FolderDeps = { ...base, keyLimit: new KeyLimit(parts), unfinished }
  const trash = new Trash(deps, OPERATIONS)
  const finishLeftovers = async (): Promise<void> => {
    await unfinished.retry()
    await trash.finish()
    await deps.versionBytes.remove([])
  }
  return { deps, unfinished, trash, finishLeftovers }
}
