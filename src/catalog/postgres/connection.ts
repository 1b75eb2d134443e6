import { type ReservedSQL, SQL } from 'bun'
import { refuseInvalid } from '../../platform/errors.ts'
import { failureOf, PostgresFailure } from './failure.ts'

/** Time to connect, in seconds. */
const CONNECT_S = 5
/**
 * Time to wait for the response of a query, in milliseconds. A server that hangs would never respond. With the time to
 * connect, in which a request looks for the outcome of its commit, it leaves 2 of the 15 seconds in which each gets a
 * response.
 */
const QUERY_MS = 8000

/** Types of columns that come as text and are numbers here: int8 and numeric. */
const NUMBERS = new Set([20, 1700])

/** Result of a query. */
export interface Result {
  rows: unknown[][]
  /** Names of the columns. */
  columns: string[]
  /** Number of rows that were returned or changed. */
  count: number
}

/** Rows as Bun returns them, with the types of their columns. */
interface Rows extends Array<unknown[]> {
  count: number
  columns?: { name: string; type: number }[]
}

/** Returns the host and the name of a database without its credentials, such as `db.example.com:5432/holdfast`. */
export function nameOf(url: string): string {
  const { host, pathname } = new URL(url)
  return `${host}${pathname}`
}

/** One connection to PostgreSQL. It is never opened again: a transaction could go on outside of itself. */
export class Connection {
  /** Deadline of each query, in milliseconds. */
  queryMs = QUERY_MS
  /** Name of the database for messages, as of `nameOf`. */
  readonly name: string
  readonly #client: SQL
  readonly #reserved: ReservedSQL
  #isOpen = true

  private constructor(url: string, client: SQL, reserved: ReservedSQL) {
    this.name = nameOf(url)
    this.#client = client
    this.#reserved = reserved
  }

  /** @throws {PostgresFailure} */
  static async open(url: string): Promise<Connection> {
    let connection: Connection | undefined
    const client = new SQL({
      url,
      max: 1,
      idleTimeout: 0,
      maxLifetime: 0,
      connectionTimeout: CONNECT_S,
      // A pooler refuses any other parameter of the startup message.
      connection: { application_name: 'holdfast', TimeZone: 'UTC' },
      onclose: () => connection?.close(),
    })
    try {
      connection = new Connection(url, client, await client.reserve())
      // Compiling takes longer than any of our queries, and the estimates of recursive ones would have each compiled.
      await connection.script("SET client_min_messages = 'warning'; SET jit = off")
      return connection
    } catch (error) {
      await client.close({ timeout: 0 })
      throw failureOf(error)
    }
  }

  /** False once it broke or was closed. */
  get isOpen(): boolean {
    return this.#isOpen
  }

  /**
   * Runs a query.
   *
   * @throws {PostgresFailure}
   */
  async query(text: string, values: readonly unknown[] = [], ms = this.queryMs): Promise<Result> {
    if (!this.#isOpen) throw new PostgresFailure('ERR_POSTGRES_CONNECTION_CLOSED')
    const storable = storableOf(text, values)
    const timer = setTimeout(() => this.close(), ms)
    try {
      const found: Rows = await this.#reserved.unsafe(text, storable).values()
      const columns = (found.columns ?? []).map(({ name }) => name)
      return { rows: withNumbers(found), columns, count: found.count }
    } catch (error) {
      throw failureOf(error)
    } finally {
      clearTimeout(timer)
    }
  }

  /** Runs a text of several statements. A failure rolls back the transaction that it began. */
  async script(text: string, ms = this.queryMs): Promise<void> {
    if (!this.#isOpen) throw new PostgresFailure('ERR_POSTGRES_CONNECTION_CLOSED')
    const timer = setTimeout(() => this.close(), ms)
    try {
      await this.#reserved.unsafe(text).simple()
    } catch (error) {
      await this.rollBack()
      throw failureOf(error)
    } finally {
      clearTimeout(timer)
    }
  }

  /** Ends a transaction without its changes, or the connection when that fails. */
  async rollBack(): Promise<void> {
    if (!this.#isOpen) return
    try {
      await this.query('ROLLBACK')
    } catch {
      this.close()
    }
  }

  /** Closes it at once; queries under way fail. */
  close(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    void this.#client.close({ timeout: 0 }).catch(() => {})
  }
}

/** Converts numbers that came as text. All of ours are safe integers, and so are sums of them. */
function withNumbers(rows: Rows): unknown[][] {
  const numbers = (rows.columns ?? []).flatMap(({ type }, index) => (NUMBERS.has(type) ? [index] : []))
  if (numbers.length > 0)
    for (const row of rows) for (const index of numbers) row[index] = toNumber(row[index])
  return rows
}

const toNumber = (value: unknown): unknown => (value === null ? null : Number(value))

/** Noncharacter in the place of NUL: no name or id has either. */
const NEVER_STORED = '\u{1FFFF}'
/** NUL or half of a surrogate pair in JSON, behind backslashes that stand for themselves. */
const UNKNOWN_IN_JSON = /(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][\da-f]{2})/g

/**
 * Returns the values of a statement as PostgreSQL takes them. Text with a NUL is not there to be found.
 *
 * @throws {Refusal} `invalid` for a change with a NUL in a text, which PostgreSQL cannot store.
 */
function storableOf(text: string, values: readonly unknown[]): unknown[] {
  const hasList = text.includes('json_array_elements_text')
  return values.map((value) => {
    if (typeof value !== 'string') return value
    if (hasList && value.startsWith('[')) return value.replaceAll(UNKNOWN_IN_JSON, `$1${NEVER_STORED}`)
    if (!value.includes('\0')) return value
    if (!/^\(?(select|declare)\b/i.test(text)) throw refuseInvalid('Text must not contain NUL')
    return value.replaceAll('\0', NEVER_STORED)
  })
}
