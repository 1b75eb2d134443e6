import type { Steps, Work } from '../../catalog/engine/query.ts'
import type { FileRow } from '../../catalog/tree/files.ts'
import type { FolderRow } from '../../catalog/tree/folders.ts'
import type { TrashRow } from '../../catalog/tree/trash.ts'
import { type NamedItem, placeCopy } from '../free-name.ts'
import type { FileChanges, FolderChanges } from '../moves.ts'
import { Trash } from '../trash.ts'
import { type Destination, findTarget, type Located } from '../tree.ts'
import { KeyLimit, type StorageDeps, TreeLock } from './change.ts'
import { type Alongside, discardFolder } from './discard.ts'
import { changeFile, moveFile, moveFolder, renameFolder } from './move.ts'
import { assertPublishable, createFolder, publishUpload } from './publish.ts'
import { removeFile } from './remove.ts'
import { type Replacement, replaceFile } from './replace.ts'
import { type Swap, swapFolders } from './swap.ts'
import { purgeItem } from './trash-purge.ts'
import { putFile, putFolder } from './trash-put.ts'
import { giveBack, type Restored } from './trash-restore.ts'
import { Unfinished } from './unfinished.ts'
import { VersionBytes } from './version-bytes.ts'
import { pruneVersions, removeOldestVersion, removeVersion } from './versions.ts'

/** Operations on rows and bytes together. */
export type Storage = Omit<ReturnType<typeof createStorage>, 'unfinished'> & {
  /** Operations that were announced and are not finished yet. */
  unfinished: Pick<Unfinished, 'summary' | 'retry' | 'asideNames'>
}

/**
 * Creates the operations that change the catalog and the volume together, each in an order that is
 * recoverable after a crash at any point. Nothing else may change both.
 */
export function createStorage(given: Omit<StorageDeps, 'lock' | 'keyLimit' | 'versionBytes' | 'unfinished'>) {
  const base = { ...given, lock: new TreeLock(), versionBytes: new VersionBytes(given) }
  const unfinished = new Unfinished(base)
  const deps: StorageDeps = { ...base, keyLimit: new KeyLimit(given), unfinished }
  const trash = new Trash(deps, {
    isPresent: ({ volume }) => volume.isPresent(),
    putFile,
    putFolder,
    giveBack,
    swapFolders,
    purgeItem,
  })
  return {
    publishUpload: publishUpload.bind(undefined, deps),
    assertPublishable: assertPublishable.bind(undefined, deps),
    /** @throws {Refusal} `not_found` for an unknown id, `conflict` when a file is in the place of a folder. */
    assertDestination: async (destination: Destination): Promise<void> => {
      await deps.catalog.read(() => findTarget(deps, destination))
    },
    /** Finds the folder of a copy, and a free name for it there. @throws {Refusal} as `assertDestination`. */
    placeCopy: (destination: Destination, item: NamedItem) => placeCopy(deps, destination, item),
    /**
     * Returns the changes of what is stored. They call `authorize` in each of their transactions, because a
     * request may wait for the tree lock for long: a refusal rolls the change back.
     */
    changes: (authorize: () => Steps<void>) => changesOf(authorized(deps, authorize), trash),
    /** Removes an item of the trash for good, for no caller. @throws {Refusal} as `changes().purge`. */
    purgeTrash: (id: string): Promise<void> => trash.purge(deps, id),
    /** Removes versions past their days. */
    pruneVersions: (): Promise<void> => pruneVersions(deps),
    /** Removes the oldest version, unless the disk refuses to remove bytes of versions. */
    removeOldestVersion: (): Promise<'removed' | 'none' | 'refused'> => removeOldestVersion(deps),
    /** Operations that were announced and are not finished yet. */
    unfinished,
    /** Finishes what is left of operations: announced ones, and moves and removals of rows of the trash. */
    finishLeftovers: async (): Promise<void> => {
      await unfinished.retry()
      await trash.finish()
      await deps.versionBytes.remove([])
    },
    /** Gives up what this server began and could not end, because the database that it shares was away. */
    giveUpInterrupted: async (): Promise<void> => {},
  }
}

/** Changes return each row with the key that their transaction gave it. */
const changesOf = (deps: StorageDeps, trash: Trash<StorageDeps>) => ({
  changeFile: (id: string, changes: FileChanges): Promise<Located<FileRow>> => changeFile(deps, id, changes),
  moveFile: (id: string, destination: Destination): Promise<Located<FileRow>> =>
    moveFile(deps, id, destination),
  replaceFile: (id: string, replacement: Replacement): Promise<Located<FileRow>> =>
    replaceFile(deps, id, replacement),
  removeVersion: (id: string): Promise<void> => removeVersion(deps, id),
  removeFile: (id: string): Promise<FileRow | undefined> => removeFile(deps, id),
  createFolder: (segments: readonly string[]): Promise<Located<FolderRow>> => createFolder(deps, segments),
  renameFolder: (id: string, changes: FolderChanges): Promise<Located<FolderRow>> =>
    renameFolder(deps, id, changes),
  moveFolder: (id: string, destination: Destination): Promise<Located<FolderRow>> =>
    moveFolder(deps, id, destination),
  discardFolder: (id: string, alongside: Alongside): Promise<void> => discardFolder(deps, id, alongside),
  trashFile: (id: string, userId: string): Promise<TrashRow> => trash.putFile(deps, id, userId),
  trashFolder: (id: string, userId: string): Promise<TrashRow> => trash.putFolder(deps, id, userId),
  restore: (id: string): Promise<Restored> => trash.restore(deps, id),
  swapFolders: (swap: Swap): Promise<Located<FolderRow>> => trash.swap(deps, swap),
  purge: (id: string): Promise<void> => trash.purge(deps, id),
})

/** Returns `deps` with transactions that call `authorize` first. Recovery uses the original ones. */
export function authorized<Deps extends Pick<StorageDeps, 'catalog'>>(
  deps: Deps,
  authorize: () => Steps<void>,
): Deps {
  const { transact, transactToFree, publish } = deps.catalog
  const authorizeFirst = <Value>(work: () => Steps<Value>) =>
    function* (): Work<Value> {
      yield* authorize()
      return yield* work()
    }
  return {
    ...deps,
    catalog: {
      ...deps.catalog,
      transact: (work, options) => transact(authorizeFirst(work), options),
      transactToFree: (work, options) => transactToFree(authorizeFirst(work), options),
      publish: (publication, decide) => publish(publication, authorizeFirst(decide)),
    },
  }
}
