import type { Work } from '../../catalog/engine/query.ts'
import { withVisibility } from '../../catalog/publication.ts'
import { refuseForNow } from '../../platform/errors.ts'
import { joinKey, type NamedItem, numberedName, searchNumber, segmentsOf } from '../../platform/names.ts'
import type { NewPlace } from '../engine.ts'
import {
  assertNameFree,
  type Destination,
  FolderPlan,
  findTarget,
  refuseTaken,
  type Target,
  type TreeDeps,
} from '../tree.ts'
import { decideOn, newRows, type Published, planFolders, type Upload } from '../upload.ts'
import { assertFits, type ObjectDeps } from './deps.ts'

/** Attempts to publish an upload whose folders change meanwhile. */
const MAX_TRIES = 10

/** Error of a plan that is not true any more when its transaction runs. */
class Outdated extends Error {}

/**
 * Publishes blobs and their folders, all of them or none, in one transaction: it plans the folders again, and fails
 * when a blob was given up.
 *
 * @throws {Refusal} `invalid` for too long a key, `conflict` when a name is taken, `unavailable`.
 */
export async function publishUpload(deps: ObjectDeps, upload: Upload): Promise<Published> {
  for (let tries = 1; ; tries++) {
    try {
      return await tryToPublish(deps, upload)
    } catch (error) {
      if (!(error instanceof Outdated)) throw error
      if (tries === MAX_TRIES) throw refuseForNow('The folders are changing too fast, try again', error)
    }
  }
}

async function tryToPublish(deps: ObjectDeps, upload: Upload): Promise<Published> {
  const plan = await planFolders(deps, upload)
  const { missing } = plan
  const files = upload.files.map(({ folder, ...file }) => ({ ...plan.at(folder), ...file }))
  assertFits(missing.map(({ key }) => key))
  assertDistinct([...missing.map(({ key }) => key), ...files.map(({ key, name }) => joinKey(key, name))])
  const rows = await newRows(deps, files, upload)
  const folders = missing.map(({ row }) => row)
  const terms = await deps.catalog.publish({ folders, files: rows }, function* () {
    yield* assertPlanned(deps, upload, plan)
    const made = new Set(folders.map(({ id }) => id))
    for (const { folderId, name } of files)
      if (!made.has(folderId)) yield* assertNameFree(deps, folderId, name)
    return yield* decideOn(deps, upload, rows)
  })
  return { folders, files: rows.map((row) => withVisibility(row, terms)) }
}

/** @throws {Refusal} `invalid` for too long a key, `conflict` for one that occurs twice. */
function assertDistinct(keys: readonly string[]): void {
  assertFits(keys)
  const seen = new Set<string>()
  for (const key of keys) {
    if (seen.has(key)) throw refuseTaken('Something', key.slice(key.lastIndexOf('/') + 1))
    seen.add(key)
  }
}

/** @throws {Outdated} when a folder of the plan was moved, replaced, deleted or made since. */
function* assertPlanned(deps: TreeDeps, { folders }: Pick<Upload, 'folders'>, plan: FolderPlan): Work<void> {
  const now = new FolderPlan(deps)
  for (const folder of folders) yield* now.add(folder)
  const planned = existingParents(plan)
  const found = existingParents(now)
  const isSame =
    found.size === planned.size &&
    found.entries().every(([key, parentId]) => planned.has(key) && planned.get(key) === parentId) &&
    folders.every((folder) => {
      const { key, folderId } = plan.at(folder)
      return planned.has(key) || now.at(folder).folderId === folderId
    })
  if (!isSame) throw new Outdated()
}

/** Returns the keys of missing folders with the ids of their parents, which are `undefined` for missing ones. */
function existingParents({ missing }: FolderPlan): Map<string, string | null | undefined> {
  const made = new Set(missing.map(({ row }) => row.id))
  return new Map(
    missing.map(({ key, row: { parentId } }) => [key, made.has(parentId ?? '') ? undefined : parentId]),
  )
}

/** Refuses a file that could not be published now. @throws {Refusal} `invalid`, `conflict`. */
export const assertPublishable = (deps: ObjectDeps, { folder, name, visibility }: NewPlace): Promise<void> =>
  deps.catalog.read(function* () {
    const target = yield* findTarget(deps, { folder }, visibility)
    assertFits([joinKey(target.key, name)])
    if (target.missing.length === 0) yield* assertNameFree(deps, target.folderId, name)
  })

/** Finds the folder of a copy by its names from the root, and a free name there. */
export const placeCopy = (
  deps: ObjectDeps,
  destination: Destination,
  item: NamedItem,
): Promise<{ folder: string[]; name: string }> =>
  deps.catalog.read(function* () {
    const target = yield* findTarget(deps, destination)
    const name = yield* findFreeName(deps, target, item)
    return { folder: segmentsOf(target.key), name }
  })

/** Finds a name for an item that is not taken in its target. @throws {Refusal} `conflict` when none is free. */
export function* findFreeName(deps: TreeDeps, target: Target, item: NamedItem): Work<string> {
  if (target.missing.length > 0) return item.name
  const search = searchNumber()
  let step = search.next()
  while (!step.done) {
    const holder = yield* deps.catalog.names.holderOf(target.folderId, numberedName(item, step.value))
    step = search.next(holder !== undefined)
  }
  if (step.value === undefined) throw refuseTaken('Something', item.name)
  return numberedName(item, step.value)
}
