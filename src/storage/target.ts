import type { FileRow } from '../catalog/files.ts'
import type { FolderRow } from '../catalog/folders.ts'
import { refuseConflict, refuseNotFound } from '../errors.ts'
import { joinKey } from '../volume/names.ts'
import type { StorageDeps } from './storage.ts'

/** A folder that something is to be put into: by its id, or by names from the root, made when missing. */
export type Destination = { folderId: string } | { folder: readonly string[] }

/** A destination as the catalog has it: what exists, and what is to be made. */
export interface Target {
  key: string
  folderId: string
  /** Keys and rows of the folders to make, parents first. */
  missing: { key: string; row: FolderRow }[]
}

/** @throws {Refusal} `not_found` for an unknown id, `conflict` when a file stands where a folder is needed. */
export function findTarget(deps: StorageDeps, destination: Destination): Target {
  if ('folder' in destination) return findOrPlan(deps, destination.folder)
  const key = deps.catalog.folders.keyOf(destination.folderId)
  if (key === undefined) throw refuseNotFound('Folder not found')
  return { key, folderId: destination.folderId, missing: [] }
}

function findOrPlan({ catalog, random, clock }: StorageDeps, segments: readonly string[]): Target {
  const missing: Target['missing'] = []
  const now = clock.now()
  let folderId = catalog.folders.root()
  let key = ''
  for (const name of segments) {
    key = joinKey(key, name)
    const existing = missing.length === 0 ? catalog.folders.byName(folderId, name) : undefined
    if (existing) {
      folderId = existing.id
      continue
    }
    if (missing.length === 0) assertNoFile(catalog.files.byName(folderId, name))
    const row = { id: random.id(), parentId: folderId, name, createdAt: now, updatedAt: now }
    missing.push({ key, row })
    folderId = row.id
  }
  return { key, folderId, missing }
}

function assertNoFile(file: FileRow | undefined): void {
  if (file) throw refuseConflict(`A file named "${file.name}" stands where a folder is needed`)
}

/**
 * Refuses a name that is taken in `target`, in the catalog or on disk: what stands there is not ours to
 * replace.
 *
 * @throws {Refusal} `conflict`.
 */
export async function assertFree(
  deps: StorageDeps,
  { folderId, key }: Pick<Target, 'folderId' | 'key'>,
  name: string,
): Promise<void> {
  const { catalog, volume } = deps
  const taken = (what: string) => refuseConflict(`${what} named "${name}" exists in this folder already`)
  if (catalog.files.byName(folderId, name)) throw taken('A file')
  if (catalog.folders.byName(folderId, name)) throw taken('A folder')
  if (await volume.identify(joinKey(key, name))) throw taken('Something')
}
