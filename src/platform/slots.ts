import { Refusal, refuseForNow } from './errors.ts'

interface SlotsOptions {
  /** Holders at a time. */
  count: number
  /** Requests that wait for a slot; further ones are refused at once. */
  maxWaiting: number
  /** Longest wait for a slot, in milliseconds. */
  maxWaitMs: number
  /** Message of the refusal. */
  busy: string
}

/** Gives a slot back. Further calls do nothing. */
export type Release = () => void

/** Use of slots, for metrics. */
export interface SlotUse {
  held: number
  /** Requests that wait for a slot now. */
  waiting: number
  /** Requests that have ever waited. */
  waited: number
}

/** Bounded concurrency: requests hold a slot each, and wait for one in the order in which they came. */
export class Slots {
  readonly #options: SlotsOptions
  readonly #waiting = new Set<() => void>()
  #free: number
  #waited = 0

  constructor(options: SlotsOptions) {
    this.#options = options
    this.#free = options.count
  }

  get use(): SlotUse {
    return {
      held: this.#options.count - this.#free,
      waiting: this.#waiting.size,
      waited: this.#waited,
    }
  }

  /**
   * Resolves when there is a free slot.
   *
   * @throws {Refusal} `unavailable` when too many requests wait, the wait is too long, or the client disconnects.
   */
  async take(leaving: AbortSignal): Promise<Release> {
    const free = this.tryTake()
    if (free) return free
    if (this.#waiting.size >= this.#options.maxWaiting) throw this.#refuseBusy()
    await this.#wait(leaving)
    return this.#hold()
  }

  /** Takes a slot if one is free. */
  tryTake(): Release | undefined {
    if (this.#free === 0) return undefined
    this.#free -= 1
    return this.#hold()
  }

  #hold(): Release {
    let isHeld = true
    return () => {
      if (isHeld) this.#giveBack()
      isHeld = false
    }
  }

  #wait(leaving: AbortSignal): Promise<void> {
    this.#waited += 1
    return new Promise((resolve, reject) => {
      const end = () => {
        clearTimeout(timer)
        leaving.removeEventListener('abort', leave)
        this.#waiting.delete(next)
      }
      const next = () => {
        end()
        resolve()
      }
      const leave = () => {
        end()
        reject(refuseGone())
      }
      const timer = setTimeout(() => {
        end()
        reject(this.#refuseBusy())
      }, this.#options.maxWaitMs)
      leaving.addEventListener('abort', leave)
      this.#waiting.add(next)
      if (leaving.aborted) leave()
    })
  }

  #giveBack(): void {
    const [next] = this.#waiting
    if (next) next()
    else this.#free += 1
  }

  #refuseBusy = () => refuseForNow(this.#options.busy, undefined)
}

const refuseGone = () => new Refusal('unavailable', 'The client disconnected')

/**
 * Stops work that no client waits for. Its refusal ends the request and is not sent.
 *
 * @throws {Refusal} when the client of the request has disconnected.
 */
export function assertConnected(leaving: AbortSignal): void {
  if (leaving.aborted) throw refuseGone()
}
