import type { LocatedCaller } from '../../access/caller.ts'
import { refuseForNow, refuseTooMany } from '../../platform/errors.ts'
import { rateLimitBucket } from '../../platform/rate-limit.ts'

/** Maximum streams of one account: a browser has one for all its tabs. */
const MAX_OF_ACCOUNT = 20
/** Maximum streams to one address, which may be that of a whole office. */
const MAX_TO_ADDRESS = 250
const MAX_OF_ALL = 2000
/** Seconds after which a client without a place may try again. */
const RETRY_SECONDS = 60

/** Budget of streams. A place is held until the response has ended, also by a client that reads slowly. */
export class Places {
  readonly #taken = new Map<string, number>()
  #all = 0
  #isClosed = false

  get taken(): number {
    return this.#all
  }

  /**
   * Takes a place, and returns a function that gives it back.
   *
   * @throws {Refusal} `rate_limited` past the limits of an account or address, `unavailable`.
   */
  take({ user, device }: LocatedCaller): () => void {
    if (this.#isClosed || this.#all >= MAX_OF_ALL)
      throw refuseForNow('Too many clients wait for changes, try again later', undefined)
    const limits = {
      [`account ${user.id}`]: MAX_OF_ACCOUNT,
      [rateLimitBucket(device.ipAddress)]: MAX_TO_ADDRESS,
    }
    for (const [name, limit] of Object.entries(limits))
      if ((this.#taken.get(name) ?? 0) >= limit) throw refuseTooMany(RETRY_SECONDS)
    const names = Object.keys(limits)
    this.#add(names, 1)
    let isHeld = true
    return () => {
      if (isHeld) this.#add(names, -1)
      isHeld = false
    }
  }

  /** Refuses all from now on: the server stops. */
  close(): void {
    this.#isClosed = true
  }

  #add(names: readonly string[], change: 1 | -1): void {
    this.#all += change
    for (const name of names) {
      const taken = (this.#taken.get(name) ?? 0) + change
      if (taken > 0) this.#taken.set(name, taken)
      else this.#taken.delete(name)
    }
  }
}
