import type { Database } from 'bun:sqlite'
import type { Owes } from '../engine/engine.ts'
import type { Notes } from '../engine/notes.ts'
import type { Steps } from '../engine/query.ts'
import type { Reach } from '../engine/reach.ts'
import { admitPublication, insertPublication, type Publication, type Terms } from '../publication.ts'
import type { tablesOf } from '../tables.ts'
import type { BulkChange } from '../tree/bulk.ts'
import { runNow } from './engine.ts'
import { FileVersions } from './file-versions.ts'
import type { FolderCache } from './folder-cache.ts'
import { GroupCommit, type Reserve } from './group-commit.ts'
import { Readers } from './readers.ts'
import { CatalogThread } from './thread.ts'
import { WriteAheadLog } from './write-ahead-log.ts'

/** Maximum rows that requests may wait for; larger publications run on the catalog's own thread. */
const FEW_ROWS = 250
/** Maximum folders read on this thread; larger trees are read on the catalog's own thread. */
const FEW_FOLDERS = 5000

export interface CatalogOptions {
  /** Path of the database file, which is created when missing. */
  path: string
  /** Called when a commit's outcome is unknown: the process must stop. */
  onUnknownOutcome: (error: unknown) => void
  /** Reserved space for changes that free space when the disk is full. */
  reserve?: Reserve
  /** Tries a write and returns true when the disk takes none. */
  isReadOnly?: () => boolean
  /** Milliseconds of a monotonic clock. Without it, slices do not adapt to the time they take. */
  monotonic?: () => number
  /** Purges that a cache in front is owed. */
  owes?: Owes
}

interface ChangesOptions extends CatalogOptions {
  sqlite: Database
  tables: ReturnType<typeof tablesOf>
  tree: FolderCache
  notes: Notes
  /** Called after each commit. */
  onCommit: () => void
}

/** Changes of a catalog in SQLite: on this thread by group commit, those of very many rows on the catalog's own. */
export class Changes {
  readonly commits: GroupCommit
  readonly readers: Readers
  readonly log: WriteAheadLog
  readonly #options: ChangesOptions
  readonly #thread: CatalogThread
  readonly #files: FileVersions
  /** Number of commits, on this connection and the other thread's. */
  #version = 0
  /** Number of changes under way on the other thread. */
  #underWay = 0

  constructor(options: ChangesOptions) {
    const { sqlite, path, tree, notes, onUnknownOutcome, reserve, isReadOnly, monotonic, owes } = options
    const lostPages = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
    const onCommit = () => this.#committed()
    this.#options = options
    this.#files = new FileVersions(tree)
    notes.add(this.#files.note)
    this.readers = new Readers(path, () => this.log.snapshotEnded())
    this.commits = new GroupCommit(sqlite, {
      onUnknownOutcome,
      onRollback: () => tree.rolledBack(),
      onCommit,
      ...(reserve && { reserve }),
      hasLostPages: () => Atomics.load(lostPages, 0) === 1,
      ...(isReadOnly && { isReadOnly }),
      ...(monotonic && { monotonic }),
    })
    const onThread = { lostPages, onUnknownOutcome: this.commits.fail, onCommit, isReadOnly, owes }
    this.#thread = new CatalogThread(path, onThread)
    this.log = new WriteAheadLog(sqlite, path, {
      readers: this.readers,
      checkpoint: this.#thread.checkpoint,
    })
  }

  /** Runs the steps of `work` at one moment of the catalog: they see no commit that ends between them. */
  readonly read = async <Value>(work: () => Steps<Value>): Promise<Value> => {
    // Only the other thread commits within a turn of this one.
    if (this.#underWay === 0) return runNow(work())
    return this.#options.sqlite.transaction(() => runNow(work())).deferred()
  }

  /**
   * Returns a counter that increments with every commit. While it is unchanged, what was read still holds.
   * It also increments with every call while the other thread changes rows, because its commit is visible
   * here before it is reported.
   */
  readonly version = (): number => {
    if (this.#underWay > 0) this.#committed()
    return this.#version
  }

  /** Returns a number that is another one once files within a reach may have changed, as `version` tells of all rows. */
  readonly filesVersion = (reach: Reach): number => {
    if (this.#underWay > 0) this.#files.changed()
    return this.#files.of(reach)
  }

  /**
   * Changes visibility below a folder. Calls `authorize` inside the transaction, because the change may
   * queue for seconds.
   */
  readonly setVisibilityBelow = (bulk: BulkChange, authorize: () => Steps<void>): Promise<number> =>
    this.#onThread(async () => {
      const changed = await this.#thread.change(bulk, () => runNow(authorize()))
      this.#options.notes.note({ of: 'files below', id: bulk.folderId })
      return changed
    })

  /**
   * Publishes folders and files in one transaction; a large publication runs on the other thread.
   *
   * @param decide Returns the rest of the transaction. It may read rows but change none: no other
   *   transaction commits between its reads and this commit. An exception rolls the publication back.
   */
  readonly publish = (publication: Publication, decide: () => Steps<Terms>): Promise<Terms> => {
    const { tables } = this.#options
    if (publication.folders.length + publication.files.length > FEW_ROWS)
      return this.#publishMany(publication, decide)
    return this.commits.transact(function* () {
      const terms = yield* admitPublication(tables, publication, decide)
      yield* insertPublication(tables, publication, terms)
      return terms
    })
  }

  readonly longestPathBelow = async (id: string): Promise<number> =>
    this.#hasFewFolders()
      ? runNow(this.#options.tables.folders.longestPathBelow(id))
      : this.#thread.longestPathBelow(id)

  readonly hasPathBelow = async (id: string, bytes: number, nameBytes: number): Promise<boolean> =>
    this.#hasFewFolders()
      ? runNow(this.#options.tables.folders.hasPathBelow(id, bytes, nameBytes))
      : this.#thread.hasPathBelow(id, bytes, nameBytes)

  close(): void {
    this.commits.end()
    this.log.close()
    this.readers.close()
    this.#thread.close()
  }

  #committed(): void {
    this.#version += 1
    this.log.committed()
    this.#options.onCommit()
  }

  #hasFewFolders(): boolean {
    return runNow(this.#options.tables.totals.folders()) <= FEW_FOLDERS
  }

  async #onThread<Value>(work: () => Promise<Value>): Promise<Value> {
    this.commits.assertOpen()
    this.#underWay += 1
    try {
      const value = await work()
      this.commits.assertDurable()
      return value
    } finally {
      this.#underWay -= 1
    }
  }

  #publishMany(publication: Publication, decide: () => Steps<Terms>): Promise<Terms> {
    const { tables, notes } = this.#options
    return this.#onThread(async () => {
      const terms = await this.#thread.publish(publication, () => {
        this.commits.assertOpen()
        return runNow(admitPublication(tables, publication, decide))
      })
      notes.note({ of: 'new folders', rows: publication.folders })
      notes.note({ of: 'new files', rows: publication.files })
      return terms
    })
  }
}
