import type { Work } from '../../catalog/engine/query.ts'
import type { FileRow } from '../../catalog/tree/files.ts'
import type { FolderRow } from '../../catalog/tree/folders.ts'
import { joinKey } from '../../platform/names.ts'
import { byDirectory } from '../../volume/directory.ts'
import {
  type FileChanges,
  type FolderChanges,
  type Move,
  moveRow,
  type PlannedMove,
  planFileChange,
  planFileMove,
  planFolderChange,
  planFolderMove,
} from '../moves.ts'
import type { Destination, Located } from '../tree.ts'
import { announce, change, type StorageDeps } from './change.ts'
import type { MovePlan } from './plan.ts'
import { assertAllFree } from './publish.ts'
import { parentIdOf } from './recover.ts'

/**
 * Changes a file's name, its visibility, or both in one transaction.
 *
 * @throws {Refusal} `not_found`, `invalid` for too long a key, `conflict`.
 */
export const changeFile = (deps: StorageDeps, id: string, changes: FileChanges): Promise<Located<FileRow>> =>
  move(deps, () => planFileChange(deps, id, changes))

/**
 * Moves a file to another folder, which is created if missing. It keeps its id, name and visibility.
 *
 * @throws {Refusal} `not_found`, `invalid` for too long a key, `conflict`.
 */
export const moveFile = (
  deps: StorageDeps,
  id: string,
  destination: Destination,
): Promise<Located<FileRow>> => move(deps, () => planFileMove(deps, id, destination))

/**
 * Renames a folder by one row and one `rename(2)`, whatever lies below. A visibility is set in the same transaction,
 * file by file: only for few files.
 *
 * @throws {Refusal} `not_found`, `invalid` for the root or too long a key, `conflict`.
 */
export const renameFolder = (
  deps: StorageDeps,
  id: string,
  changes: FolderChanges,
): Promise<Located<FolderRow>> => move(deps, () => planFolderChange(deps, id, changes))

/**
 * Moves a folder with everything below it by one row and one `rename(2)`.
 *
 * @throws {Refusal} `not_found`, `invalid` for the root, a destination inside the folder or too long a key,
 *   `conflict`.
 */
export const moveFolder = (
  deps: StorageDeps,
  id: string,
  destination: Destination,
): Promise<Located<FolderRow>> => move(deps, () => planFolderMove(deps, id, destination))

const move = <Row>(deps: StorageDeps, plan: () => Work<PlannedMove<Row>>): Promise<Located<Row>> =>
  deps.lock.exclusive(async () => {
    const planned = await deps.catalog.read(plan)
    return 'stay' in planned ? deps.catalog.transact(planned.stay) : moveTo(deps, planned)
  })

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
async function moveTo<Row>(deps: StorageDeps, move: Move<Row>): Promise<Located<Row>> {
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

async function carryOut<Row>(deps: StorageDeps, plan: MovePlan, move: Move<Row>): Promise<Located<Row>> {
  const { catalog, volume } = deps
  const { what, from, to, identity, aside } = plan
  for (const [key, { folders }] of byDirectory(plan.folders ?? [], []))
    await volume.add(key, { folders, files: [] })
  return catalog.transact(function* () {
    volume.assertPresent()
    return yield* moveRow(deps, move, () => {
      if (identity && what === 'folder') volume.renameDirectory(from.key, to.key)
      if (identity && aside !== undefined) volume.moveFile(from.key, to.key, { aside, identity })
    })
  })
}
