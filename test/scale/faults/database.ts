import { SQL } from 'bun'
import { STATE_QUERIES, type StateRows, stateOfRows } from '../../faults/rows.ts'
import type { State } from '../../faults/state.ts'
import { becomes, HUNG_MS } from '../../support/eventually.ts'
import { startPostgres, type TestPostgres } from '../../support/postgres.ts'

/** PostgreSQL of the instance, which the rig kills, stops and replaces by its standby. */
export class Database implements AsyncDisposable {
  readonly #name: string
  #server: TestPostgres
  #standby: TestPostgres | undefined
  /** Servers that a standby has replaced. */
  readonly #former: TestPostgres[] = []
  #sql: SQL

  private constructor(server: TestPostgres, url: string) {
    this.#server = server
    this.#name = new URL(url).pathname
    this.#sql = this.#connect()
  }

  static async start(): Promise<Database> {
    const server = await startPostgres({ isDurable: true })
    return new Database(server, server.createDatabase())
  }

  get port(): number {
    return this.#server.port
  }

  /** Returns the address of the database behind a proxy. */
  readonly urlAt = (port: number): string => `postgres://holdfast@127.0.0.1:${port}${this.#name}`

  kill(): void {
    this.#server.stop('immediate')
  }

  start(): void {
    this.#server.start()
  }

  /** Stops all processes of the server where they are, so that it hangs. */
  hang(): void {
    this.#server.hang()
  }

  proceed(): void {
    this.#server.proceed()
  }

  /** Starts a standby, and lets commits wait for it from now on. */
  async addStandby(): Promise<void> {
    this.#standby = await this.#server.startStandby()
    await this.query("ALTER SYSTEM SET synchronous_standby_names = '*'")
    await this.query('SELECT pg_reload_conf()')
    const isSynchronous = async () => {
      const [row] = await this.query('SELECT sync_state FROM pg_stat_replication')
      return row?.['sync_state'] === 'sync'
    }
    await becomes(isSynchronous, 50)
  }

  /** Kills the server and promotes its standby. */
  failOver(): void {
    if (!this.#standby) throw new Error('There is no standby')
    this.kill()
    this.#former.push(this.#server)
    this.#server = this.#standby
    this.#standby = undefined
    this.#server.promote()
    void this.#sql.close({ timeout: 0 }).catch(() => {})
    this.#sql = this.#connect()
  }

  /** Runs a statement beside the servers as soon as PostgreSQL can, and returns its rows. */
  query(text: string, values: readonly unknown[] = []): Promise<Record<string, unknown>[]> {
    return this.#whenThere((sql) => sql.unsafe(text, [...values]))
  }

  /** Reads the state of the instance at one moment. */
  async readState(): Promise<State> {
    const rows = await this.#whenThere((sql) =>
      sql.begin('ISOLATION LEVEL REPEATABLE READ READ ONLY', async (snapshot) => {
        const read = <Name extends keyof StateRows>(name: Name): Promise<StateRows[Name]> =>
          snapshot.unsafe(STATE_QUERIES[name])
        return {
          folders: await read('folders'),
          files: await read('files'),
          facts: await read('facts'),
          versions: await read('versions'),
          trash: await read('trash'),
          trashedFolders: await read('trashedFolders'),
          trashedFiles: await read('trashedFiles'),
        }
      }),
    )
    return stateOfRows(rows)
  }

  /** Waits until no transaction runs but those of connections from `ports`. */
  async drained(ports: () => readonly number[]): Promise<void> {
    const isDrained = async () => {
      const rows = await this.query(
        "SELECT client_port FROM pg_stat_activity WHERE application_name = 'holdfast' AND state <> 'idle'",
      )
      const known = ports()
      return rows.every((row) => known.includes(Number(row['client_port'])))
    }
    if (!(await becomes(isDrained, 20)))
      throw new Error('A transaction of a connection that has ended does not end')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#sql.close({ timeout: 0 }).catch(() => {})
    for (const server of [this.#standby, this.#server, ...this.#former]) server?.[Symbol.dispose]()
  }

  #connect(): SQL {
    return new SQL({ url: this.urlAt(this.#server.port), max: 2, connectionTimeout: 5 })
  }

  async #whenThere<Value>(ask: (sql: SQL) => Promise<Value>): Promise<Value> {
    const until = performance.now() + HUNG_MS
    for (;;) {
      try {
        return await ask(this.#sql)
      } catch (error) {
        const isMistake = error instanceof SQL.PostgresError && /^42/.test(error.errno ?? '')
        if (isMistake || performance.now() > until) throw error
        await Bun.sleep(50)
      }
    }
  }
}
