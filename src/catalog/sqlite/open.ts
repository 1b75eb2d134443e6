import type { Database } from 'bun:sqlite'
import { watched } from '../engine/engine.ts'
import { ChangeNotes, type Noted, type Watch } from '../engine/notes.ts'
import type { Steps } from '../engine/query.ts'
import { admitPublication, insertPublication, type Publication, type Terms } from '../publication.ts'
import { tablesOf } from '../tables.ts'
import type { BulkChange } from '../tree/bulk.ts'
import type { FoundPage, NameSearch } from '../tree/search.ts'
import { checkQueries } from './check.ts'
import { explainDamage } from './damage.ts'
import { closeDatabase, makePrivate, openDatabase, openToRead } from './database.ts'
import { runNow, sqliteEngine } from './engine.ts'
import { FolderCache } from './folder-cache.ts'
import { GroupCommit, type Reserve } from './group-commit.ts'
import { Readers } from './readers.ts'
import { copyAllButFiles, copyTree } from './salvage.ts'
import type { Notes } from './search/changed-rows.ts'
import { SearchThread } from './search/search-thread.ts'
import { createCatalogThread } from './thread.ts'
import { WriteAheadLog } from './write-ahead-log.ts'

/** Maximum rows that requests may wait for; larger publications run on the catalog's own thread. */
const FEW_ROWS = 250
/** Maximum folders read on this thread; larger trees are read on the catalog's own thread. */
const FEW_FOLDERS = 5000

/** Catalog in a file, which this process has for itself. */
export type EmbeddedCatalog = ReturnType<typeof openCatalog>

interface CatalogOptions {
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
}

/**
 * Opens the catalog: the rows of everything that exists. Its functions return queries: `await` runs one, `read`
 * and `transact` run the bodies of several.
 *
 * @throws {StartError} when the file is not a Holdfast database, is damaged, or comes from a newer version.
 */
export function openCatalog({ path, onUnknownOutcome, reserve, isReadOnly, monotonic }: CatalogOptions) {
  const sqlite = openDatabase(path)
  const search = new SearchThread(path)
  const changeNotes = new ChangeNotes()
  const watch: Watch = { notes: undefined }
  const { tables, tree } = prepareTables(sqlite, search, watch)
  const readers: Readers = new Readers(path, () => log.snapshotEnded())
  /** Number of commits, on this connection and the other thread's. */
  let version = 0
  const onCommit = () => {
    version += 1
    log.committed()
    if (search.changed) search.handOver(search.changed)
  }
  const lostPages = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  const commits = new GroupCommit(sqlite, {
    onUnknownOutcome,
    onRollback: () => tree.rolledBack(),
    onCommit,
    ...(reserve && { reserve }),
    hasLostPages: () => Atomics.load(lostPages, 0) === 1,
    ...(isReadOnly && { isReadOnly }),
    ...(monotonic && { monotonic }),
  })
  const thread = createCatalogThread(path, {
    lostPages,
    onUnknownOutcome: commits.fail,
    onCommit,
    isReadOnly,
  })
  const log = new WriteAheadLog(sqlite, path, { readers, checkpoint: thread.checkpoint })
  const hasFewFolders = () => runNow(tables.totals.folders()) <= FEW_FOLDERS
  /** Number of changes under way on the other thread. */
  let changes = 0
  async function read<Value>(work: () => Steps<Value>): Promise<Value> {
    // Only the other thread commits within a turn of this one.
    return changes === 0 ? runNow(work()) : sqlite.transaction(() => runNow(work())).deferred()
  }
  async function change<Value>(work: () => Promise<Value>): Promise<Value> {
    commits.assertOpen()
    changes += 1
    try {
      const value = await work()
      commits.assertDurable()
      return value
    } finally {
      changes -= 1
    }
  }
  return {
    ...tables,
    /** Notes of changes that lists show. */
    changeNotes,
    /** Begins or ends to note changes. */
    watch: (isWatched: boolean): void => {
      watch.notes = isWatched ? changeNotes : undefined
    },
    /** Takes the notes of changes that are committed. */
    takeNoted: async (): Promise<Noted | undefined> => changeNotes.take(),
    transact: commits.transact,
    transactToFree: commits.transactToFree,
    removeInSlices: commits.removeInSlices,
    fail: commits.fail,
    readers,
    /** Resolves when this process knows every commit; `undefined` when it does, as the only one always does. */
    fence: (_maxAgeMs?: number): Promise<void> | undefined => undefined,
    /** True when several servers share the database. */
    isShared: false,
    /** Marks the blobs for removal that processes other than `node` were receiving. */
    doomAbandoned: (node: string, notBefore: number): Promise<void> =>
      commits.transactToFree(() => tables.blobs.doomAbandoned(node, notBefore)),
    /** Jobs of the database. */
    jobs: [],
    /** Counts the totals again. */
    recount: (): Promise<void> => commits.transact(tables.check.recount),
    /**
     * Runs the steps of `work` at one moment of the catalog: they see no commit that ends between them, and may change
     * nothing.
     */
    read,
    /** Runs a query before it returns. Embedded only, for what must not wait: the fast path of hosting. */
    now: runNow,
    /**
     * Returns a counter that increments with every commit. While it is unchanged, what was read still holds.
     * It also increments with every call while the other thread changes rows, because its commit is visible
     * here before it is reported.
     */
    version: (): number => {
      if (changes > 0) onCommit()
      return version
    },
    /**
     * Changes visibility below a folder. Calls `authorize` inside the transaction, because the change may
     * queue for seconds.
     */
    setVisibilityBelow: (bulk: BulkChange, authorize: () => Steps<void>): Promise<number> =>
      change(async () => {
        const changed = await thread.change(bulk, () => runNow(authorize()))
        search.changed?.below.push(bulk.folderId)
        watch.notes?.noteBelow(bulk.folderId)
        return changed
      }),
    /**
     * Returns one page of the files and folders whose names a search finds.
     *
     * @throws {Refusal} `unavailable` when too many searches wait, or the client disconnects.
     */
    search: (names: NameSearch, leaving: AbortSignal): Promise<FoundPage> => search.find(names, leaving),
    /**
     * Publishes folders and files in one transaction; a large publication runs on the other thread.
     *
     * @param decide Returns the rest of the transaction. It may read rows but change none: no other
     *   transaction commits between its reads and this commit. An exception rolls the publication back.
     */
    publish: (publication: Publication, decide: () => Steps<Terms>): Promise<Terms> => {
      if (publication.folders.length + publication.files.length > FEW_ROWS)
        return change(async () => {
          const terms = await thread.publish(publication, () => {
            commits.assertOpen()
            return runNow(admitPublication(tables, publication, decide))
          })
          for (const { id } of publication.folders) search.changed?.folders.push(id)
          for (const { id } of publication.files) search.changed?.files.push(id)
          watch.notes?.noteFolders(publication.folders)
          watch.notes?.noteAdded(publication.files)
          return terms
        })
      return commits.transact(function* () {
        const terms = yield* admitPublication(tables, publication, decide)
        yield* insertPublication(tables, publication, terms)
        return terms
      })
    },
    longestPathBelow: async (id: string): Promise<number> =>
      hasFewFolders() ? runNow(tables.folders.longestPathBelow(id)) : thread.longestPathBelow(id),
    hasPathBelow: async (id: string, bytes: number, nameBytes: number): Promise<boolean> =>
      hasFewFolders()
        ? runNow(tables.folders.hasPathBelow(id, bytes, nameBytes))
        : thread.hasPathBelow(id, bytes, nameBytes),
    /** Returns the size of the write-ahead log in bytes. */
    logSize: () => log.size,
    close: () => {
      commits.end()
      log.close()
      readers.close()
      thread.close()
      search.close()
      closeDatabase(sqlite)
    },
  }
}

/**
 * Opens the catalog for reading only, even while a server has it open.
 *
 * @throws {StartError} when there is none, or it is of another version.
 */
export function readCatalog(path: string) {
  const sqlite = openToRead(path)
  return {
    ...prepareTables(sqlite).tables,
    read: async <Value>(work: () => Steps<Value>): Promise<Value> => runNow(work()),
    now: runNow,
    close: () => sqlite.close(),
  }
}

/**
 * Copies the catalog at `path` to a new database as it stands now, without blocking a server that has it
 * open.
 *
 * @throws {StartError} when there is none, or it is of another version.
 */
export function copyCatalog(path: string, copy: string): void {
  const sqlite = openToRead(path)
  try {
    makePrivate(copy)
    sqlite.run('VACUUM INTO ?', [copy])
  } finally {
    sqlite.close()
  }
}

/** Parts that can be copied: everything except rows about stored files, or the tree and its files alone. */
const PARTS = { 'all but files': copyAllButFiles, tree: copyTree }

/**
 * Copies a part of the database at `path` to a new one. From a damaged database it copies as much as can be
 * read.
 *
 * @throws {StartError} when it cannot be opened.
 */
export function salvageCatalog(path: string, copy: string, part: keyof typeof PARTS): void {
  const source = openDatabase(path)
  const target = openDatabase(copy)
  try {
    PARTS[part](source, target)
  } finally {
    source.close()
    closeDatabase(target)
  }
}

/** Prepares the queries, and closes a database so damaged that they cannot be prepared. */
function prepareTables(sqlite: Database, notes?: Notes, watch?: Watch) {
  try {
    const engine = watch ? watched(sqliteEngine(sqlite), watch) : sqliteEngine(sqlite)
    const tree = new FolderCache(engine)
    return { tables: { ...tablesOf(engine, tree, notes, watch), check: checkQueries(sqlite) }, tree }
  } catch (error) {
    sqlite.close()
    throw explainDamage(error)
  }
}
