import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { syncPath } from '../../src/platform/sync-path.ts'
import { atExit } from '../support/cleanup.ts'
import { ADMIN } from '../support/holdfast.ts'
import { type HoldfastProcess, registerWith, spawnCommand, spawnHoldfast } from '../support/process.ts'
import type { Control } from './control.ts'

/** Credentials of an account. The server has acknowledged both, so both must work after every fault. */
export interface Account {
  cookie: string
  withKey: Record<string, string>
}

/** Server under test, in this process or another. */
export interface Target {
  fetch: (path: string, init?: RequestInit) => Promise<Response>
  dataPath: string
}

/** File added to the volume by hand. No start may touch files that the catalog does not know. */
export const STRAY = { name: 'put-here-by-hand', content: 'nobody but its owner may delete this' }

export interface WorldOptions {
  program: string
  /** Data folder, missing or empty. */
  dataPath: string
  control?: Control
}

/** Data folder and the server processes that run on it, one after the other. */
export class World implements Target {
  readonly dataPath: string
  readonly control: Control | undefined
  readonly #program: string
  #process: HoldfastProcess | undefined
  #account: Account | undefined

  constructor({ program, dataPath, control }: WorldOptions) {
    this.dataPath = dataPath
    this.#program = program
    this.control = control
    mkdirSync(join(dataPath, 'uploads'), { recursive: true })
    const stray = join(dataPath, 'uploads', STRAY.name)
    writeFileSync(stray, STRAY.content)
    for (const path of [stray, join(dataPath, 'uploads'), dataPath]) syncPath(path)
  }

  get account(): Account | undefined {
    return this.#account
  }

  get pid(): number {
    return this.#running().child.pid
  }

  get port(): number {
    return this.#running().port
  }

  /** Starts the server. @throws when it exits before it listens. */
  async boot(): Promise<void> {
    this.#process = await spawnHoldfast({
      program: this.#program,
      dataPath: this.dataPath,
      environment: this.control?.environment ?? {},
    })
    const { child } = this.#process
    const forget = atExit(() => child.kill('SIGKILL'))
    child.exited.then(forget)
  }

  /** Registers the first account and creates its API key. */
  async register(): Promise<void> {
    this.#account = await registerWith(this.#running())
  }

  /** Signs in an account that the test has registered. */
  async signIn(): Promise<void> {
    const body = JSON.stringify({ email: ADMIN.email, password: ADMIN.password })
    const answer = await this.fetch('/api/auth/sign-in/email', { method: 'POST', body })
    if (answer.status !== 200) throw new Error(`Cannot sign in: ${await answer.text()}`)
    const cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? ''
    this.#account = { cookie, withKey: { Cookie: cookie } }
  }

  readonly fetch = (path: string, init: RequestInit = {}) =>
    this.#running().fetch(path, { ...init, keepalive: false })

  /** Returns true until the process has exited. */
  isAlive(): boolean {
    const child = this.#process?.child
    return child !== undefined && child.exitCode === null && child.signalCode === null
  }

  /** Waits until the process has exited. Returns its exit code and output. */
  async ended(): Promise<{ exitCode: number | null; output: string }> {
    const { child, output } = this.#running()
    await child.exited
    return { exitCode: child.exitCode, output: output() }
  }

  output(): string {
    return this.#running().output()
  }

  signal(name: 'SIGSTOP' | 'SIGCONT' | 'SIGKILL'): void {
    this.#running().child.kill(name)
  }

  async kill(): Promise<void> {
    await this.#process?.[Symbol.asyncDispose]()
  }

  /** Kills the server if it still runs, then starts it again. */
  async reboot(): Promise<void> {
    await this.kill()
    this.control?.disarm()
    await this.boot()
  }

  /** Stops the server if it still runs, which writes its log back, then starts it again. */
  async restart(): Promise<void> {
    if (this.isAlive()) this.#running().child.kill('SIGTERM')
    await this.ended()
    await this.boot()
  }

  /** Runs a command of the program to its end, without the shim; on the data folder unless `environment` says else. */
  async command(
    words: string[],
    environment: Record<string, string> = {},
  ): Promise<{ exitCode: number; output: string }> {
    return spawnCommand(words, { DATA_PATH: this.dataPath, ...environment }, this.#program)
  }

  async remove(): Promise<void> {
    await this.kill()
    rmSync(this.dataPath, { recursive: true, force: true })
  }

  #running(): HoldfastProcess {
    if (!this.#process) throw new Error('The server was not started')
    return this.#process
  }
}
