import type { Work } from '../../catalog/engine/query.ts'
import type { FolderRow } from '../../catalog/tree/folders.ts'
import type { TrashRow } from '../../catalog/tree/trash.ts'
import { refuseForNow } from '../../platform/errors.ts'
import { joinKey } from '../../platform/names.ts'
import {
  findPlace,
  findSides,
  itemOf,
  type Restored,
  returnRows,
  type Swap,
  swapRows,
} from '../trash/items.ts'
import { moveRowsToTrash, returnTree, sizeOf } from '../trash/rows.ts'
import type { TrashSteps } from '../trash/trash.ts'
import { assertFitsBelow, type Located } from '../tree.ts'
import { assertFits, type ObjectDeps, release } from './deps.ts'
import { findFreeName } from './publish.ts'

/** Files whose rows are removed per slice. */
const SLICE_FILES = 256

export const put: TrashSteps<ObjectDeps>['put'] = (deps, find, what) =>
  deps.catalog.transactToFree(
    function* () {
      const { item, leave } = yield* find()
      const row = { ...item, entry: item.id }
      yield* deps.catalog.trash.insert(row)
      yield* leave()
      return row
    },
    { stopsUploads: what === 'folder' },
  )

export function giveBack(deps: ObjectDeps, item: TrashRow): Promise<Restored> {
  const { id, kind } = item
  const isFolder = kind === 'folder'
  return deps.catalog.transact(
    function* () {
      const target = yield* findPlace(deps, item)
      const name = yield* findFreeName(deps, target, item)
      const key = joinKey(target.key, name)
      assertFits([...target.missing.map(({ key }) => key), key])
      if (isFolder) {
        yield* returnWhole(deps, id)
        yield* assertFitsBelow(deps.catalog, { id, key })
      }
      yield* returnRows(deps, { item, target, name })
      return { id, kind, name, key }
    },
    { stopsUploads: isFolder },
  )
}

export function swapFolders(
  deps: ObjectDeps,
  swap: Swap,
  item: TrashRow | undefined,
): Promise<Located<FolderRow>> {
  return deps.catalog.transact(
    function* () {
      const { old, from } = yield* findSides(deps, swap, item)
      const isLonger = Buffer.byteLength(old.key) > Buffer.byteLength(from)
      if (item) yield* returnWhole(deps, swap.id)
      if (item || isLonger) yield* assertFitsBelow(deps.catalog, { id: swap.id, key: old.key })
      const trashed = itemOf(old, swap, { now: deps.clock.now(), entry: swap.replaces })
      return yield* swapRows(deps, { swap, old, trashed, isTrash: item !== undefined })
    },
    { stopsUploads: true },
  )
}

/**
 * Moves the rows of a folder out of the trash.
 *
 * @throws {Refusal} `unavailable` when some stay there: another server is moving them back.
 */
function* returnWhole({ catalog }: Pick<ObjectDeps, 'catalog'>, id: string): Work<void> {
  yield* returnTree(catalog, id)
  if (!(yield* catalog.trash.hasAtMost(id, 0)))
    throw refuseForNow('The item is still being moved or deleted, try again soon', undefined)
}

/** Removes an item of the trash for good, in slices. Continues after an interruption. */
export async function purgeItem(deps: ObjectDeps, { id, kind }: TrashRow): Promise<void> {
  const { catalog } = deps
  // A crash may have left rows of it outside the trash.
  if (kind === 'folder') await moveRowsToTrash(catalog, id)
  for (let removed = SLICE_FILES; removed === SLICE_FILES; )
    removed = await catalog.transactToFree(() => purgeSlice(deps, id))
  await catalog.transactToFree(() => catalog.trash.removeItem(id))
}

function* purgeSlice(deps: ObjectDeps, id: string): Work<number> {
  const { trash, versions } = deps.catalog
  const files = yield* trash.someFiles(id, SLICE_FILES)
  const ids = files.map(({ id }) => id)
  const removed = yield* versions.removeOfFiles(ids)
  yield* trash.removeFiles(ids)
  yield* trash.add(id, { count: -files.length, size: -sizeOf(files) })
  yield* release(deps, [...files, ...removed])
  return files.length
}
