import type { Database } from 'bun:sqlite'
import type { Owes } from '../engine/engine.ts'
import { ChangeNotes, type Noted, Notes } from '../engine/notes.ts'
import { done, type Steps } from '../engine/query.ts'
import { tablesOf } from '../tables.ts'
import type { FoundPage, NameSearch } from '../tree/search.ts'
import { type CatalogOptions, Changes } from './changes.ts'
import { checkQueries, type Dangling } from './check.ts'
import { explainDamage } from './damage.ts'
import { closeDatabase, makePrivate, openDatabase, openToRead } from './database.ts'
import { runNow, sqliteEngine } from './engine.ts'
import { FolderCache } from './folder-cache.ts'
import { copyAllButFiles, copyTree } from './salvage.ts'
import { SearchThread } from './search/search-thread.ts'

/** Catalog in a file, which this process has for itself. */
export type EmbeddedCatalog = ReturnType<typeof openCatalog>

/**
 * Opens the catalog: the rows of everything that exists. Its functions return queries: `await` runs one, `read`
 * and `transact` run the bodies of several.
 *
 * @throws {StartError} when the file is not a Holdfast database, is damaged, or comes from a newer version.
 */
export function openCatalog(options: CatalogOptions) {
  const sqlite = openDatabase(options.path)
  const search = new SearchThread(options.path)
  const notes = new Notes()
  notes.add(search.note)
  const changeNotes = new ChangeNotes()
  const { tables, tree } = prepareTables(sqlite, notes, options.owes)
  const onCommit = () => search.committed()
  const changes = new Changes({ ...options, sqlite, tables, tree, notes, onCommit })
  const { commits, readers, log } = changes
  const { transact, transactToFree, removeInSlices, fail } = commits
  const { read, version, filesVersion, publish, setVisibilityBelow, longestPathBelow, hasPathBelow } = changes
  return {
    ...tables,
    ...{ transact, transactToFree, removeInSlices, fail, readers, read, version, filesVersion },
    ...{ publish, setVisibilityBelow, longestPathBelow, hasPathBelow },
    /** Notes of changes that lists show. */
    changeNotes,
    /** Begins or ends to note changes. */
    watch: (isWatched: boolean): void => {
      if (isWatched) notes.add(changeNotes.note)
      else notes.remove(changeNotes.note)
    },
    /** Takes the notes of changes that are committed. */
    takeNoted: async (): Promise<Noted | undefined> => changeNotes.take(),
    /** Resolves when this process knows every commit; `undefined` when it does, as the only one always does. */
    fence: (_maxAgeMs?: number): Promise<void> | undefined => undefined,
    /** True when several servers share the database. */
    isShared: false,
    /** Resolves with a last commit, which includes all earlier work. */
    ended: (): Promise<void> => transact(() => done(undefined)),
    /** Marks the blobs for removal that processes other than `node` were receiving. */
    doomAbandoned: (node: string, notBefore: number): Promise<void> =>
      transactToFree(() => tables.blobs.doomAbandoned(node, notBefore)),
    /** Jobs of the database. */
    jobs: [],
    /** Removes rows that refer to missing rows, counts the totals again, and returns what it removed. */
    mend: (): Promise<Dangling[]> => transact(tables.check.mend),
    /** Runs a query before it returns. Embedded only, for what must not wait: the fast path of hosting. */
    now: runNow,
    /**
     * Returns one page of the files and folders whose names a search finds.
     *
     * @throws {Refusal} `unavailable` when too many searches wait, or the client disconnects.
     */
    search: (names: NameSearch, leaving: AbortSignal): Promise<FoundPage> => search.find(names, leaving),
    /** Returns the size of the write-ahead log in bytes. */
    logSize: () => log.size,
    close: () => {
      changes.close()
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

/** Declares the queries, and closes a database so damaged that none can be prepared. */
function prepareTables(sqlite: Database, notes?: Notes, owes?: Owes) {
  try {
    // Reads the whole schema, which statements need when they first run.
    sqlite.query('SELECT 1 FROM instance').get()
    const engine = sqliteEngine(sqlite, notes, owes)
    const tree = new FolderCache(engine)
    return { tables: { ...tablesOf(engine, tree), check: checkQueries(sqlite) }, tree }
  } catch (error) {
    sqlite.close()
    throw explainDamage(error)
  }
}
