import { assertStillAllowed, type Caller } from '../../access/caller.ts'
import type { Context } from '../../access/context.ts'
import { Slices } from '../../api/json-stream.ts'
import { isForbidden, messageFor, refuseInvalid, refuseNotFound } from '../../platform/errors.ts'
import { assertName, joinKey, nameProblem, parseFolderKey } from '../../platform/names.ts'
import type { FileRow, FolderRow, Snapshot, Work } from '../../store/rows.ts'
import type { Destination } from '../../store/target.ts'
import { insertActivity, recordDelete } from '../activity/service.ts'
import { applyVisibility } from '../files/visibility.ts'
import { type FolderView, folderView, type NamedFolder } from './model.ts'

export const folderNotFound = () => refuseNotFound('Folder not found')

/**
 * Finds the folder that a caller names by id or key; the root when neither is given. The id wins. Outer and
 * doubled slashes of a key are ignored.
 *
 * @throws {Refusal} `not_found`.
 */
export function* requireFolder(
  { store }: { store: Pick<Snapshot, 'folders'> },
  { id, key, path = '' }: NamedFolder,
): Work<FolderRow> {
  const { folders } = store
  const found = id ?? (yield* folders.idAt(segmentsOf(key ?? path)))
  const folder = found === undefined ? undefined : yield* folders.byId(found)
  if (!folder || (yield* folders.keyOf(folder.id)) === undefined) throw folderNotFound()
  return folder
}

/** Splits a key. An invalid key names no folder. */
function segmentsOf(key: string): string[] {
  const segments = key.split('/').filter((segment) => segment !== '')
  if (segments.some((segment) => nameProblem(segment) !== undefined)) throw folderNotFound()
  return segments
}

/** Maximum folders of a response that is written in one piece. */
const PAGE_FOLDERS = 1000

/** Returns the folders directly in another by name, to list them beside its files. */
export function foldersBeside({ store }: Pick<Context, 'store'>, id: string) {
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
    sliced: (snapshot: Snapshot) => {
      const key = found(snapshot.keyOf(id))
      return { folders: new Slices(viewsOf(snapshot.foldersIn(id), (folders) => view(key, folders))) }
    },
  }
}

function* viewsOf(
  slices: Iterable<FolderRow[]>,
  view: (folders: FolderRow[]) => FolderView[],
): Generator<FolderView[]> {
  for (const slice of slices) yield view(slice)
}

export async function viewFolder({ store }: Pick<Context, 'store'>, folder: FolderRow): Promise<FolderView> {
  const key = await store.folders.keyOf(folder.id)
  if (key === undefined) throw folderNotFound()
  return folderView(folder, key)
}

/**
 * Creates a folder.
 *
 * @throws {Refusal} `invalid`, `conflict` when the folder exists.
 */
export async function createFolder(deps: Context, caller: Caller, folder: string): Promise<FolderView> {
  const segments = parseFolderKey(folder)
  const changes = deps.store.changes(() => assertStillAllowed(deps, caller, 'files:write'))
  return viewFolder(deps, await changes.createFolder(segments))
}

/**
 * Renames a folder, or sets the visibility of every file in it and below, or both. Folders have no visibility
 * of their own.
 *
 * @throws {Refusal} `invalid`, `not_found`, `conflict`.
 */
export async function changeFolder(
  deps: Context,
  caller: Caller,
  { id, name, visibility }: { id: string; name?: string; visibility?: FileRow['visibility'] },
): Promise<FolderView> {
  if (name === undefined && visibility === undefined)
    throw refuseInvalid('"name" or "visibility" is required')
  if (name !== undefined) assertName(name, '"name"')
  await deps.store.read(() => requireFolder(deps, { id }))
  const authorize = () => assertStillAllowed(deps, caller, 'files:write')
  if (name !== undefined) await deps.store.changes(authorize).renameFolder(id, name)
  if (visibility !== undefined) await applyVisibility(deps, id, visibility, authorize)
  return viewFolder(deps, await deps.store.read(() => requireFolder(deps, { id })))
}

/**
 * Moves a folder.
 *
 * @throws {Refusal} `invalid`, `not_found`, `conflict`.
 */
export async function moveFolder(
  deps: Context,
  caller: Caller,
  id: string,
  destination: Destination,
): Promise<FolderView> {
  const changes = deps.store.changes(() => assertStillAllowed(deps, caller, 'files:write'))
  return viewFolder(deps, await changes.moveFolder(id, destination))
}

/**
 * Deletes a folder and everything below it, for good.
 *
 * @throws {Refusal} `invalid` for the root, `not_found`.
 */
export async function deleteFolder(deps: Context, caller: Caller, id: string): Promise<void> {
  const userId = caller.user.id
  const tell = (folder: FolderRow, key: string) => ({
    target: folder.name,
    detail: key === folder.name ? null : key,
  })
  try {
    const changes = deps.store.changes(() => assertStillAllowed(deps, caller, 'files:delete'))
    await changes.discardFolder(id, (folder, key) =>
      insertActivity(deps, { userId, type: 'folder.deleted', ...tell(folder, key) }),
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
