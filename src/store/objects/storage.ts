import type { Steps } from '../../catalog/engine/query.ts'
import type { FileRow } from '../../catalog/tree/files.ts'
import type { FolderRow } from '../../catalog/tree/folders.ts'
import type { TrashRow } from '../../catalog/tree/trash.ts'
import type { Alongside } from '../folder/discard.ts'
import type { Published, Upload } from '../folder/publish.ts'
import type { Replacement } from '../folder/replace.ts'
import { authorized, type Storage } from '../folder/storage.ts'
import type { Swap } from '../folder/swap.ts'
import type { Restored } from '../folder/trash-restore.ts'
import type { NamedItem } from '../free-name.ts'
import {
  type FileChanges,
  type FolderChanges,
  planFileChange,
  planFileMove,
  planFolderChange,
  planFolderMove,
} from '../moves.ts'
import { Trash } from '../trash.ts'
import { type Destination, findTarget, type Located } from '../tree.ts'
import type { ObjectDeps } from './deps.ts'
import { move } from './move.ts'
import { assertPublishable, createFolder, placeCopy, publishUpload } from './publish.ts'
import { detachFolder, pruneVersions, removeFile, removeVersion } from './remove.ts'
import { replaceFile } from './replace.ts'
import { removeLeftPieces } from './shared-partial.ts'
import { giveUpInterrupted } from './staging.ts'
import { sweep } from './sweep.ts'
import { trashSteps } from './trash.ts'

/**
 * Creates the operations on rows whose bytes are blobs. Each is one transaction: names are only in rows, a blob never
 * changes, and those without a row are removed later.
 */
export function createObjectStorage(deps: ObjectDeps): Storage {
  const trash = new Trash(deps, trashSteps)
  return {
    publishUpload: (upload: Upload): Promise<Published> => publishUpload(deps, upload),
    assertPublishable: (file) => assertPublishable(deps, file),
    assertDestination: async (destination: Destination): Promise<void> => {
      await deps.catalog.read(() => findTarget(deps, destination))
    },
    placeCopy: (destination: Destination, item: NamedItem) => placeCopy(deps, destination, item),
    changes: (authorize: () => Steps<void>) => changesOf(authorized(deps, authorize), trash),
    purgeTrash: (id: string): Promise<void> => trash.purge(deps, id),
    pruneVersions: (): Promise<void> => pruneVersions(deps),
    // No version takes space on the local disk.
    removeOldestVersion: async () => 'none',
    // An operation ends with its transaction.
    unfinished: { summary: () => undefined, retry: async () => {}, asideNames: () => [] },
    finishLeftovers: async (): Promise<void> => {
      await trash.finish()
      await removeLeftPieces(deps)
      await sweep(deps)
    },
    giveUpInterrupted: async (): Promise<void> => {
      await trash.releaseInterrupted()
      await giveUpInterrupted(deps)
    },
  }
}

const changesOf = (deps: ObjectDeps, trash: Trash<ObjectDeps>): ReturnType<Storage['changes']> => ({
  changeFile: (id: string, changes: FileChanges): Promise<Located<FileRow>> =>
    move(deps, () => planFileChange(deps, id, changes), 'file'),
  moveFile: (id: string, destination: Destination): Promise<Located<FileRow>> =>
    move(deps, () => planFileMove(deps, id, destination), 'file'),
  replaceFile: (id: string, replacement: Replacement): Promise<Located<FileRow>> =>
    replaceFile(deps, id, replacement),
  removeVersion: (id: string): Promise<void> => removeVersion(deps, id),
  removeFile: (id: string): Promise<FileRow | undefined> => removeFile(deps, id),
  createFolder: (segments: readonly string[]): Promise<Located<FolderRow>> => createFolder(deps, segments),
  renameFolder: (id: string, changes: FolderChanges): Promise<Located<FolderRow>> =>
    move(deps, () => planFolderChange(deps, id, changes), 'folder'),
  moveFolder: (id: string, destination: Destination): Promise<Located<FolderRow>> =>
    move(deps, () => planFolderMove(deps, id, destination), 'folder'),
  discardFolder: async (id: string, alongside: Alongside): Promise<void> =>
    trash.finishPurge(await detachFolder(deps, id, alongside)),
  trashFile: (id: string, userId: string): Promise<TrashRow> => trash.putFile(deps, id, userId),
  trashFolder: (id: string, userId: string): Promise<TrashRow> => trash.putFolder(deps, id, userId),
  restore: (id: string): Promise<Restored> => trash.restore(deps, id),
  swapFolders: (swap: Swap): Promise<Located<FolderRow>> => trash.swap(deps, swap),
  purge: (id: string): Promise<void> => trash.purge(deps, id),
})
