import { errorCode } from '../platform/errors.ts'
import { type S3Error, storeAway, storeLate } from './error.ts'

/** Bytes of a body that must pass in a millisecond on average, so that a dripping one ends. */
const MIN_BYTES_PER_MS = 4

/** Aborts a request that makes no progress or too little, or whose caller has left. */
export class Deadline {
  readonly #controller = new AbortController()
  readonly signal: AbortSignal
  #timer: ReturnType<typeof setTimeout> | undefined
  #isOver = false
  readonly #monotonic: () => number
  /** Time that the next chunks of a body may take together, in milliseconds. */
  #leftMs = 0
  /** Monotonic time since which a chunk is waited for. */
  #waitingSince: number | undefined

  constructor(monotonic: () => number, leaving?: AbortSignal) {
    this.#monotonic = monotonic
    this.signal = leaving ? AbortSignal.any([this.#controller.signal, leaving]) : this.#controller.signal
  }

  /** Sets the time left until the abort, in milliseconds. */
  renew(ms: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.#isOver = true
      this.#controller.abort()
    }, ms)
  }

  /** Begins a body. @param maxMs Longest wait for one of its chunks. */
  beginBody(maxMs: number): void {
    this.#leftMs = maxMs
  }

  /**
   * Waits for the next chunk of a body. A chunk gives back time in proportion to its length: a body that drips uses it up.
   *
   * @param bytes Length of the chunk before it.
   * @param maxMs Longest wait.
   */
  awaitChunk(bytes: number, maxMs: number): void {
    this.clear()
    this.#leftMs = Math.min(this.#leftMs + bytes / MIN_BYTES_PER_MS, maxMs)
    this.#waitingSince = this.#monotonic()
    this.renew(Math.max(this.#leftMs, 0))
  }

  clear(): void {
    clearTimeout(this.#timer)
    if (this.#waitingSince !== undefined) this.#leftMs -= this.#monotonic() - this.#waitingSince
    this.#waitingSince = undefined
  }

  /** Returns the error of a request that failed with `error`: only its name, because messages may have the URL. */
  failure(method: string, error: unknown): S3Error {
    this.clear()
    if (this.#isOver) return storeLate(method)
    const code = errorCode(error) ?? ''
    return storeAway(method, /^\w{1,64}$/.test(code) ? code : 'the connection failed')
  }
}
