import type { Engine } from '../engine.ts'
import { type FolderQueries, type FolderRow, folderQueries } from '../folders.ts'
import { SnapshotEnded } from '../readers.ts'
import { type TotalQueries, totalQueries } from '../totals.ts'
import type { Connection, Result } from './connection.ts'
import { drive, postgresEngine } from './engine.ts'
import { FolderWalks } from './folder-tree.ts'
import { Pool } from './pool.ts'

/** Maximum concurrent snapshots, each with a connection of its own. */
const MAX_READERS = 8
/** Maximum age of a snapshot in milliseconds: the server keeps rows that are removed meanwhile. */
const MAX_AGE_MS = 60_000
/** Rows that are fetched at a time. */
const FETCHED_ROWS = 500
/** Maximum rows of a time slice. */
const SLICE_ROWS = 100

/** Pool of connections for requests that read more than one time slice, each from a snapshot of its own. */
export class PostgresReaders {
  readonly #pool: Pool
  readonly #snapshots = new Set<PostgresSnapshot>()

  constructor(url: string) {
    this.#pool = new Pool({
      url,
      size: MAX_READERS,
      maxWaiting: 128,
      busy: 'Too many long lists and archives are being read, try again soon',
    })
  }

  /** Returns the number of open snapshots. */
  get size(): number {
    return this.#snapshots.size
  }

  /**
   * Begins a snapshot of the catalog as soon as a connection is free. The caller disposes of it.
   *
   * @throws {Refusal} `unavailable` when too many requests read, or the server is away.
   */
  async snapshot(leaving: AbortSignal): Promise<PostgresSnapshot> {
    const { connection, release } = await this.#pool.take(leaving)
    try {
      await connection.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
      // The first query takes the snapshot.
      await connection.query('SELECT 1')
    } catch (error) {
      connection.close()
      release()
      throw error
    }
    const snapshot: PostgresSnapshot = new PostgresSnapshot(connection, () => {
      this.#snapshots.delete(snapshot)
      release()
    })
    this.#snapshots.add(snapshot)
    return snapshot
  }

  close(): void {
    for (const snapshot of this.#snapshots) snapshot.end()
    this.#pool.close()
  }
}

/** Catalog at one moment, unaffected by later writes. */
export class PostgresSnapshot implements Disposable {
  readonly #connection: Connection
  readonly #onEnd: () => void
  readonly #timer: Timer
  readonly #engine: Engine
  #folders: FolderQueries | undefined
  #cursors = 0
  #isOpen = true

  constructor(connection: Connection, onEnd: () => void) {
    this.#connection = connection
    this.#onEnd = onEnd
    this.#timer = setTimeout(() => this.end(), MAX_AGE_MS)
    const use = <Value>(work: (connection: Connection) => Promise<Value>) => work(this.#read())
    this.#engine = postgresEngine({ use, transact: (work) => drive(this.#read(), work()) }, () =>
      this.#read(),
    )
  }

  /** Returns queries of folders in the snapshot. */
  get folders(): FolderQueries {
    this.#folders ??= folderQueries(this.#engine, new FolderWalks(this.#engine))
    return this.#folders
  }

  /** Returns totals of all rows, those of detached folders included. */
  get totals(): TotalQueries {
    return totalQueries(this.#engine)
  }

  /** Returns the key of a folder; `undefined` when it is not in the tree. */
  async keyOf(id: string): Promise<string | undefined> {
    return await this.folders.keyOf(id)
  }

  /** Returns folders that left the tree and are not purged yet. */
  async detached(): Promise<FolderRow[]> {
    return await this.folders.detached()
  }

  /** Returns one time slice of the folders directly in another by name, after a name. */
  async foldersAfter(parentId: string, name: string): Promise<FolderRow[]> {
    return await this.folders.inFolderAfter(parentId, name, SLICE_ROWS)
  }

  /** Yields the folders directly in another by name, in time slices. */
  async *foldersIn(parentId: string): AsyncGenerator<FolderRow[], void> {
    for (let name: string | undefined = ''; name !== undefined; ) {
      const slice: FolderRow[] = await this.foldersAfter(parentId, name)
      if (slice.length > 0) yield slice
      name = slice.at(-1)?.name
    }
  }

  /** Returns all rows of a query. */
  async all<Row>(text: string, params: readonly (string | number)[]): Promise<Row[]> {
    return objectsOf(await this.#read().query(text, params))
  }

  /** Yields the rows of a query in time slices. The server keeps those that are not fetched yet. */
  async *rows<Row>(text: string, params: readonly (string | number)[]): AsyncGenerator<Row[], void> {
    this.#cursors += 1
    const cursor = `rows_${this.#cursors}`
    await this.#read().query(`DECLARE ${cursor} NO SCROLL CURSOR FOR ${text}`, params)
    try {
      for (;;) {
        const rows = objectsOf<Row>(await this.#read().query(`FETCH ${FETCHED_ROWS} FROM ${cursor}`))
        for (let at = 0; at < rows.length; at += SLICE_ROWS) {
          yield rows.slice(at, at + SLICE_ROWS)
          this.#read()
        }
        if (rows.length < FETCHED_ROWS) return
      }
    } finally {
      if (this.#isOpen && this.#connection.isOpen) await this.#connection.query(`CLOSE ${cursor}`)
    }
  }

  /** Ends the snapshot. Later reads throw `SnapshotEnded`. */
  end(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    clearTimeout(this.#timer)
    const ended = this.#connection.query('ROLLBACK').then(undefined, () => this.#connection.close())
    void ended.then(this.#onEnd)
  }

  [Symbol.dispose](): void {
    this.end()
  }

  #read(): Connection {
    if (!this.#isOpen) throw new SnapshotEnded()
    return this.#connection
  }
}

/** Returns rows with the names of their columns. */
const objectsOf = <Row>({ rows, columns }: Result): Row[] =>
  rows.map((row) => Object.fromEntries(columns.map((name, index) => [name, row[index]])) as Row)
