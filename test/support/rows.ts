import { Database, type SQLQueryBindings } from 'bun:sqlite'
import { join } from 'node:path'
import { askPostgres } from './blocking-postgres.ts'
import { databaseOf } from './kind.ts'

type Values = readonly SQLQueryBindings[]

/** Statement that reads rows. */
interface Reading<Row> {
  all: (...values: SQLQueryBindings[]) => Row[]
  get: (...values: SQLQueryBindings[]) => Row | null
  /** Returns the values of each row in the order of its columns. */
  values: (...values: SQLQueryBindings[]) => unknown[][]
}

/** Second connection to the database of a running server, on either engine. It waits while the server writes. */
export interface Rows extends Disposable {
  /** Runs a statement for its effect. Parameters are written as `?`. */
  run: (text: string, values?: Values) => void
  query: <Row, _ = unknown>(text: string) => Reading<Row>
  /** Removes rows together with those that refer to them, as the server does. */
  enforceReferences: () => void
  /** Refuses a change of rows, such as `INSERT ON files`, until `allow`. */
  refuse: (change: string, options?: Refused) => void
  allow: () => void
  /**
   * Begins a transaction during which no other can write. `run` ends it by `COMMIT` or `ROLLBACK`.
   *
   * @param table Table that alone is locked where that is possible.
   */
  begin: (table?: string) => void
  close: () => void
}

interface Refused {
  /** Condition on the row `new`. */
  when?: string
  message?: string
}

/** Opens a second connection to the database of a server with this data folder. */
export function openRows({ dataPath }: { dataPath: string }): Rows {
  const url = databaseOf(dataPath)
  return url === undefined ? new SqliteRows(dataPath) : new PostgresRows(url)
}

class SqliteRows implements Rows {
  readonly #database: Database

  constructor(dataPath: string) {
    this.#database = new Database(join(dataPath, 'db', 'holdfast.sqlite'))
    this.#database.run('PRAGMA busy_timeout = 5000')
  }

  run(text: string, values: Values = []): void {
    this.#database.run(text, [...values])
  }

  query<Row>(text: string): Reading<Row> {
    return this.#database.query<Row, SQLQueryBindings[]>(text)
  }

  enforceReferences(): void {
    this.run('PRAGMA foreign_keys = ON')
  }

  refuse(change: string, { when = 'true', message = 'refused' }: Refused = {}): void {
    const trigger = `CREATE TRIGGER refuse BEFORE ${change} WHEN ${when}`
    this.run(`${trigger} BEGIN SELECT RAISE(ABORT, '${message}'); END`)
  }

  allow(): void {
    this.run('DROP TRIGGER refuse')
  }

  begin(): void {
    this.run('BEGIN IMMEDIATE')
  }

  close(): void {
    this.#database.close()
  }

  [Symbol.dispose](): void {
    this.close()
  }
}

/** Tables that transactions of PostgreSQL lock first, or write to. */
const WRITTEN = 'turns, folders, files, users, api_keys, sessions, settings, activities'

let transactions = 0

class PostgresRows implements Rows {
  readonly #url: string
  /** Name of the connection: all share one, unless they begin a transaction. */
  #connection: string
  #refused = ''

  constructor(url: string) {
    this.#url = url
    this.#connection = url
  }

  run(text: string, values: Values = []): void {
    this.#ask(text, values)
  }

  query<Row>(text: string): Reading<Row> {
    const all = (...values: SQLQueryBindings[]) => {
      const { rows, columns } = this.#ask(text, values)
      // The caller names the columns of its statement.
      return rows.map((row) => Object.fromEntries(columns.map((name, at) => [name, row[at]])) as Row)
    }
    return {
      all,
      get: (...values) => all(...values)[0] ?? null,
      values: (...values) => this.#ask(text, values).rows,
    }
  }

  enforceReferences(): void {
    // PostgreSQL always does.
  }

  refuse(change: string, { when = 'true', message = 'refused' }: Refused = {}): void {
    this.#refused = change.slice(change.lastIndexOf(' ') + 1)
    this.run(`CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION '${message}'; END $$`)
    this.run(`CREATE TRIGGER refuse BEFORE ${change} FOR EACH ROW WHEN (${when}) EXECUTE FUNCTION refuse()`)
  }

  allow(): void {
    this.run(`DROP TRIGGER refuse ON ${this.#refused}`)
  }

  #ask(text: string, values: Values) {
    let count = 0
    return askPostgres(
      this.#url,
      text.replaceAll('?', () => `$${++count}`),
      values,
      this.#connection,
    )
  }

  begin(table = WRITTEN): void {
    this.#connection = `transaction ${transactions++}`
    this.run('BEGIN')
    this.run(`LOCK TABLE ${table} IN EXCLUSIVE MODE`)
  }

  close(): void {
    if (this.#connection !== this.#url) askPostgres(this.#url, '', [], this.#connection)
  }

  [Symbol.dispose](): void {
    this.close()
  }
}
