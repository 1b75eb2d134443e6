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

export interface Upload {
  /** Names from the root to the target folder; missing ones are created. */
  folder: readonly string[]
  files: readonly { name: string; staged: StagedFile }[]
  visibility: Visibility
  uploadedBy: string
  /** More rows for the transaction that makes the files exist. */
  alongside: () => void
}

/** The target of an upload as the catalog has it: what exists, and what is to be made. */
interface Target {
  key: string
  folderId: string
  missing: FolderRow[]
}

/**
 * Makes staged files exist, all of them or none (design §1): announce, make directories, link, then one
 * transaction. A crash before the last step is undone at the next start; after it, the upload stands.
 *
 * @throws {Refusal} `conflict` when a name is taken, also by something the catalog does not know.
 */
export async function publishUpload(deps: StorageDeps, upload: Upload): Promise<FileRow[]> {
  const { catalog, lock } = deps
  const published = await lock.shared(async () =>
    catalog.folders.idAt(upload.folder) === undefined ? undefined : publish(deps, upload),
  )
  return published ?? lock.exclusive(() => publish(deps, upload))
}

async function publish(deps: StorageDeps, upload: Upload): Promise<FileRow[]> {
  const { catalog, volume } = deps
  const target = findTarget(deps, upload.folder)
  const plan = planUpload(target, upload)
  await assertFree(deps, target, plan)

  const intentId = deps.random.id()
  await catalog.transact(() => catalog.intents.insert({ id: intentId, plan, createdAt: deps.clock.now() }))
  try {
    for (const folder of plan.folders) await volume.makeDirectory(folder)
    const staged = upload.files.map(({ name, staged }) => ({ name, stagedPath: staged.path }))
    await volume.publish(target.key, staged)
    return await catalog.transact(() => insertRows(deps, { upload, target, intentId }))
  } catch (error) {
    if (error instanceof UnknownOutcome) throw error
    await undoUpload(volume, plan)
    await catalog.transact(() => catalog.intents.remove(intentId))
    throw error
  }
}

function findTarget({ catalog, random, clock }: StorageDeps, segments: readonly string[]): Target {
  const missing: FolderRow[] = []
  let folderId = catalog.folders.root()
  const now = clock.now()
  for (const name of segments) {
    const existing = missing.length === 0 ? catalog.folders.byName(folderId, name) : undefined
    if (!existing && missing.length === 0) assertNoFile(catalog.files.byName(folderId, name))
    if (!existing) missing.push({ id: random.id(), parentId: folderId, name, createdAt: now, updatedAt: now })
    folderId = existing?.id ?? missing.at(-1)?.id ?? folderId
  }
  return { key: segments.join('/'), folderId, missing }
}

function assertNoFile(file: FileRow | undefined): void {
  if (file) throw refuseConflict(`A file named "${file.name}" stands where a folder is needed`)
}

function planUpload(target: Target, { folder, files }: Upload): UploadPlan {
  const existing = folder.length - target.missing.length
  return {
    kind: 'upload',
    folders: target.missing.map((_, index) => folder.slice(0, existing + index + 1).join('/')),
    files: files.map(({ name, staged }) => ({ key: joinKey(target.key, name), identity: staged.identity })),
  }
}

/** Refuses names that are taken, in the catalog or on disk: what stands there is not ours to replace or undo. */
async function assertFree({ catalog, volume }: StorageDeps, target: Target, plan: UploadPlan): Promise<void> {
  const topmost = plan.folders[0]
  if (topmost !== undefined) {
    if (await volume.identify(topmost)) throw refuseConflict(`Something stands at "${topmost}" already`)
    return
  }
  for (const { key } of plan.files) {
    const name = key.slice(key.lastIndexOf('/') + 1)
    if (catalog.files.byName(target.folderId, name))
      throw refuseConflict(`A file named "${name}" exists in this folder already`)
    if (catalog.folders.byName(target.folderId, name))
      throw refuseConflict(`A folder named "${name}" exists in this folder already`)
    if (await volume.identify(key))
      throw refuseConflict(`Something named "${name}" exists in this folder already`)
  }
}

interface Insertion {
  upload: Upload
  target: Target
  intentId: string
}

function insertRows(
  { catalog, clock, random }: StorageDeps,
  { upload, target, intentId }: Insertion,
): FileRow[] {
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
  catalog.folders.insert(target.missing)
  catalog.files.insert(rows)
  upload.alongside()
  catalog.intents.remove(intentId)
  return rows
}
