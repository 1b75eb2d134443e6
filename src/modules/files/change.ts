import { type BatchOutcome, distinctIds, forEachId, type Selected } from '../../access/batch.ts'
import { assertStillAllowed, type Caller } from '../../access/caller.ts'
import type { Context, TreeContext } from '../../access/context.ts'
import { recordActivity } from '../../access/history.ts'
import { removeItems } from '../../access/removal.ts'
import { Refusal, refuseInvalid } from '../../platform/errors.ts'
import { assertName, describeNames } from '../../platform/names.ts'
import { done, type FileRow, type FolderRow, type Work } from '../../store/rows.ts'
import { type Destination, type Located, parentIdOf } from '../../store/tree.ts'
import { type FileView, fileNotFound, viewAt, viewRows } from '../../views/files.ts'
import { requireFolder } from '../../views/folders.ts'
import { CHANGEABLE, type ChangeFile } from './model.ts'

/**
 * Renames a file, changes its visibility, or both at once.
 *
 * @throws {Refusal} `invalid`, `not-found`, `conflict`.
 */
export async function changeFile(
  deps: TreeContext,
  caller: Caller,
  { id, ...changed }: ChangeFile,
): Promise<FileView> {
  if (Object.values(changed).every((value) => value === undefined))
    throw refuseInvalid(`${CHANGEABLE.map((name) => `"${name}"`).join(' or ')} is required`)
  if (changed.name !== undefined) assertName(changed.name, '"name"')
  const changes = deps.store.changes(() => assertStillAllowed(deps, caller, 'files:write'))
  return viewAt(await changes.changeFile(id, changed))
}

/**
 * Moves a file.
 *
 * @throws {Refusal} `not-found`, `conflict`.
 */
export async function moveFile(
  deps: TreeContext,
  caller: Caller,
  id: string,
  destination: Destination,
): Promise<FileView> {
  const changes = deps.store.changes(() => assertStillAllowed(deps, caller, 'files:write'))
  return viewAt(await changes.moveFile(id, destination))
}

/**
 * Moves each file separately. A missing destination id refuses them all; a missing destination key is created
 * with the first file.
 *
 * @throws {Refusal} `invalid` for too many ids, `not-found` when none of them exist.
 */
export async function moveFiles(
  deps: TreeContext,
  caller: Caller,
  ids: readonly string[],
  destination: Destination,
): Promise<BatchOutcome<FileView>> {
  const distinct = distinctIds(ids, deps.config.maxMoveIds)
  if ((await deps.store.files.byIds(distinct)).length === 0) throw fileNotFound()
  const moveFile: MoveOne<FileRow> = (changes, id, place) => changes.moveFile(id, place)
  const { done, failed } = await moveEach(deps, caller, distinct, { destination, moveOne: moveFile })
  return { done: done.map(viewAt), failed }
}

/** Moves each file and folder separately, as `moveFiles` does. @throws {Refusal} `not-found` when none of them exist. */
export const moveItems = (deps: TreeContext, caller: Caller, items: Selected, destination: Destination) =>
  moveEach<FileRow | FolderRow>(deps, caller, items.ids, {
    destination,
    moveOne: ({ moveFile, moveFolder }, id, place) =>
      items.folders.has(id) ? moveFolder(id, place) : moveFile(id, place),
  })

type MoveOne<Row> = (
  changes: ReturnType<TreeContext['store']['changes']>,
  id: string,
  place: Destination,
) => Promise<Located<Row>>

async function moveEach<Row extends FileRow | FolderRow>(
  deps: TreeContext,
  caller: Caller,
  ids: readonly string[],
  { destination, moveOne }: { destination: Destination; moveOne: MoveOne<Row> },
): Promise<BatchOutcome<Located<Row>>> {
  deps.store.assertPresent()
  await deps.store.assertDestination(destination)
  const authorize = () => assertStillAllowed(deps, caller, 'files:write')
  const changes = deps.store.changes(authorize)
  let place = destination
  return forEachId(deps, ids, {
    authorize,
    work: async (id) => {
      const moved = await moveOne(changes, id, place)
      // The first item creates the missing folder; the others go where that folder is by then.
      const folderId = parentIdOf(moved.row)
      if (folderId !== null) place = { folderId }
      return moved
    },
  })
}

/**
 * Deletes a file.
 *
 * @throws {Refusal} `not-found`, `disk-refused`, `unavailable`.
 */
export async function deleteFile(deps: TreeContext, caller: Caller, id: string): Promise<void> {
  const { refusal } = await deleteFiles(deps, caller, [id])
  if (refusal) throw refusal
}

/** Deletes each file separately. @throws {Refusal} `invalid` for too many ids, and as `deleteItems`. */
export const deleteFiles = async (deps: TreeContext, caller: Caller, ids: readonly string[]) =>
  deleteItems(deps, caller, {
    ids: distinctIds(ids, deps.config.maxDeleteIds),
    folders: new Set(),
  })

/**
 * Deletes each file and folder separately, and records one entry for each outcome.
 *
 * @throws {Refusal} `not-found` when none of them exist.
 */
export const deleteItems = (deps: TreeContext, caller: Caller, items: Selected) =>
  removeItems(deps, caller, items, {
    outcome: 'deleted',
    work: async ({ removeFile, discardFolder }, id, kind) => {
      if (kind === 'folder') {
        let name = ''
        await discardFolder(id, (folder) => {
          name = folder.name
          return done(undefined)
        })
        return { id, kind, name }
      }
      const removed = await removeFile(id)
      if (!removed) throw fileNotFound()
      return { id, kind, name: removed.name }
    },
  })

/** Records uploads that a client cancelled before sending them. */
export async function recordCanceled(deps: Context, caller: Caller, names: readonly string[]): Promise<void> {
  for (const name of names) assertName(name, 'Each of "names"')
  const { target, detail } = describeNames(names)
  await recordActivity(deps, {
    userId: caller.user.id,
    type: 'upload.canceled',
    target,
    detail: names.length === 1 ? 'Canceled before it started' : detail,
  })
}

interface Visibilities {
  ids: readonly string[]
  visibility: FileRow['visibility']
}

/**
 * Sets the visibility of several files, in one transaction.
 *
 * @throws {Refusal} `invalid` for too many ids, `not-found` when none of them exist.
 */
export async function setVisibility(
  deps: TreeContext,
  caller: Caller,
  { ids, visibility }: Visibilities,
): Promise<BatchOutcome<FileView>> {
  const distinct = distinctIds(ids, deps.config.maxMoveIds)
  const { done, refusalOf } = await changeVisibility(deps, caller, { ids: distinct, visibility })
  const found = new Set(done.map(({ id }) => id))
  const refusals = distinct.filter((id) => !found.has(id)).map((id) => ({ id, refusal: refusalOf(id) }))
  if (done.length === 0 && refusals.every(({ refusal }) => refusal.status === 404)) throw fileNotFound()
  return { done, failed: refusals.map(({ id, refusal: { message } }) => ({ id, message })) }
}

/** Files whose visibility was set, and the refusals of the others. */
interface Changed {
  done: FileView[]
  refusalOf: (id: string) => Refusal
}

/** Sets the visibility of the files among `ids`, in one transaction. */
function changeVisibility(
  deps: TreeContext,
  caller: Caller,
  { ids, visibility }: Visibilities,
): Promise<Changed> {
  const { store, clock } = deps
  return store.transact(function* () {
    yield* assertStillAllowed(deps, caller, 'files:write')
    // Without files of a folder that left the tree: it may return from the trash.
    const views = yield* viewRows(store, yield* store.files.byIds(ids))
    const ofFolder = new Map<string, Refusal | undefined>()
    for (const { folderId } of views)
      if (!ofFolder.has(folderId)) ofFolder.set(folderId, yield* refusalIn(deps, folderId, visibility))
    const refused = new Map(views.map(({ id, folderId }) => [id, ofFolder.get(folderId)]))
    const allowed = views.map(({ id }) => id).filter((id) => !refused.get(id))
    yield* store.files.setVisibility(allowed, { visibility, updatedAt: clock.now() })
    const done = yield* viewRows(store, yield* store.files.byIds(allowed))
    return { done, refusalOf: (id) => refused.get(id) ?? fileNotFound() }
  })
}

/** Returns the refusal of a visibility of the files in a folder; `undefined` where the caller may set it. */
function* refusalIn(
  { store }: TreeContext,
  folderId: string,
  visibility: FileRow['visibility'],
): Work<Refusal | undefined> {
  try {
    yield* store.assertVisibility(folderId, visibility)
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
  return undefined
}

/**
 * Sets the visibility of files, in one transaction, and of every file below each folder.
 *
 * @throws {Refusal} `not-found` when none of them exist.
 */
export async function setVisibilityOfItems(
  deps: TreeContext,
  caller: Caller,
  { ids, folders, visibility }: Selected & Visibilities,
): Promise<BatchOutcome<FileView>> {
  const { store, clock } = deps
  const { done: files, refusalOf } = await changeVisibility(deps, caller, {
    ids: ids.filter((id) => !folders.has(id)),
    visibility,
  })
  const found = new Map(files.map((file) => [file.id, file]))
  const authorize = () => assertStillAllowed(deps, caller, 'files:write')
  const setBelow = async (folderId: string) => {
    await store.setVisibilityBelow({ folderId, visibility, updatedAt: clock.now() }, function* () {
      yield* authorize()
      yield* requireFolder(deps, { id: folderId })
      yield* store.assertVisibility(folderId, visibility)
    })
  }
  const { failed } = await forEachId(deps, ids, {
    authorize,
    work: async (id) => {
      if (folders.has(id)) await setBelow(id)
      else if (!found.has(id)) throw refusalOf(id)
    },
  })
  return { done: files, failed }
}
