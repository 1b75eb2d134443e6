import { assertStillAllowed, type Caller } from '../../access/caller.ts'
import type { TreeContext } from '../../access/context.ts'
import { insertActivity, recordDelete } from '../../access/history.ts'
import { whole } from '../../access/reach.ts'
import { Slices } from '../../api/json-stream.ts'
import { success } from '../../api/schema.ts'
import { isForbidden, isRefused, messageFor, refuseInvalid } from '../../platform/errors.ts'
import { assertName, joinKey, parseFolderKey } from '../../platform/names.ts'
import {
  done,
  type FileRow,
  type FolderRow,
  type Snapshot,
  type Steps,
  UnknownOutcome,
  type Work,
} from '../../store/rows.ts'
import { purgeUnlessKept } from '../../store/trash/purge.ts'
import type { Destination } from '../../store/tree.ts'
import {
  type FolderView,
  findTops,
  findView,
  folderNotFound,
  foldersIn,
  folderView,
  type NamedFolder,
  requireFolder,
  viewAt,
} from '../../views/folders.ts'
import { type ListRequest, listResponse, toFileList } from '../../views/lists.ts'
import type { Pages } from '../../views/pages.ts'

/** Maximum folders of a response that is written in one piece. */
const PAGE_FOLDERS = 1000

/**
 * Lists what is directly in a folder; above the folders of a caller that does not reach everything, these folders.
 *
 * @throws {Refusal} `not-found`, `unavailable`.
 */
export async function browse(
  deps: TreeContext & { pages: Pages },
  query: NamedFolder & ListRequest,
  request: Request,
): Promise<Response> {
  const { folder, tops } = await deps.store.read(() => findTops(deps, query))
  if (!folder) return Response.json(success({ files: [], folders: tops.map(viewAt) }))
  return listResponse(
    deps,
    request,
    toFileList(query, { folderId: folder.id }),
    foldersBeside(deps, folder.id),
  )
}

/** Returns the folders directly in another by name, to list them beside its files. */
function foldersBeside({ store }: Pick<TreeContext, 'store'>, id: string) {
  const view = (key: string, folders: readonly FolderRow[]) =>
    folders.map((folder) => folderView(folder, joinKey(key, folder.name)))
  const found = (key: string | undefined): string => {
    if (key === undefined) throw folderNotFound()
    return key
  }
  return {
    isLong: () => store.folders.hasMoreThan(id, PAGE_FOLDERS),
    *now() {
      const key = found(yield* store.folders.keyOf(id))
      return { folders: view(key, yield* store.folders.inFolder(id)) }
    },
    sliced: async (snapshot: Snapshot) => {
      const key = found(await snapshot.folders.keyOf(id))
      return { folders: new Slices(viewsOf(foldersIn(snapshot, id), (folders) => view(key, folders))) }
    },
  }
}

async function* viewsOf(
  slices: AsyncIterable<FolderRow[]>,
  view: (folders: FolderRow[]) => FolderView[],
): AsyncGenerator<FolderView[]> {
  for await (const slice of slices) yield view(slice)
}

/**
 * Creates a folder.
 *
 * @throws {Refusal} `invalid`, `conflict` when the folder exists.
 */
export async function createFolder(deps: TreeContext, caller: Caller, folder: string): Promise<FolderView> {
  const segments = parseFolderKey(folder)
  const changes = deps.store.changes(() => assertStillAllowed(deps, caller, 'files:write'))
  return viewAt(await changes.createFolder(segments))
}

/** Maximum files, and folders, below a folder that are changed while requests wait: 15 ms. */
const FEW_BELOW = 2000

/**
 * Renames a folder, or sets the visibility of every file in it and below, or both: in one transaction when few
 * files are below. Folders have no visibility of their own.
 *
 * @throws {Refusal} `invalid`, `not-found`, `conflict`.
 */
export async function changeFolder(
  deps: TreeContext,
  caller: Caller,
  { id, name, visibility }: { id: string; name?: string; visibility?: FileRow['visibility'] },
): Promise<FolderView> {
  const authorize = () => assertStillAllowed(deps, caller, 'files:write')
  if (name === undefined) {
    if (visibility === undefined) throw refuseInvalid('"name" or "visibility" is required')
    return setVisibilityBelow(deps, { id, visibility, authorize })
  }
  assertName(name, '"name"')
  if (visibility !== undefined && (await deps.store.bulk.hasMoreBelow(id, FEW_BELOW))) {
    await deps.store.read(() => findChangeable(deps, { id, visibility }))
    return renameThen(deps, { id, name, authorize }, () =>
      setVisibilityBelow(deps, { id, visibility, authorize }),
    )
  }
  return viewAt(await deps.store.changes(authorize).renameFolder(id, { name, visibility }))
}

/**
 * Sets the visibility of every file in a folder and below it. The same transaction finds the folder, because another
 * request may take it out of the tree meanwhile.
 */
async function setVisibilityBelow(
  deps: TreeContext,
  change: { id: string; visibility: FileRow['visibility']; authorize: () => Steps<void> },
): Promise<FolderView> {
  const { id, visibility, authorize } = change
  let view: FolderView | undefined
  const applied = { folderId: id, visibility, updatedAt: deps.clock.now() }
  await deps.store.setVisibilityBelow(applied, function* () {
    yield* authorize()
    view = yield* findChangeable(deps, { id, visibility })
  })
  if (!view) throw folderNotFound()
  return view
}

/** Finds a folder whose files may get a visibility. @throws {Refusal} `not-found`, `right-missing`. */
function* findChangeable(
  deps: TreeContext,
  { id, visibility }: { id: string; visibility: FileRow['visibility'] },
): Work<FolderView> {
  const view = yield* findView(deps, { id })
  yield* deps.store.assertVisibility(id, visibility)
  return view
}

/** Renames a folder with many files, then calls `change`. When that fails, the folder gets its name back. */
async function renameThen<Value>(
  deps: TreeContext,
  { id, name, authorize }: { id: string; name: string; authorize: () => Steps<void> },
  change: () => Promise<Value>,
): Promise<Value> {
  const { store, log } = deps
  const before = await store.folders.byId(id)
  await store.changes(authorize).renameFolder(id, { name })
  try {
    return await change()
  } catch (error) {
    const isGone = isRefused(error, 404)
    if (before && !isGone && !(error instanceof UnknownOutcome))
      await whole(deps)
        .store.changes(() => done(undefined))
        .renameFolder(id, { name: before.name })
        .catch((failure) =>
          log.error(`The folder ${JSON.stringify(name)} did not get its name back`, failure),
        )
    throw error
  }
}

/**
 * Moves a folder.
 *
 * @throws {Refusal} `invalid`, `not-found`, `conflict`.
 */
export async function moveFolder(
  deps: TreeContext,
  caller: Caller,
  id: string,
  destination: Destination,
): Promise<FolderView> {
  const changes = deps.store.changes(() => assertStillAllowed(deps, caller, 'files:write'))
  return viewAt(await changes.moveFolder(id, destination))
}

/**
 * Puts a folder in the place of another, which goes to the trash, and records that in the caller's history.
 *
 * @throws {Refusal} `invalid`, `not-found`, `conflict`.
 */
export async function replaceFolder(
  deps: TreeContext,
  caller: Caller,
  { id, replaces }: { id: string; replaces: string },
): Promise<FolderView> {
  const userId = caller.user.id
  await deps.store.read(() => assertInside(deps, id))
  const changes = deps.store.changes(function* () {
    yield* assertStillAllowed(deps, caller, 'files:write')
    yield* assertStillAllowed(deps, caller, 'files:delete')
  })
  const folder = await changes.swapFolders({
    id,
    replaces,
    userId,
    alongside: ({ name }, key) =>
      insertActivity(deps, { userId, type: 'folder.replaced', target: name, detail: detailOf(name, key) }),
  })
  await purgeUnlessKept(deps, [{ id: replaces, name: folder.row.name }])
  return viewAt(folder)
}

/** Refuses a folder outside, also one in the trash, before anything tells whether it exists. @throws {Refusal} `not-found`. */
function* assertInside(deps: TreeContext, id: string): Work<void> {
  const { store } = deps
  if (!store.reach.isEverything && !(yield* store.trash.byId(id))) yield* requireFolder(deps, { id })
}

/** Returns the key for the history, unless it is the name. */
const detailOf = (name: string, key: string) => (key === name ? null : key)

/**
 * Deletes a folder and everything below it, for good.
 *
 * @throws {Refusal} `invalid` for the root, `not-found`.
 */
export async function deleteFolder(deps: TreeContext, caller: Caller, id: string): Promise<void> {
  const userId = caller.user.id
  const entryOf = (folder: FolderRow, key: string) => ({
    target: folder.name,
    detail: detailOf(folder.name, key),
  })
  try {
    const changes = deps.store.changes(() => assertStillAllowed(deps, caller, 'files:delete'))
    await changes.discardFolder(id, (folder, key) =>
      insertActivity(deps, { userId, type: 'folder.deleted', ...entryOf(folder, key) }),
    )
  } catch (error) {
    if (isForbidden(error)) throw error
    const { folders } = deps.store
    const name = (await folders.keyOf(id)) === undefined ? undefined : (await folders.byId(id))?.name
    await recordDelete(deps, {
      userId,
      type: 'folder.delete-failed',
      // A folder that another request is deleting has no name any more.
      target: name ?? null,
      detail: messageFor(error),
    })
    throw error
  }
}
