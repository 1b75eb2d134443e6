import type { FileRow } from '../../catalog/tree/files.ts'
import type { TrashedFile } from '../../catalog/tree/trash.ts'
import type { VersionRow } from '../../catalog/tree/versions.ts'
import { isVersionId } from '../../volume/versions.ts'
import type { Volume } from '../../volume/volume.ts'
import type { OpenedFile } from '../content.ts'
import type { ObjectReader } from '../objects/verify.ts'
import type { BackupStore } from './store.ts'

type Opening = OpenedFile | undefined | Promise<OpenedFile | undefined>

/** Place that the bytes of rows are copied from. Each function opens them; `undefined` when they are not there. */
export interface Origin {
  ofFile: (row: FileRow, key: string) => Opening
  ofVersion: (row: VersionRow) => Opening
  /** @param path Place below `trash/`. */
  ofTrashed: (row: TrashedFile, path: string) => Opening
}

/** Bytes in a data folder. */
export const folderOrigin = (volume: Volume): Origin => ({
  ofFile: (_, key) => volume.openFile({ key }),
  ofVersion: ({ id }) => (isVersionId(id) ? volume.versions.open(id) : undefined),
  ofTrashed: (_, path) => volume.trash.openFile(path),
})

/** Bytes in an object store. */
export function objectOrigin(objects: ObjectReader): Origin {
  const open = async ({ blobId, size }: Pick<FileRow, 'blobId' | 'size'>) =>
    blobId !== null && (await objects.sizeOf(blobId)) === size
      ? objects.open({ id: blobId, size })
      : undefined
  return { ofFile: open, ofVersion: open, ofTrashed: open }
}

/** Bytes in a folder of backups. */
export function backupOrigin(store: BackupStore): Origin {
  const open = ({ sha256 }: Pick<FileRow, 'sha256'>) => store.open(sha256)
  return { ofFile: open, ofVersion: open, ofTrashed: open }
}
