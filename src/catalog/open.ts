import { Database } from 'bun:sqlite'
import { closeSync, existsSync, openSync, rmSync } from 'node:fs'
import { drizzle } from 'drizzle-orm/bun-sqlite'
import { migrations } from '../../drizzle/migrations.ts'
import { errorCode, StartError } from '../platform/errors.ts'
import { activityQueries } from './activities.ts'
import { apiRequestQueries } from './api-requests.ts'
import type { BulkChange } from './bulk.ts'
import { checkQueries } from './check.ts'
import { isDamage, REBUILD_ADVICE } from './damage.ts'
import { fileQueries } from './files.ts'
import { folderQueries } from './folders.ts'
import { instanceQueries } from './instance.ts'
import { integrityQueries } from './integrity.ts'
import { intentQueries } from './intents.ts'
import { keyQueries } from './keys.ts'
import { listQueries } from './lists.ts'
import { insertPublication, type Publication, type Terms } from './publication.ts'
import { Readers } from './readers.ts'
import { resumableQueries } from './resumables.ts'
import { copyAllButFiles, copyTree } from './salvage.ts'
import * as schema from './schema.ts'
import { securityEventQueries } from './security-events.ts'
import { sessionQueries } from './sessions.ts'
import { settingQueries } from './settings.ts'
import { createCatalogThread } from './thread.ts'
import { totalQueries } from './totals.ts'
import { trafficQueries } from './traffic.ts'
import { createTransactions, type Reserve } from './transactions.ts'
import { userQueries } from './users.ts'
import { WriteAheadLog } from './write-ahead-log.ts'

/** Rows that requests may wait for; more of them are published by the catalog's own thread. */
const FEW_ROWS = 250
/** Folders that are looked through at once; with more of them the catalog's own thread does it. */
const FEW_FOLDERS = 5000

export type Catalog = ReturnType<typeof openCatalog>

interface CatalogOptions {
  /** The database file; it is created when missing. */
  path: string
  /** Called when a commit failed in a way that leaves its outcome unknown: the process must stop. */
  onUnknownOutcome: (error: unknown) => void
  /** Space for changes that make room, for the time when there is no other. */
  reserve?: Reserve
  /** Whether the disk takes no writes at all; it is tried. */
  isReadOnly?: () => boolean
  /** Milliseconds on a clock that never goes back. Without it, no work is made smaller by the time it takes. */
  monotonic?: () => number
}

/**
 * Opens the catalog: the rows of everything that exists. Every query is synchronous; changes that belong
 * together go through `transact`.
 *
 * @throws {StartError} when the file is not a database of ours, is damaged, or comes from a newer version.
 */
export function openCatalog({ path, onUnknownOutcome, reserve, isReadOnly, monotonic }: CatalogOptions) {
  const sqlite = openDatabase(path)
  const tables = queries(sqlite)
  const readers: Readers = new Readers(path, () => log.snapshotEnded())
  const { changed, end, assertOpen, ...transactions } = createTransactions(sqlite, {
    onUnknownOutcome,
    onRollback: tables.folders.rolledBack,
    onCommit: () => log.committed(),
    ...(reserve && { reserve }),
    ...(isReadOnly && { isReadOnly }),
    ...(monotonic && { monotonic }),
  })
  const thread = createCatalogThread(path, {
    onUnknownOutcome: transactions.fail,
    onCommit: changed,
    isReadOnly,
  })
  const log = new WriteAheadLog(sqlite, path, { readers, checkpoint: thread.checkpoint })
  const hasFewFolders = () => tables.totals.folders() <= FEW_FOLDERS
  /** Changes of the other thread that are under way. */
  let changes = 0
  async function change<Value>(work: () => Promise<Value>): Promise<Value> {
    assertOpen()
    changes += 1
    try {
      return await work()
    } finally {
      changes -= 1
    }
  }
  return {
    ...tables,
    ...transactions,
    readers,
    /**
     * Grows with every commit: while it stands still, what was read still holds. It grows with every call while a
     * change of the other thread is under way, because its commit is seen here before it is reported.
     */
    version: (): number => {
      if (changes > 0) changed()
      return transactions.version()
    },
    /** Runs queries between which the other thread's commits are not seen. */
    readAtOnce: <Value>(work: () => Value): Value => sqlite.transaction(work).deferred(),
    /** Calls `authorize` in the transaction: the change may wait for seconds for those before it. */
    setVisibilityBelow: (bulk: BulkChange, authorize: () => void): Promise<number> =>
      change(() => thread.change(bulk, authorize)),
    /**
     * Publishes folders and files in one transaction, a large publication on the other thread.
     *
     * @param decide Returns what else belongs to the transaction. It may read rows but change none: no other
     *   transaction commits between its reads and this commit. What it throws rolls the publication back.
     */
    publish: (publication: Publication, decide: () => Terms): Promise<Terms> => {
      if (publication.folders.length + publication.files.length > FEW_ROWS)
        return change(() =>
          thread.publish(publication, () => {
            assertOpen()
            return decide()
          }),
        )
      return transactions.transact(() => {
        const terms = decide()
        insertPublication(tables, publication, terms)
        return terms
      })
    },
    longestPathBelow: async (id: string): Promise<number> =>
      hasFewFolders() ? tables.folders.longestPathBelow(id) : thread.longestPathBelow(id),
    hasPathBelow: async (id: string, bytes: number, nameBytes: number): Promise<boolean> =>
      (hasFewFolders() ? tables.folders : thread).hasPathBelow(id, bytes, nameBytes),
    /** Size of the write-ahead log in bytes. */
    logSize: () => log.size,
    close: () => {
      end()
      log.close()
      readers.close()
      thread.close()
      closeDatabase(sqlite)
    },
  }
}

/**
 * Opens the catalog for reading only, also while a server has it.
 *
 * @throws {StartError} when there is none, or it is of another version.
 */
export function readCatalog(path: string) {
  const sqlite = openToRead(path)
  return { ...queries(sqlite), close: () => sqlite.close() }
}

export type ReadableCatalog = ReturnType<typeof readCatalog>

/**
 * Writes the catalog at `path` as it stands now to a new database, also while a server has it: nobody waits.
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

/** What is taken of a database: everything but what speaks of stored files, or the tree and its files alone. */
const PARTS = { 'all but files': copyAllButFiles, tree: copyTree }

/**
 * Copies a part of the database at `path`, and of a damaged one as much as can be read, to a new one.
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

function queries(sqlite: Database) {
  const db = drizzle(sqlite, { schema })
  return {
    activities: activityQueries(db),
    securityEvents: securityEventQueries(db),
    apiRequests: apiRequestQueries(db),
    check: checkQueries(db),
    files: fileQueries(db),
    folders: folderQueries(db),
    instance: instanceQueries(db),
    integrity: integrityQueries(db),
    intents: intentQueries(db),
    keys: keyQueries(db),
    lists: listQueries(db),
    resumables: resumableQueries(db),
    sessions: sessionQueries(db),
    settings: settingQueries(db),
    totals: totalQueries(db),
    traffic: trafficQueries(db),
    users: userQueries(db),
  }
}

/** Writes the log back into the database file and closes it. */
function closeDatabase(sqlite: Database): void {
  // A checkpoint of the other thread may be under way.
  sqlite.run('PRAGMA busy_timeout = 2000')
  sqlite.run('PRAGMA wal_checkpoint(TRUNCATE)')
  sqlite.close()
}

/** Removes the write-ahead log that is left beside a database, before one that needs none takes its name. */
export function removeLog(path: string): void {
  for (const ending of ['-wal', '-shm']) rmSync(path + ending, { force: true })
}

function openToRead(path: string): Database {
  return asStartError(path, () => {
    const sqlite = new Database(path, { readonly: true, strict: true })
    if (appliedMigrations(sqlite) !== migrations.length) {
      throw new StartError('The database is of another version of Holdfast: start this one on it first.')
    }
    return sqlite
  })
}

function openDatabase(path: string): Database {
  return asStartError(path, () => {
    makePrivate(path)
    const sqlite = new Database(path, { create: true, strict: true })
    sqlite.run('PRAGMA journal_mode = WAL')
    // FULL: with NORMAL an acknowledged upload would not survive a power cut.
    sqlite.run('PRAGMA synchronous = FULL')
    sqlite.run('PRAGMA foreign_keys = ON')
    sqlite.run('PRAGMA cache_size = -16384')
    sqlite.run('PRAGMA busy_timeout = 2000')
    migrate(sqlite)
    // From here on nothing may block: transactions try again when another connection writes.
    sqlite.run('PRAGMA busy_timeout = 0')
    return sqlite
  })
}

/** Makes a database that is missing for its owner alone; its log gets the same mode. An empty file is a new one. */
function makePrivate(path: string): void {
  if (path !== ':memory:' && !existsSync(path)) closeSync(openSync(path, 'a', 0o600))
}

function asStartError<Opened>(path: string, open: () => Opened): Opened {
  try {
    return open()
  } catch (error) {
    if (error instanceof StartError) throw error
    const code = errorCode(error) ?? 'it is not readable'
    const advice = isDamage(error) ? ` ${REBUILD_ADVICE}` : ''
    throw new StartError(`Cannot open the database "${path}": ${code}. Nothing was changed.${advice}`, {
      cause: error,
    })
  }
}

function appliedMigrations(sqlite: Database): number {
  return sqlite.query<{ user_version: number }, []>('PRAGMA user_version').get()?.user_version ?? 0
}

function migrate(sqlite: Database): void {
  const applied = appliedMigrations(sqlite)
  if (applied > migrations.length) {
    throw new StartError(
      'The database was written by a newer version of Holdfast. Start that version instead.',
    )
  }
  migrations.slice(applied).forEach((migration, index) => {
    sqlite.transaction(() => {
      for (const statement of migration.split('--> statement-breakpoint')) sqlite.run(statement)
      sqlite.run(`PRAGMA user_version = ${applied + index + 1}`)
    })()
  })
}
