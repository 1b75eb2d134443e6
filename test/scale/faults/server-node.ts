import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { atExit } from '../../support/cleanup.ts'
import { type HoldfastProcess, spawnHoldfast } from '../../support/process.ts'
import { Switch } from './switch.ts'

interface NodeOptions {
  name: string
  /** Main module of the server. */
  program: string
  /** Address of the database behind the node's own proxy. */
  urlAt: (port: number) => string
  environment: Record<string, string>
  /** Port of PostgreSQL. */
  databasePort: number
}

/** One server of the instance: a process with a data folder of its own, and its own way to PostgreSQL. */
export class ServerNode implements AsyncDisposable {
  readonly name: string
  readonly database: Switch
  readonly #options: NodeOptions
  readonly #dataPath = mkdtempSync(join(tmpdir(), 'holdfast-node-'))
  readonly #forget = atExit(() => this.#remove())
  #process: HoldfastProcess | undefined
  /** Number of processes that were killed. */
  kills = 0
  isPaused = false
  /** Time at which the last pause ended. */
  #proceededAt = Number.NEGATIVE_INFINITY

  private constructor(options: NodeOptions, database: Switch) {
    this.name = options.name
    this.database = database
    this.#options = options
  }

  static async start(options: NodeOptions): Promise<ServerNode> {
    const node = new ServerNode(options, await Switch.open(options.databasePort))
    await node.boot()
    return node
  }

  get isUp(): boolean {
    return this.#process !== undefined
  }

  async boot(): Promise<void> {
    const { program, environment, urlAt } = this.#options
    const started = await spawnHoldfast({
      program,
      dataPath: this.#dataPath,
      environment: { ...environment, DATABASE_URL: urlAt(this.database.port) },
    })
    const forget = atExit(() => started.child.kill('SIGKILL'))
    started.child.exited.then(forget)
    this.#process = started
  }

  /** Returns the last errors in the log of the running process. */
  errors(): string {
    const lines = this.#process?.output().split('\n') ?? []
    return lines
      .filter((line) => line.includes('"error"'))
      .slice(-3)
      .join('\n')
  }

  async kill(): Promise<void> {
    const killed = this.#process
    this.#process = undefined
    this.kills += 1
    await killed?.[Symbol.asyncDispose]()
  }

  pause(): void {
    this.isPaused = true
    this.#process?.child.kill('SIGSTOP')
  }

  proceed(): void {
    this.isPaused = false
    this.#proceededAt = performance.now()
    this.#process?.child.kill('SIGCONT')
  }

  /** Returns true when the server was paused at or after a time. */
  wasPausedSince(time: number): boolean {
    return this.isPaused || this.#proceededAt > time
  }

  /** Sends a request on a connection of its own. */
  readonly fetch = (path: string, init: RequestInit = {}): Promise<Response> => {
    if (!this.#process) return Promise.reject(new Error(`${this.name} is down`))
    return fetch(`${this.#process.url}${path}`, { ...init, keepalive: false })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill()
    this.database[Symbol.dispose]()
    this.#forget()
    this.#remove()
  }

  #remove(): void {
    rmSync(this.#dataPath, { recursive: true, force: true })
  }
}
