import type { LocatedCaller } from '../../access/caller.ts'
import { refuseForNow, refuseTooMany } from '../../platform/errors.ts'
import { rateLimitBucket } from '../../platform/rate-limit.ts'

/** Maximum streams of one account. All tabs of a browser share one. */
const MAX_OF_ACCOUNT = 20
/** Maximum streams to one address. A whole office may share it. */
const MAX_TO_ADDRESS = 250
const MAX_OF_ALL = 2000
/** `Retry-After` past the limit of an account or address, in seconds. */
const RETRY_SECONDS = 60

/** Limits the number of streams. A stream holds its place until its response has ended, also if its client reads slowly. */
export class Places {
  readonly #taken = new Map<string, number>()
  #all = 0
  #isClosed = false

  get taken(): number {
    return this.#all
  }

  /**
   * Takes a place, and returns a function that releases it.
   *
   * @throws {Refusal} `rate-limited` past the limits of an account or address, `unavailable`.
   */
  take({ user, device }: LocatedCaller): () => void {
    if (this.#isClosed) throw refuseForNow('The server is stopping, try again soon', undefined)
    if (this.#all >= MAX_OF_ALL)
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

  /** Refuses all streams from now on, because the server stops. */
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
