import { type Release, Slots, type SlotUse } from '../../platform/slots.ts'
import { Connection } from './connection.ts'
import { errorFor, isTimeout, PostgresFailure } from './failure.ts'

const MAX_WAITING = 1000
const MAX_WAIT_MS = 10_000
/** Time in which further attempts to connect fail at once, after one that took all of its time, in milliseconds. */
const PAUSE_MS = 500
const BUSY = 'Too many requests wait for the database, try again soon'

interface PoolOptions {
  url: string
  /** Maximum connections at a time. */
  size: number
  /** Maximum requests that wait for a connection. */
  maxWaiting?: number
  /** Message of the refusal of further ones. */
  busy?: string
}

/** Pool of connections, opened when they are needed. */
export class Pool {
  readonly #url: string
  readonly #slots: Slots
  readonly #idle: Connection[] = []
  readonly #never = new AbortController().signal
  #isClosed = false
  /** Number of attempts to connect that have failed. */
  #failures = 0
  #breaks = 0
  /** Number of connections that were opened, or given back open: signs that the server is there. */
  #signs = 0
  /** True for a while after an attempt that took all of its time: a request that ends would wait for the next one. */
  #isPaused = false

  constructor({ url, size, maxWaiting = MAX_WAITING, busy = BUSY }: PoolOptions) {
    this.#url = url
    this.#slots = new Slots({
      count: size,
      maxWaiting,
      maxWaitMs: MAX_WAIT_MS,
      busy,
    })
  }

  /** Returns how often connections broke: the next ones may lead to another server, as after a failover. */
  get breaks(): number {
    return this.#breaks
  }

  /** Returns the use of its connections. */
  get slots(): SlotUse {
    return this.#slots.use
  }

  /**
   * Runs `work` with a connection of its own.
   *
   * @throws {Refusal} `unavailable` when the server is away, or all connections are taken for too long.
   */
  async use<Value>(work: (connection: Connection) => Promise<Value>): Promise<Value> {
    const { connection, release } = await this.take()
    try {
      return await work(connection)
    } catch (error) {
      throw errorFor(error)
    } finally {
      release()
    }
  }

  /** Takes a connection. The caller ends its transaction, or closes it, before it releases it. */
  async take(leaving: AbortSignal = this.#never): Promise<{ connection: Connection; release: Release }> {
    const failures = this.#failures
    const giveBack = await this.#slots.take(leaving)
    try {
      // Each attempt may take seconds, and callers that have waited for one would wait for the next.
      if (failures !== this.#failures && this.#idle.length === 0)
        throw new PostgresFailure('ERR_POSTGRES_CONNECTION_FAILED')
      const connection = await this.#open()
      return {
        connection,
        release: () => {
          if (this.#isClosed) connection.close()
          if (connection.isOpen) {
            this.#signs += 1
            this.#idle.push(connection)
          }
          // It broke, or had no response. The others may have the same fate, and each would be waited for.
          else {
            this.#breaks += 1
            this.#closeIdle()
          }
          giveBack()
        },
      }
    } catch (error) {
      giveBack()
      throw errorFor(error)
    }
  }

  /** Opens a connection beside those of the pool, which the caller closes. @throws {PostgresFailure} */
  async connect(): Promise<Connection> {
    if (this.#isPaused) throw new PostgresFailure('ERR_POSTGRES_CONNECTION_TIMEOUT')
    const signs = this.#signs
    try {
      const connection = await Connection.open(this.#url)
      this.#signs += 1
      return connection
    } catch (error) {
      // An attempt that began while the server was away says nothing once it is back.
      if (signs === this.#signs) {
        this.#failures += 1
        if (isTimeout(error)) this.#pause()
      }
      throw error
    }
  }

  close(): void {
    this.#isClosed = true
    this.#closeIdle()
  }

  #closeIdle(): void {
    for (const connection of this.#idle.splice(0)) connection.close()
  }

  #pause(): void {
    this.#isPaused = true
    setTimeout(() => {
      this.#isPaused = false
    }, PAUSE_MS).unref()
  }

  async #open(): Promise<Connection> {
    for (let idle = this.#idle.pop(); idle; idle = this.#idle.pop()) {
      if (idle.isOpen) return idle
      this.#breaks += 1
    }
    return await this.connect()
  }
}
