import type { FileRow } from '../catalog/files.ts'
import type { FolderRow } from '../catalog/folders.ts'
import { UnknownOutcome } from '../catalog/transactions.ts'
import type { Visibility } from '../config.ts'
import { refuseConflict } from '../errors.ts'
import { mediaType } from '../http/media-type.ts'
import { joinKey } from '../volume/names.ts'
import type { StagedFile } from '../volume/staging.ts'
import type { UploadPlan } from './plan.ts'
import { undoUpload } from './recover.ts'
import type { StorageDeps } from './storage.ts'
import { assertFree, findTarget, type Target } from './target.ts'

export interface Upload {
  /** Names from the root to the target folder; missing ones are created. */
  folder: readonly string[]
  files: readonly { name: string; staged: StagedFile }[]
  visibility: Visibility
  uploadedBy: string
  /** More rows for the transaction that makes the files exist. */
  alongside: () => void
}

/**
 * Makes staged files exist, all of them or none (design §1): announce, make directories, link, then one
 * transaction. A crash before the last step is undone at the next start; after it, the upload stands.
 *
 * @throws {Refusal} `invalid` for too long a key, `conflict` when a name is taken, also by something the
 *   catalog does not know.
 */
export async function publishUpload(deps: StorageDeps, upload: Upload): Promise<FileRow[]> {
  const { catalog, lock } = deps
  const published = await lock.shared(async () =>
    catalog.folders.idAt(upload.folder) === undefined ? undefined : publish(deps, upload),
  )
  return published ?? lock.exclusive(() => publish(deps, upload))
}

/**
 * Makes a folder, with the folders above it that are missing.
 *
 * @throws {Refusal} `conflict` when it exists, or something is in the way.
 */
export function createFolder(deps: StorageDeps, segments: readonly string[]): Promise<FolderRow> {
  return deps.lock.exclusive(async () => {
    const target = findTarget(deps, { folder: segments })
    const created = target.missing.at(-1)
    if (!created) throw refuseConflict(`The folder "${target.key}" exists already`)
    await publishInto(deps, target, { files: [], insert: () => [] })
    return created.row
  })
}

function publish(deps: StorageDeps, upload: Upload): Promise<FileRow[]> {
  const target = findTarget(deps, { folder: upload.folder })
  return publishInto(deps, target, { files: upload.files, insert: () => insertFiles(deps, target, upload) })
}

interface Publication {
  files: Upload['files']
  /** Inserts the rows of the files; part of the transaction that makes everything exist. */
  insert: () => FileRow[]
}

async function publishInto(
  deps: StorageDeps,
  target: Target,
  { files, insert }: Publication,
): Promise<FileRow[]> {
  const { catalog, volume } = deps
  const plan = planUpload(target, files)
  deps.keyLimit.admit(plan)
  await assertAllFree(deps, target, files)
  const intentId = deps.random.id()
  await catalog.transact(() => catalog.intents.insert({ id: intentId, plan, createdAt: deps.clock.now() }))
  try {
    for (const folder of plan.folders) await volume.makeDirectory(folder)
    const staged = files.map(({ name, staged }) => ({ name, stagedPath: staged.path }))
    if (staged.length > 0) await volume.publish(target.key, staged)
    return await catalog.transact(() => {
      catalog.folders.insert(target.missing.map(({ row }) => row))
      const rows = insert()
      catalog.intents.remove(intentId)
      return rows
    })
  } catch (error) {
    if (error instanceof UnknownOutcome) throw error
    await undoUpload(volume, plan)
    await catalog.transactToFree(() => catalog.intents.remove(intentId))
    throw error
  }
}

/**
 * Refuses names that are taken in `target`, or that of its topmost folder to make.
 *
 * @throws {Refusal} `conflict`.
 */
export async function assertAllFree(
  deps: StorageDeps,
  target: Target,
  files: readonly { name: string }[],
): Promise<void> {
  const [topmost] = target.missing
  if (topmost) {
    // Below a folder that does not exist yet nothing can be taken.
    const { parentId, name } = topmost.row
    const parentKey = topmost.key.slice(0, -name.length - 1)
    return assertFree(deps, { folderId: parentId ?? '', key: parentKey }, name)
  }
  for (const { name } of files) await assertFree(deps, target, name)
}

const planUpload = (target: Target, files: Upload['files']): UploadPlan => ({
  kind: 'upload',
  folders: target.missing.map(({ key }) => key),
  files: files.map(({ name, staged }) => ({ key: joinKey(target.key, name), identity: staged.identity })),
})

function insertFiles({ catalog, clock, random }: StorageDeps, target: Target, upload: Upload): FileRow[] {
  const now = clock.now()
  const rows = upload.files.map(({ name, staged }) => ({
    id: random.id(),
    folderId: target.folderId,
    name,
    mimeType: mediaType(name),
    size: staged.size,
    crc32: staged.crc32,
    sha256: staged.sha256,
    visibility: upload.visibility,
    uploadedBy: upload.uploadedBy,
    createdAt: now,
    updatedAt: now,
  }))
  catalog.files.insert(rows)
  upload.alongside()
  return rows
}
