import type { Work } from '../../catalog/engine/query.ts'
import { joinKey } from '../../platform/names.ts'
import { byDirectory } from '../../volume/directory.ts'
import { type Move, moveRow, type PlannedMove } from '../moves.ts'
import { type Located, parentIdOf } from '../tree.ts'
import { announce, change, type FolderDeps } from './change.ts'
import type { MovePlan } from './plan.ts'
import { assertAllFree } from './publish.ts'

/** Moves or renames a file or folder by one row and one `rename(2)`, whatever lies below it. */
export const move = <Row>(deps: FolderDeps, plan: () => Work<PlannedMove<Row>>): Promise<Located<Row>> =>
  deps.lock.exclusive(async () => {
    const planned = await deps.catalog.read(plan)
    return 'stay' in planned ? deps.catalog.transact(planned.stay) : moveTo(deps, planned)
  })

async function planMove(deps: FolderDeps, move: Move<unknown>): Promise<MovePlan> {
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
async function moveTo<Row>(deps: FolderDeps, move: Move<Row>): Promise<Located<Row>> {
  const { key, target, name } = move
  const keys = [key, joinKey(target.key, name)]
  return change(deps, { failure: `"${key}" could not be moved`, keys }, async () => {
    const plan = await planMove(deps, move)
    await deps.keyLimit.admitMove(plan)
    await assertAllFree(deps, {
      missing: target.missing,
      files: [{ folderId: target.folderId, name, key: plan.to.key }],
    })
    const { value, finished } = await announce(deps, { plan, commit: () => carryOut(deps, plan, move) })
    await finished
    return value
  })
}

async function carryOut<Row>(deps: FolderDeps, plan: MovePlan, move: Move<Row>): Promise<Located<Row>> {
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
