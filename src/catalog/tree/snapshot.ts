import type { Query, Steps } from '../engine/query.ts'
import type { FileRow } from './files.ts'
import type { FolderQueries, FolderRow } from './folders.ts'
import type { FileList } from './lists.ts'
import type { TotalQueries } from './totals.ts'

/** Rows in time slices. `for await` reads those of SQLite, which need no wait, and those of a server alike. */
export type RowSlices<Row> = Iterable<Row[]> | AsyncIterable<Row[]>

/** Catalog at one moment, unaffected by later writes. Its queries run on it also within the bodies of others. */
export interface Snapshot extends Disposable {
  /** Lookups of folders. */
  readonly folders: Pick<FolderQueries, 'byId' | 'detached' | 'idAt' | 'inFolders' | 'keyOf'>
  /** Totals of all rows, those of detached folders included. */
  readonly totals: TotalQueries
  /** Runs the steps of `work`, within the call where the engine can. */
  read: <Value>(work: () => Steps<Value>) => Value | Promise<Value>
  /** Returns one time slice of the folders directly in another by name, after a name. */
  foldersAfter: (parentId: string, name: string) => Query<FolderRow[]>
  /** Yields a list of any length. */
  files: (list: FileList) => RowSlices<FileRow>
  /** Returns a whole list at once; it must be known to be short. */
  page: (list: FileList) => Query<FileRow[]>
  /** Returns a function that yields some columns of the files directly in a folder, by name. */
  filesIn: <Column extends keyof FileRow>(
    columns: readonly Column[],
  ) => (folderId: string) => RowSlices<Pick<FileRow, Column>>
  /** Ends the snapshot. Later reads throw `SnapshotEnded`. */
  end: () => void
}

/** Snapshots of a catalog for requests that read more than one time slice. */
export interface SnapshotReaders {
  /** Number of open snapshots. */
  readonly size: number
  /**
   * Begins a snapshot as soon as a connection is free. The caller disposes of it.
   *
   * @throws {Refusal} `unavailable` when too many requests read.
   */
  snapshot: (leaving: AbortSignal) => Promise<Snapshot>
}

/** Error thrown when a snapshot ends before it was read completely. */
export class SnapshotEnded extends Error {
  override readonly name = 'SnapshotEnded'

  constructor() {
    super('A snapshot of the catalog was ended: it was too old, or the write-ahead log too long')
  }
}

/** Maximum rows of a time slice. */
export const SLICE_ROWS = 100
/** Maximum age of a snapshot in milliseconds: the engine retains all rows and pages that change meanwhile. */
export const MAX_AGE_MS = 60_000
