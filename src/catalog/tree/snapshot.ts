import type { Engine } from '../engine/engine.ts'
import type { Query, Steps } from '../engine/query.ts'
import { EVERYTHING, type Reach } from '../engine/reach.ts'
import type { FileRow } from './files.ts'
import { type FolderQueries, type FolderRow, type FolderTree, folderQueries } from './folders.ts'
import { type FileList, listQueries, type QueryText } from './lists.ts'
import { type TotalQueries, totalQueries } from './totals.ts'
import { type Entry, entriesOf, placesWithin } from './within.ts'

/** Rows in time slices. `for await` reads those of SQLite, which need no wait, and those of a server alike. */
export type RowSlices<Row> = Iterable<Row[]> | AsyncIterable<Row[]>

type SnapshotQueries = ReturnType<typeof snapshotQueries>

/** Returns the queries that run on snapshots. */
export const snapshotQueries = (engine: Engine, tree: FolderTree) => ({
  folders: folderQueries(engine, tree),
  body: engine.body,
  totals: totalQueries(engine),
  lists: listQueries(engine),
})

/** Catalog at one moment, unaffected by later writes. Its queries run on it also within the bodies of others. */
export abstract class Snapshot implements Disposable {
  protected isOpen = true
  #reach = EVERYTHING
  readonly #timer = setTimeout(() => this.end(), MAX_AGE_MS)

  /** Queries on the snapshot. @throws {SnapshotEnded} */
  protected abstract get queries(): SnapshotQueries

  /** Yields the rows of a query in time slices. */
  protected abstract rows<Row>(text: QueryText): RowSlices<Row>

  /** Gives the connection back. */
  protected abstract release(): void

  /** Runs the steps of `work`, within the call where the engine can. */
  abstract read<Value>(work: () => Steps<Value>): Value | Promise<Value>

  /** Limits the lookups of folders to what a caller reaches. */
  within(reach: Reach): this {
    this.#reach = reach
    return this
  }

  /** Lookups of folders. */
  get folders(): Pick<FolderQueries, 'byId' | 'detached' | 'idAt' | 'inFolders' | 'keyOf' | 'root'> {
    const { folders, body } = this.queries
    return this.#reach.isEverything ? folders : placesWithin({ body }, folders, this.#reach)
  }

  /** Returns the topmost folders that the caller reaches, by key. */
  entries(): Query<Entry[]> {
    const { folders, body } = this.queries
    return body(() => entriesOf(folders, this.#reach))
  }

  /** Totals of all rows, those of detached folders included. */
  get totals(): TotalQueries {
    return this.queries.totals
  }

  /** Returns one time slice of the folders directly in another by name, after a name. */
  foldersAfter(parentId: string, name: string): Query<FolderRow[]> {
    return this.queries.folders.inFolderAfter(parentId, name, SLICE_ROWS)
  }

  /** Yields a list of any length. */
  files(list: FileList): RowSlices<FileRow> {
    return this.rows(this.queries.lists.text(list))
  }

  /** Returns a whole list at once; it must be known to be short. */
  page(list: FileList): Query<FileRow[]> {
    return this.queries.lists.page(list)
  }

  /** Returns a function that yields some columns of the files directly in a folder, by name. */
  filesIn<Column extends keyof FileRow>(columns: readonly Column[]) {
    const textFor = this.queries.lists.textFor(columns)
    return (folderId: string): RowSlices<Pick<FileRow, Column>> => this.rows(textFor(folderId))
  }

  /** Ends the snapshot. Later reads throw `SnapshotEnded`. */
  end(): void {
    if (!this.isOpen) return
    this.isOpen = false
    clearTimeout(this.#timer)
    this.release()
  }

  [Symbol.dispose](): void {
    this.end()
  }
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
const MAX_AGE_MS = 60_000
