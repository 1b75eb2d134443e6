import type { FileColumns, FileRow } from '../catalog/files.ts'
import type { FolderRow } from '../catalog/folders.ts'
import type { Work } from '../catalog/query.ts'
import { refuseInvalid } from '../platform/errors.ts'
import { joinKey } from '../platform/names.ts'
import { announce, change } from './change.ts'
import { mediaType } from './new-file.ts'
import type { StorageDeps } from './parts.ts'
import { byDirectory, type MovePlan } from './plan.ts'
import { assertAllFree } from './publish.ts'
import { parentIdOf } from './recover.ts'
import {
  type Destination,
  findTarget,
  type Located,
  locateFile,
  locateFolder,
  requireFile,
  requireFolder,
  type Target,
} from './target.ts'

/** Columns of a file that its users may change; the others follow from its place and its bytes. */
export type FileChanges = Pick<FileColumns, 'name' | 'visibility'>

/**
 * Changes a file's name, its visibility, or both in one transaction. A visibility that is not requested is
 * not written, because a bulk change may commit between the read and the write.
 *
 * @throws {Refusal} `not_found`, `invalid` for too long a key, `conflict`.
 */
export function changeFile(deps: StorageDeps, id: string, changes: FileChanges): Promise<FileRow> {
  const { catalog, clock, lock } = deps
  return lock.exclusive(async () => {
    const { row, key, folder } = await catalog.read(() => locateFile(deps, id))
    const { name = row.name, ...others } = changes
    const finish = () => requireFile(deps, id)
    if (name !== row.name)
      return moveTo(deps, { what: 'file', row, key, target: folder, name, also: others, finish })
    return catalog.transact(function* () {
      yield* catalog.files.update(id, { ...others, updatedAt: clock.now() })
      return yield* finish()
    })
  })
}

/**
 * Moves a file to another folder, which is created if missing. It keeps its id, name and visibility.
 *
 * @throws {Refusal} `not_found`, `invalid` for too long a key, `conflict`.
 */
export function moveFile(deps: StorageDeps, id: string, destination: Destination): Promise<FileRow> {
  return deps.lock.exclusive(async () => {
    const [{ row, key }, target] = await deps.catalog.read(function* () {
      return [yield* locateFile(deps, id), yield* findTarget(deps, destination)]
    })
    if (target.folderId === row.folderId) return row
    const finish = () => requireFile(deps, id)
    return moveTo(deps, { what: 'file', row, key, target, name: row.name, finish })
  })
}

/** New name of a folder, and visibility of every file below it. */
export interface FolderChanges {
  name: string
  visibility?: FileRow['visibility'] | undefined
}

/**
 * Renames a folder by one row and one `rename(2)`, whatever lies below. A visibility is set in the same transaction,
 * file by file: only for few files.
 *
 * @throws {Refusal} `not_found`, `invalid` for the root or too long a key, `conflict`.
 */
export function renameFolder(
  deps: StorageDeps,
  id: string,
  { name, visibility }: FolderChanges,
): Promise<FolderRow> {
  const { catalog, clock } = deps
  function* finish(): Work<FolderRow> {
    if (visibility !== undefined)
      yield* catalog.bulk.setVisibilityBelow({ folderId: id, visibility, updatedAt: clock.now() })
    return yield* requireFolder(deps, id)
  }
  return deps.lock.exclusive(async () => {
    const [{ row, key }, target] = await deps.catalog.read(function* () {
      const folder = yield* locateFolder(deps, id)
      const { parentId } = folder.row
      if (parentId === null) throw refuseInvalid('The root folder cannot be renamed')
      return [folder, yield* findTarget(deps, { folderId: parentId })]
    })
    if (row.name === name) return catalog.transact(finish)
    return moveTo(deps, { what: 'folder', row, key, target, name, finish })
  })
}

/**
 * Moves a folder with everything below it by one row and one `rename(2)`.
 *
 * @throws {Refusal} `not_found`, `invalid` for the root, a destination inside the folder or too long a key,
 *   `conflict`.
 */
export function moveFolder(deps: StorageDeps, id: string, destination: Destination): Promise<FolderRow> {
  return deps.lock.exclusive(async () => {
    const [{ row, key }, target] = await deps.catalog.read(function* () {
      const folder = yield* locateFolder(deps, id)
      if (folder.row.parentId === null) throw refuseInvalid('The root folder cannot be moved')
      const target = yield* findTarget(deps, destination)
      if (target.key === folder.key || target.key.startsWith(`${folder.key}/`))
        throw refuseInvalid('A folder cannot be moved into itself')
      return [folder, target]
    })
    if (target.folderId === row.parentId) return row
    const finish = () => requireFolder(deps, id)
    return moveTo(deps, { what: 'folder', row, key, target, name: row.name, finish })
  })
}

interface Move<Row> extends Located<FileRow | FolderRow> {
  what: MovePlan['what']
  target: Target
  /** Name in the target. */
  name: string
  /** Further columns of a file to change. */
  also?: FileColumns
  /**
   * Ends the transaction: makes further changes and reads the row, because another change may commit right
   * after it.
   */
  finish: () => Work<Row>
}

async function planMove(deps: StorageDeps, move: Move<unknown>): Promise<MovePlan> {
  const { random, volume } = deps
  const { what, row, key, target, name } = move
  const from = { parentId: parentIdOf(row) ?? '', name: row.name, key }
  const to = { parentId: target.folderId, name, key: joinKey(target.key, name) }
  const folders = target.missing.map(({ key }) => key)
  const kind = what === 'file' ? 'file' : 'directory'
  const identity = (await volume.identify(key, kind)) ?? null
  const aside = what === 'file' && identity ? { aside: volume.aside.newName(random.bytes) } : {}
  return { kind: 'move', what, id: row.id, from, to, folders, identity, ...aside }
}

/**
 * Commits the intent, creates missing folders, then moves name and row in one turn. If the entry at the old
 * path is not the known file, it is left alone and only the row moves.
 */
async function moveTo<Row>(deps: StorageDeps, move: Move<Row>): Promise<Row> {
  const { key, target, name } = move
  const keys = [key, joinKey(target.key, name)]
  return change(deps, { failure: `"${key}" could not be moved`, keys }, async () => {
    const plan = await planMove(deps, move)
    await deps.keyLimit.admitMove(plan)
    await assertAllFree(deps, { missing: target.missing, files: [{ ...target, name }] })
    const { value, finished } = await announce(deps, { plan, commit: () => carryOut(deps, plan, move) })
    await finished
    return value
  })
}

async function carryOut<Row>(
  deps: StorageDeps,
  plan: MovePlan,
  { target, also, finish }: Move<Row>,
): Promise<Row> {
  const { catalog, volume, clock } = deps
  const { what, id, from, to, identity, aside } = plan
  for (const [key, { folders }] of byDirectory(plan.folders ?? [], []))
    await volume.add(key, { folders, files: [] })
  return catalog.transact(function* () {
    volume.assertPresent()
    const updatedAt = clock.now()
    yield* catalog.folders.insert(target.missing.map(({ row }) => row))
    if (what === 'file') {
      const place = { folderId: to.parentId, name: to.name, mimeType: mediaType(to.name) }
      if (identity && aside !== undefined) volume.moveFile(from.key, to.key, { aside, identity })
      yield* catalog.files.update(id, { ...place, updatedAt, ...also })
      return yield* finish()
    }
    if (identity) volume.renameDirectory(from.key, to.key)
    yield* catalog.folders.update(id, { parentId: to.parentId, name: to.name, updatedAt })
    return yield* finish()
  })
}
