import { blobTime } from '../../blobs/blobs.ts'
import type { ReadableCatalog } from '../../catalog/catalog.ts'
import type { FileRow } from '../../catalog/tree/files.ts'
import type { FolderRow } from '../../catalog/tree/folders.ts'
import type { TrashedFile, TrashedFolder, TrashRow } from '../../catalog/tree/trash.ts'
import type { VersionRow } from '../../catalog/tree/versions.ts'
import type { FileProblem } from '../folder/verify.ts'
import type { ObjectReader } from './problem.ts'
import type { StoredRow } from './verify.ts'

/** Step that brings rows into agreement with objects. It changes no object. */
export type ObjectChange = { key: string } & (
  | ({ kind: 'record damage' } & Damage)
  | ({ kind: 'clear damage' } & Omit<Damage, 'problem'>)
  | RestoredBytes
  | { kind: 'drop version'; id: string }
  /** The row of the blob is missing, or marks it for removal. */
  | { kind: 'keep blob'; blob: { id: string; size: number } }
  | { kind: 'drop blob'; id: string }
  | { kind: 'add folder'; row: FolderRow }
  | AddedFile
  | { kind: 'add version'; row: VersionRow }
  | { kind: 'add to trash'; item: TrashRow; folders: readonly TrashedFolder[]; row: TrashedFile }
  | { kind: 'leave'; why: string }
)

/** File of an earlier catalog whose object is there. */
export interface AddedFile {
  kind: 'add file'
  row: FileRow
  /** True when only the bytes tell that the row is not garbled. */
  isDoubtful: boolean
  /** True once its bytes turned out to differ. */
  isOther?: boolean
}

/** Bytes that are sent again from a backup. */
export interface RestoredBytes extends Damage {
  kind: 'restore bytes'
  blob: { id: string; size: number }
  sha256: string
}

export interface Damage {
  place: StoredRow['place']
  id: string
  problem: FileProblem
}

/** Rows of a catalog, as far as they lead to objects. */
export type Rows = Pick<
  ReadableCatalog,
  'blobs' | 'files' | 'folders' | 'integrity' | 'read' | 'trash' | 'versions'
>

/** Rows that were in another database before. */
export interface EarlierRows {
  catalog: Rows
  /** True when all of them could be read. */
  isWhole: boolean
}

export interface ObjectRepair {
  catalog: Rows
  objects: ObjectReader
  /** True to read every object; else only sizes are compared. */
  deep: boolean
  /** Earlier catalogs that may know objects without a row; newest first. */
  earlier: readonly EarlierRows[]
  /** Returns true when a backup has these bytes. */
  isInBackup: (content: { sha256: string; size: number }) => boolean
  /** True when the database was lost, and is built from the earlier ones. */
  isLost: boolean
  random: { id: () => string }
}

/** Objects by their ids, with their sizes, and the ids of those that rows lead to. */
export interface FoundObjects {
  sizes: ReadonlyMap<string, number>
  used: Set<string>
}

/** Builds the row of a blob that a row leads to. */
export const keptBlob = ({ id, size }: { id: string; size: number }) => ({
  ...{ id, size },
  createdAt: Math.trunc(blobTime(id)),
})
