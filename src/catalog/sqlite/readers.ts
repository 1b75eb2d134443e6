import type { Database, SQLQueryBindings } from 'bun:sqlite'
import { refuseForNow } from '../../platform/errors.ts'
import { Slots } from '../../platform/slots.ts'
import type { Steps } from '../engine/query.ts'
import type { FolderTree } from '../tree/folders.ts'
import type { QueryText } from '../tree/lists.ts'
import {
  SLICE_ROWS,
  Snapshot,
  SnapshotEnded,
  type SnapshotReaders,
  snapshotQueries,
} from '../tree/snapshot.ts'
import { runNow, sqliteEngine } from './engine.ts'
import { FolderCache } from './folder-cache.ts'
import { PlannedOnce } from './planned-once.ts'

/**
 * Maximum read connections, and so concurrent snapshots. They stay open, because SQLite keeps the descriptors
 * of closed ones while the process has the database open (https://sqlite.org/howtocorrupt.html §2.2).
 */
const MAX_READERS = 8
/** Page cache of each connection, in KiB. */
const CACHE_KIB = 512
/** Maximum requests that wait for a connection. */
const MAX_WAITING = 128
const MAX_WAIT_MS = 10_000

/** Pool of connections for requests that read more than one time slice, each from a snapshot of its own. */
export class Readers implements SnapshotReaders {
  readonly #path: string
  readonly #slots = new Slots({
    count: MAX_READERS,
    maxWaiting: MAX_WAITING,
    maxWaitMs: MAX_WAIT_MS,
    busy: 'Too many long lists and archives are being read, try again soon',
  })
  readonly #idle: Connection[] = []
  readonly #snapshots = new Set<SqliteSnapshot>()
  readonly #onEnd: () => void
  #openingAgain: Promise<void> | undefined

  /** @param onEnd Called when a snapshot has ended. */
  constructor(path: string, onEnd: () => void) {
    this.#path = path
    this.#onEnd = onEnd
  }

  /** Returns the number of open snapshots. */
  get size(): number {
    return this.#snapshots.size
  }

  /**
   * Begins a snapshot of the catalog as soon as a connection is free. The caller disposes of it.
   *
   * @throws {Refusal} `unavailable` when too many requests read.
   */
  async snapshot(leaving: AbortSignal): Promise<SqliteSnapshot> {
    const release = await this.#slots.take(leaving)
    try {
      await this.#openingAgain
      const connection = this.#idle.pop() ?? connect(this.#path)
      const snapshot: SqliteSnapshot = new SqliteSnapshot(connection, () => {
        this.#idle.push(connection)
        this.#snapshots.delete(snapshot)
        release()
        this.#onEnd()
      })
      this.#snapshots.add(snapshot)
      return snapshot
    } catch (error) {
      release()
      throw error
    }
  }

  /** Blocks new snapshots until `work` has ended. */
  holdBack(work: Promise<unknown>): void {
    const done = work.then(
      () => {},
      () => {},
    )
    this.#openingAgain = done
    void done.then(() => {
      if (this.#openingAgain === done) this.#openingAgain = undefined
    })
  }

  /** Ends the open snapshots. */
  endAll(): void {
    for (const snapshot of this.#snapshots) snapshot.end()
  }

  close(): void {
    this.endAll()
    for (const { sqlite } of this.#idle) sqlite.close()
  }
}

interface Connection {
  sqlite: Database
  tree: FolderTree
  queries: ReturnType<typeof snapshotQueries>
}

function connect(path: string): Connection {
  try {
    const sqlite = new PlannedOnce(path, { readonly: true, strict: true })
    sqlite.run(`PRAGMA cache_size = -${CACHE_KIB}`)
    const engine = sqliteEngine(sqlite)
    const tree = new FolderCache(engine)
    return { sqlite, tree, queries: snapshotQueries(engine, tree) }
  } catch (error) {
    throw refuseForNow('Too many clients are reading the database, try again soon', error)
  }
}

/** Catalog in SQLite at one moment. Its reads need no wait. */
export class SqliteSnapshot extends Snapshot {
  readonly #connection: Connection
  readonly #onEnd: () => void
  /** Reads under way; the snapshot ends after them. */
  readonly #reads = new Set<Iterator<unknown>>()

  constructor(connection: Connection, onEnd: () => void) {
    super()
    this.#connection = connection
    this.#onEnd = onEnd
    connection.tree.forgetKeys()
    connection.sqlite.run('BEGIN')
    // SQLite takes the snapshot at the first read.
    connection.sqlite.query('SELECT 1 FROM instance').get()
  }

  protected get queries() {
    return this.#read().queries
  }

  read<Value>(work: () => Steps<Value>): Value {
    return runNow(work())
  }

  protected *rows<Row>({ text, params }: QueryText): Generator<Row[], void> {
    const rows = this.#read()
      .sqlite.query<Row, SQLQueryBindings[]>(text)
      .iterate(...params)
    this.#reads.add(rows)
    try {
      for (let slice = take(rows); slice.length > 0; slice = take(rows)) {
        yield slice
        this.#read()
      }
    } finally {
      this.#reads.delete(rows)
      rows.return?.()
    }
  }

  protected release(): void {
    for (const rows of this.#reads) rows.return?.()
    const { sqlite, tree } = this.#connection
    sqlite.run('ROLLBACK')
    sqlite.run('PRAGMA shrink_memory')
    tree.forgetKeys()
    this.#onEnd()
  }

  #read(): Connection {
    if (!this.isOpen) throw new SnapshotEnded()
    return this.#connection
  }
}

/** Takes the next slice of the remaining rows. */
function take<Row>(rows: Iterator<Row>): Row[] {
  const slice: Row[] = []
  while (slice.length < SLICE_ROWS) {
    const { value, done } = rows.next()
    if (done) break
    slice.push(value)
  }
  return slice
}
