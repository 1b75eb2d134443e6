import { done, type Steps, type Work } from '../catalog/engine/query.ts'
import type { FileRow } from '../catalog/tree/files.ts'
import type { FolderRow } from '../catalog/tree/folders.ts'
import type { TrashRow } from '../catalog/tree/trash.ts'
import type { Log } from '../platform/log.ts'
import {
  type FileChanges,
  type FolderChanges,
  type PlannedMove,
  planFileChange,
  planFileMove,
  planFolderChange,
  planFolderMove,
} from './moves.ts'
import { leavingFile, leavingFolder, type Restored, type Swap } from './trash/items.ts'
import type { Trash, TrashSteps } from './trash/trash.ts'
import { type Destination, FolderPlan, folderToCreate, type Located, type TreeDeps } from './tree.ts'
import type { Replacement } from './upload.ts'

/** Change that belongs to the transaction in which a folder leaves the tree. */
export type Alongside = (folder: FolderRow, key: string) => Steps<void>

/** Changes of rows and bytes together, in the way of an engine. */
export interface Operations<Deps> extends TrashSteps<Deps> {
  /**
   * Moves or renames a file or folder, or changes it in its place.
   *
   * @throws {Refusal} `invalid` for too long a key, `conflict`, and as `plan`.
   */
  move: <Row>(
    deps: Deps,
    plan: () => Work<PlannedMove<Row>>,
    what: 'file' | 'folder',
  ) => Promise<Located<Row>>
  replaceFile: (deps: Deps, id: string, replacement: Replacement) => Promise<Located<FileRow>>
  removeVersion: (deps: Deps, id: string) => Promise<void>
  removeFile: (deps: Deps, id: string) => Promise<FileRow | undefined>
  /** Runs the rest of a transaction in which folders exist, by their names from the root: missing ones are created. */
  makeFolders: <Value>(
    deps: Deps,
    folders: readonly (readonly string[])[],
    alongside: (plan: FolderPlan) => Steps<Value>,
  ) => Promise<Value>
  /** Returns an item of the trash that is left to purge; `undefined` for none. */
  discardFolder: (deps: Deps, id: string, alongside: Alongside) => Promise<TrashRow | undefined>
}

export type Changes = ReturnType<typeof changesOf>

/** Returns the changes of what is stored. Each returns rows with the key that its transaction gave them. */
export function changesOf<Deps extends TreeDeps & { log: Log }>(
  deps: Deps,
  trash: Trash<Deps>,
  { move, ...operations }: Omit<Operations<Deps>, keyof TrashSteps<Deps>>,
) {
  return {
    /** Changes a file's name, its visibility, or both. @throws {Refusal} `not-found`, `invalid`, `conflict`. */
    changeFile: (id: string, changes: FileChanges) =>
      move(deps, () => planFileChange(deps, id, changes), 'file'),
    /** Moves a file to another folder, which is created if missing, and to another name. @throws {Refusal} as `changeFile`. */
    moveFile: (id: string, destination: Destination, name?: string) =>
      move(deps, () => planFileMove(deps, id, destination, name), 'file'),
    /**
     * Replaces the bytes of a file. Readers under way have the old bytes to their end.
     *
     * @throws {Refusal} `not-found`, `conflict` when something unknown is at the key, `unavailable`, what `admit` throws.
     */
    replaceFile: (id: string, replacement: Replacement) => operations.replaceFile(deps, id, replacement),
    /** Removes a version. @throws {Refusal} `not-found`, `unavailable` while its replacement is not finished. */
    removeVersion: (id: string) => operations.removeVersion(deps, id),
    /** Deletes a file with its versions. @returns The removed row, or `undefined` when there is no such file. */
    removeFile: (id: string) => operations.removeFile(deps, id),
    /** Creates a folder and the missing folders above it. @throws {Refusal} `invalid`, `conflict` when it exists. */
    createFolder: (segments: readonly string[]): Promise<Located<FolderRow>> =>
      // It is missing from the plan when it exists.
      operations.makeFolders(deps, [segments], (plan) =>
        done(folderToCreate({ ...plan.at(segments), missing: plan.missing })),
      ),
    /**
     * Changes other rows in one transaction, in which folders exist: missing ones are created.
     *
     * @throws {Refusal} `invalid` for too long a key, `conflict` when a file is in the place of a folder.
     */
    makeFolders: <Value>(
      folders: readonly (readonly string[])[],
      alongside: (plan: FolderPlan) => Steps<Value>,
    ): Promise<Value> =>
      folders.length === 0
        ? deps.catalog.transact(() => alongside(new FolderPlan(deps)))
        : operations.makeFolders(deps, folders, alongside),
    /**
     * Renames a folder. A visibility is set in the same transaction, file by file: only for few files.
     *
     * @throws {Refusal} `not-found`, `invalid` for the root or too long a key, `conflict`.
     */
    renameFolder: (id: string, changes: FolderChanges) =>
      move(deps, () => planFolderChange(deps, id, changes), 'folder'),
    /**
     * Moves a folder with everything below it, and to another name.
     *
     * @throws {Refusal} `not-found`, `invalid` for the root or a destination inside the folder, `conflict`.
     */
    moveFolder: (id: string, destination: Destination, name?: string) =>
      move(deps, () => planFolderMove(deps, id, destination, name), 'folder'),
    /** Deletes a folder with everything below it. @throws {Refusal} `invalid` for the root, `not-found`. */
    discardFolder: async (id: string, alongside: Alongside): Promise<void> => {
      const left = await operations.discardFolder(deps, id, alongside)
      if (left) await trash.finishPurge(left)
    },
    trashFile: (id: string, userId: string): Promise<TrashRow> =>
      trash.putFile(deps, () => leavingFile(deps, id, userId)),
    trashFolder: (id: string, userId: string | null): Promise<TrashRow> =>
      trash.putFolder(deps, id, () => leavingFolder(deps, id, userId)),
    restore: (id: string): Promise<Restored> => trash.restore(deps, id),
    swapFolders: (swap: Swap): Promise<Located<FolderRow>> => trash.swap(deps, swap),
    purge: (id: string): Promise<void> => trash.purge(deps, id),
  }
}

/** Returns `deps` with transactions that call `authorize` first. Recovery uses the original ones. */
export function authorized<Deps extends Pick<TreeDeps, 'catalog'>>(
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
