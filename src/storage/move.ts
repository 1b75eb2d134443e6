import type { FileRow } from '../catalog/files.ts'
import type { FolderRow } from '../catalog/folders.ts'
import { UnknownOutcome } from '../catalog/transactions.ts'
import { refuseInvalid, refuseNotFound } from '../errors.ts'
import { mediaType } from '../http/media-type.ts'
import { joinKey } from '../volume/names.ts'
import type { MovePlan, Place } from './plan.ts'
import { makeFolders } from './publish.ts'
import { settleMove } from './recover.ts'
import type { StorageDeps } from './storage.ts'
import { assertFree, type Destination, findTarget, type Target } from './target.ts'

export interface FileChanges {
  name?: string | undefined
  visibility?: FileRow['visibility'] | undefined
}

/**
 * Gives a file another name. Its visibility may change with it, in the same transaction.
 *
 * @throws {Refusal} `not_found`, `conflict`.
 */
export function changeFile(deps: StorageDeps, id: string, changes: FileChanges): Promise<FileRow> {
  const { catalog, clock, lock } = deps
  return lock.exclusive(async () => {
    const file = requireFile(deps, id)
    const to = { folderId: file.folderId, name: changes.name ?? file.name }
    const visibility = changes.visibility ?? file.visibility
    if (to.name !== file.name) await moveTo(deps, placed(deps, 'file', file, to), { visibility })
    else await catalog.transact(() => catalog.files.update(id, { visibility, updatedAt: clock.now() }))
    return requireFile(deps, id)
  })
}

/**
 * Moves a file to another folder, which is made when it is missing. It keeps its id, name and visibility.
 *
 * @throws {Refusal} `not_found`, `conflict`.
 */
export function moveFile(deps: StorageDeps, id: string, destination: Destination): Promise<FileRow> {
  return deps.lock.exclusive(async () => {
    const file = requireFile(deps, id)
    const target = findTarget(deps, destination)
    if (target.folderId === file.folderId) return file
    await makeFolders(deps, target)
    await moveTo(deps, placed(deps, 'file', file, { folderId: target.folderId, name: file.name }), {})
    return requireFile(deps, id)
  })
}

/** Makes a destination if it is missing. @throws {Refusal} `not_found`, `conflict`. */
export function makeDestination(deps: StorageDeps, destination: Destination): Promise<string> {
  return deps.lock.exclusive(async () => {
    const target = findTarget(deps, destination)
    await makeFolders(deps, target)
    return target.folderId
  })
}

/**
 * Gives a folder another name: one row and one `rename(2)`, whatever lies below.
 *
 * @throws {Refusal} `not_found`, `invalid` for the root, `conflict`.
 */
export function renameFolder(deps: StorageDeps, id: string, name: string): Promise<FolderRow> {
  return deps.lock.exclusive(async () => {
    const folder = requireFolder(deps, id)
    if (folder.parentId === null) throw refuseInvalid('The root folder cannot be renamed')
    if (folder.name !== name)
      await moveTo(deps, placed(deps, 'folder', folder, { folderId: folder.parentId, name }), {})
    return requireFolder(deps, id)
  })
}

/**
 * Moves a folder with everything below it: one row and one `rename(2)`.
 *
 * @throws {Refusal} `not_found`, `invalid` for the root or a destination inside the folder, `conflict`.
 */
export function moveFolder(deps: StorageDeps, id: string, destination: Destination): Promise<FolderRow> {
  return deps.lock.exclusive(async () => {
    const folder = requireFolder(deps, id)
    if (folder.parentId === null) throw refuseInvalid('The root folder cannot be moved')
    const target = findTarget(deps, destination)
    if (target.folderId === folder.parentId) return folder
    assertOutside(deps, folder, target)
    await makeFolders(deps, target)
    await moveTo(deps, placed(deps, 'folder', folder, { folderId: target.folderId, name: folder.name }), {})
    return requireFolder(deps, id)
  })
}

function assertOutside({ catalog }: StorageDeps, folder: FolderRow, target: Target): void {
  const key = catalog.folders.keyOf(folder.id)
  if (target.key === key || target.key.startsWith(`${key}/`)) {
    throw refuseInvalid('A folder cannot be moved into itself')
  }
}

function requireFile({ catalog }: StorageDeps, id: string): FileRow {
  const file = catalog.files.byId(id)
  if (!file || catalog.folders.keyOf(file.folderId) === undefined) throw refuseNotFound('File not found')
  return file
}

function requireFolder({ catalog }: StorageDeps, id: string): FolderRow {
  const folder = catalog.folders.byId(id)
  if (!folder || catalog.folders.keyOf(id) === undefined) throw refuseNotFound('Folder not found')
  return folder
}

type Move = Pick<MovePlan, 'what' | 'id' | 'from' | 'to'>

/** A file or folder, where it is and where it is to be. */
function placed(
  { catalog }: StorageDeps,
  what: MovePlan['what'],
  row: FileRow | FolderRow,
  to: { folderId: string; name: string },
): Move {
  const parentId = ('folderId' in row ? row.folderId : row.parentId) ?? ''
  const place = (folderId: string, name: string): Place => {
    const key = catalog.folders.keyOf(folderId)
    if (key === undefined) throw refuseNotFound('Folder not found')
    return { parentId: folderId, name, key: joinKey(key, name) }
  }
  return { what, id: row.id, from: place(parentId, row.name), to: place(to.folderId, to.name) }
}

/**
 * Announce, give the new name on the volume, change the row, take the old name away. After a crash the row
 * tells whether to finish or to go back.
 */
async function moveTo(deps: StorageDeps, move: Move, also: Partial<FileRow>): Promise<void> {
  const { catalog, volume, clock, random, log } = deps
  const { what, id, from, to } = move
  const folderKey = to.key.slice(0, -to.name.length).replace(/\/$/, '')
  await assertFree(deps, { folderId: to.parentId, key: folderKey }, to.name)
  const plan: MovePlan = { kind: 'move', ...move, identity: (await volume.identify(from.key)) ?? null }
  const intentId = random.id()
  const now = clock.now()
  await catalog.transact(() => catalog.intents.insert({ id: intentId, plan, createdAt: now }))
  try {
    if (plan.identity && what === 'file') await volume.linkFile(from.key, to.key)
    await catalog.transact(() => {
      if (what === 'file') {
        const mimeType = mediaType(to.name)
        catalog.files.update(id, { folderId: to.parentId, name: to.name, mimeType, updatedAt: now, ...also })
        return
      }
      // In the same turn as the commit, so that nobody finds the folder under neither name.
      if (plan.identity) volume.renameDirectory(from.key, to.key)
      catalog.folders.update(id, { parentId: to.parentId, name: to.name, updatedAt: now })
    })
  } catch (error) {
    if (error instanceof UnknownOutcome) throw error
    await settleMove(deps, plan)
    await catalog.transact(() => catalog.intents.remove(intentId))
    throw error
  }
  try {
    await settleMove(deps, plan)
    await catalog.transact(() => catalog.intents.remove(intentId))
  } catch (error) {
    log.error('The old name of a moved file could not be removed; the next start tries again', error)
  }
}
