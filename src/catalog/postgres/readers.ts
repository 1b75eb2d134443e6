import type { Steps } from '../engine/query.ts'
import type { QueryText } from '../tree/lists.ts'
import {
  SLICE_ROWS,
  Snapshot,
  SnapshotEnded,
  type SnapshotReaders,
  snapshotQueries,
} from '../tree/snapshot.ts'
import type { Connection, Result } from './connection.ts'
import { drive, postgresEngine } from './engine.ts'
import { errorFor } from './failure.ts'
import { FolderWalks } from './folder-tree.ts'
import { Pool } from './pool.ts'

/** Maximum concurrent snapshots, each with a connection of its own. */
const MAX_READERS = 8
/** Rows that are fetched at a time. */
const FETCHED_ROWS = 500

/** Pool of connections for requests that read more than one time slice, each from a snapshot of its own. */
export class PostgresReaders implements SnapshotReaders {
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
      throw errorFor(error)
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

/** Catalog in PostgreSQL at one moment. */
export class PostgresSnapshot extends Snapshot {
  readonly #connection: Connection
  readonly #onEnd: () => void
  readonly #queries: ReturnType<typeof snapshotQueries>
  #cursors = 0
  /** Names of closed cursors. They are used again, because the connection prepares each text that it has not seen. */
  readonly #idleCursors: string[] = []

  constructor(connection: Connection, onEnd: () => void) {
    super()
    this.#connection = connection
    this.#onEnd = onEnd
    const use = this.#use
    const runner = { use, transact: <Value>(work: () => Steps<Value>) => use((one) => drive(one, work())) }
    const engine = postgresEngine(runner, { bound: () => this.#read() })
    this.#queries = snapshotQueries(engine, new FolderWalks(engine))
  }

  protected get queries() {
    return this.#queries
  }

  async read<Value>(work: () => Steps<Value>): Promise<Value> {
    return await this.#use((connection) => drive(connection, work()))
  }

  /** Yields the rows of a query in time slices. The server retains those that are not fetched yet. */
  protected async *rows<Row>({ text, params }: QueryText): AsyncGenerator<Row[], void> {
    const cursor = this.#idleCursors.pop() ?? `rows_${this.#cursors++}`
    const fetch = (one: Connection) => one.query(`FETCH ${FETCHED_ROWS} FROM ${cursor}`)
    // Sent together: most folders have fewer rows than the first fetch returns.
    const [, first] = await this.#use((one) =>
      Promise.all([one.query(`DECLARE ${cursor} NO SCROLL CURSOR FOR ${text}`, params), fetch(one)]),
    )
    try {
      for (let fetched = first; ; fetched = await this.#use(fetch)) {
        const rows = objectsOf<Row>(fetched)
        for (let at = 0; at < rows.length; at += SLICE_ROWS) {
          yield rows.slice(at, at + SLICE_ROWS)
          this.#read()
        }
        if (rows.length < FETCHED_ROWS) return
      }
    } finally {
      // After a failure the connection has closed, or its transaction runs no query any more.
      if (this.isOpen) void this.#connection.query(`CLOSE ${cursor}`).catch(() => {})
      this.#idleCursors.push(cursor)
    }
  }

  protected release(): void {
    const ended = this.#connection.query('ROLLBACK').then(undefined, () => this.#connection.close())
    void ended.then(this.#onEnd)
  }

  /** @throws {Refusal} `unavailable` when the server is away. */
  readonly #use = async <Value>(work: (connection: Connection) => Promise<Value>): Promise<Value> => {
    try {
      return await work(this.#read())
    } catch (error) {
      throw errorFor(error)
    }
  }

  #read(): Connection {
    if (!this.isOpen) throw new SnapshotEnded()
    return this.#connection
  }
}

/** Returns rows with the names of their columns. */
const objectsOf = <Row>({ rows, columns }: Result): Row[] =>
  rows.map((row) => Object.fromEntries(columns.map((name, index) => [name, row[index]])) as Row)
