import { UnknownOutcome } from '../../catalog/engine/query.ts'
import { withVisibility } from '../../catalog/publication.ts'
import { isRefused } from '../../platform/errors.ts'
import { findNumber, joinKey, type NamedItem, numberedName, segmentsOf } from '../../platform/names.ts'
import { byDirectory } from '../../volume/directory.ts'
import type { StagedFile as StagedOnDisk } from '../../volume/staging.ts'
import type { StagedFile } from '../content.ts'
import type { NewPlace } from '../engine.ts'
import type { Operations } from '../operations.ts'
import {
  assertNameFree,
  type Destination,
  type FolderPlan,
  findTarget,
  type NewFolder,
  refuseTaken,
  type Target,
} from '../tree.ts'
import { decideOn, newRows, type Published, planFolders, type Upload } from '../upload.ts'
import { change, type FolderDeps } from './change.ts'
import type { UploadPlan } from './plan.ts'

/**
 * Publishes staged files and their folders, all of them or none (docs/architecture.md): commits the intent,
 * creates directories, links, then commits one transaction. Recovery rolls back a crash before the last step;
 * after it, the upload stands.
 *
 * @throws {Refusal} `invalid` for too long a key, `conflict` when a name is taken, even by an entry that the
 *   catalog does not know.
 */
export async function publishUpload(deps: FolderDeps, upload: Upload): Promise<Published> {
  const published = await deps.lock.shared(async () => {
    const plan = await planFolders(deps, upload)
    return plan.missing.length === 0 ? publish(deps, plan, upload) : undefined
  })
  return published ?? deps.lock.exclusive(async () => publish(deps, await planFolders(deps, upload), upload))
}

/**
 * Refuses a file that could not be published now, before its bytes are sent.
 *
 * @throws {Refusal} `invalid` for too long a key, `conflict` when the name is taken.
 */
export function assertPublishable(deps: FolderDeps, { folder, name, visibility }: NewPlace): Promise<void> {
  // Inside the lock, because a new folder is on disk before the catalog knows it.
  return deps.lock.shared(async () => {
    const target = await deps.catalog.read(() => findTarget(deps, { folder }, visibility))
    const key = joinKey(target.key, name)
    deps.keyLimit.admit({ folders: [], files: [{ key }] })
    await change(deps, notStored([key]), () =>
      assertAllFree(deps, { missing: target.missing, files: [{ folderId: target.folderId, name, key }] }),
    )
  })
}

/**
 * Runs the rest of a transaction in which folders exist.
 *
 * @throws {Refusal} `invalid` for too long a key, `conflict` when something is in the way, what `alongside` throws.
 */
export const makeFolders: Operations<FolderDeps>['makeFolders'] = (deps, folders, alongside) =>
  deps.lock.exclusive(async () => {
    const { catalog, volume } = deps
    const plan = await planFolders(deps, { folders })
    const { missing } = plan
    if (missing.length === 0) return catalog.transact(() => alongside(plan))
    return publishPlan(deps, { missing, files: [] }, (intentId) =>
      catalog.transact(function* () {
        volume.assertPresent()
        yield* catalog.folders.insert(missing.map(({ row }) => row))
        const value = yield* alongside(plan)
        yield* catalog.intents.remove(intentId)
        return value
      }),
    )
  })

async function publish(deps: FolderDeps, plan: FolderPlan, upload: Upload): Promise<Published> {
  const files = upload.files.map(({ folder, staged, ...file }) => {
    const { folderId, key } = plan.at(folder)
    return { ...file, folderId, key: joinKey(key, file.name), staged: onDisk(staged) }
  })
  const rows = await newRows(deps, files, upload)
  const folders = plan.missing.map(({ row }) => row)
  const terms = await publishPlan(deps, { missing: plan.missing, files }, (intentId) =>
    deps.catalog.publish({ intentId, folders, files: rows }, () => {
      deps.volume.assertPresent()
      return decideOn(deps, upload, rows)
    }),
  )
  return { folders, files: rows.map((row) => withVisibility(row, terms)) }
}

/** Name in a folder, with the key that it makes. */
interface Place {
  folderId: string
  name: string
  key: string
}

interface Publication {
  /** Folders to create, parents first. */
  missing: readonly NewFolder[]
  files: readonly (Place & { staged: StagedOnDisk })[]
}

/** Commits the rows of a publication, and removes its intent in the same transaction. */
type Commit<Value> = (intentId: string) => Promise<Value>

const notStored = (keys: readonly string[]) => ({ failure: `"${keys[0]}" could not be stored`, keys })

function publishPlan<Value>(
  deps: FolderDeps,
  publication: Publication,
  commit: Commit<Value>,
): Promise<Value> {
  const { missing, files } = publication
  const keys = files.map(({ key }) => key)
  const plan: UploadPlan = {
    kind: 'upload',
    folders: missing.map(({ key }) => key),
    files: files.map(({ key, staged: { identity } }) => ({ key, identity })),
  }
  deps.keyLimit.admit(plan)
  return change(deps, notStored([...keys, ...plan.folders]), async () => {
    await assertAllFree(deps, publication)
    try {
      return await deps.lock.publish(keys, () => commitPlan(deps, { plan, publication, commit }))
    } catch (error) {
      // A name may have been refused for another publication that is not committed yet.
      for (const key of keys) await deps.lock.published(key)
      throw error
    }
  })
}

async function commitPlan<Value>(
  deps: FolderDeps,
  { plan, publication, commit }: { plan: UploadPlan; publication: Publication; commit: Commit<Value> },
): Promise<Value> {
  const { volume, unfinished } = deps
  const intentId = deps.random.id()
  await unfinished.announce(intentId, plan)
  try {
    for (const [key, additions] of additionsOf(publication)) await volume.add(key, additions)
    return await commit(intentId)
  } catch (error) {
    if (error instanceof UnknownOutcome) throw error
    await unfinished.finish(intentId, plan)
    throw error
  }
}

/**
 * Refuses taken names for files, or for folders to create.
 *
 * @throws {Refusal} `conflict`.
 */
export async function assertAllFree(
  deps: FolderDeps,
  { missing, files }: { missing: readonly NewFolder[]; files: readonly Place[] },
): Promise<void> {
  // Nothing can be taken in a folder that does not exist yet.
  const made = new Set(missing.map(({ row }) => row.id))
  for (const { key, row } of missing) {
    // The catalog was asked for the name when the folder was planned.
    if (!made.has(row.parentId ?? '')) await assertFreeOnDisk(deps, key, row.name)
  }
  for (const file of files) if (!made.has(file.folderId)) await assertFree(deps, file)
}

const additionsOf = ({ missing, files }: Publication) =>
  byDirectory(
    missing.map(({ key }) => key),
    files.map(({ key, staged: { path } }) => ({ key, stagedPath: path })),
  )

/**
 * Refuses a name that is taken, in the catalog or on disk. An unknown entry on disk is never
 * replaced.
 *
 * @throws {Refusal} `conflict`.
 */
async function assertFree(deps: FolderDeps, { folderId, name, key: target }: Place): Promise<void> {
  await deps.lock.published(target)
  await deps.catalog.read(() => assertNameFree(deps, folderId, name))
  await assertFreeOnDisk(deps, target, name)
}

/** Refuses the key of an entry on disk. @throws {Refusal} `conflict`. */
async function assertFreeOnDisk(
  { volume }: Pick<FolderDeps, 'volume'>,
  key: string,
  name: string,
): Promise<void> {
  if (await volume.identify(key)) throw refuseTaken('Something', name)
}

/**
 * Returns the name of an item, or one with a number that is not taken in a folder. The caller holds the lock of the tree.
 *
 * @throws {Refusal} `conflict` when none is free.
 */
export async function findFreeName(deps: FolderDeps, target: Target, item: NamedItem): Promise<string> {
  if (target.missing.length > 0) return item.name
  const isTaken = async (name: string) => {
    try {
      await assertFree(deps, { folderId: target.folderId, name, key: joinKey(target.key, name) })
      return false
    } catch (error) {
      if (isRefused(error, 409)) return true
      throw error
    }
  }
  const number = await findNumber(item, isTaken)
  if (number === undefined) throw refuseTaken('Something', item.name)
  return numberedName(item, number)
}

/** Finds the folder of a copy by its names from the root, and a free name there. */
export const placeCopy = (deps: FolderDeps, destination: Destination, item: NamedItem) =>
  deps.lock.shared(async () => {
    const target = await deps.catalog.read(() => findTarget(deps, destination))
    return { folder: segmentsOf(target.key), name: await findFreeName(deps, target, item) }
  })

/** Returns staged bytes as the file on disk that they are. */
export function onDisk(staged: StagedFile): StagedOnDisk {
  if ('identity' in staged) return staged
  throw new Error('A blob cannot be published in the data folder')
}
