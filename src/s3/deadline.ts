import { errorCode } from '../platform/errors.ts'
import { type S3Error, storeAway, storeLate } from './error.ts'

/** Aborts a request that makes no progress, or whose caller has left. */
export class Deadline {
  readonly #controller = new AbortController()
  readonly signal: AbortSignal
  #timer: ReturnType<typeof setTimeout> | undefined
  #isOver = false

  constructor(leaving?: AbortSignal) {
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

  clear(): void {
    clearTimeout(this.#timer)
  }

  /** Returns the error of a request that failed with `error`: only its name, because messages may have the URL. */
  failure(method: string, error: unknown): S3Error {
    this.clear()
    if (this.#isOver) return storeLate(method)
    const code = errorCode(error) ?? ''
    return storeAway(method, /^\w{1,64}$/.test(code) ? code : 'the connection failed')
  }
}
