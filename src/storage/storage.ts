import type { FileRow } from '../catalog/files.ts'
import type { Catalog } from '../catalog/open.ts'
import type { Clock, Log, Random } from '../deps.ts'
import type { Volume } from '../volume/open.ts'
import { publishUpload, type Upload } from './publish.ts'
import { removeFile } from './remove.ts'
import { TreeLock } from './tree-lock.ts'

export interface StorageDeps {
  catalog: Catalog
  volume: Volume
  clock: Clock
  random: Random
  log: Log
  lock: TreeLock
}

export type Storage = ReturnType<typeof createStorage>

/**
 * Every operation that changes the catalog and the volume together, each in one order that a crash at any
 * point leaves recoverable. Nothing else may change both.
 */
export function createStorage(given: Omit<StorageDeps, 'lock'>) {
  const deps: StorageDeps = { ...given, lock: new TreeLock() }
  return {
    publishUpload: (upload: Upload): Promise<FileRow[]> => publishUpload(deps, upload),
    removeFile: (id: string, alongside: (file: FileRow) => void): Promise<FileRow | undefined> =>
      removeFile(deps, id, alongside),
  }
}
