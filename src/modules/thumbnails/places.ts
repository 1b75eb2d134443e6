import { refuseForNow } from '../../platform/errors.ts'

/** Decoders that run at the same time. One of them is kept for members. */
const PLACES = 2
/** Requests of members that wait, those of one share, and those of all shares. */
const MAX_MEMBERS = 500
const MAX_OF_SHARE = 20
const MAX_VISITORS = 200

type Next = () => void

/**
 * Places in which decoders run. Pictures of visitors use one at most, whatever they cost, and shares take turns for it: a
 * member waits for members alone, and a share for one picture of each other share.
 */
export class Places {
  #running = 0
  /** Work that no request waits for. */
  #spare: AbortController | undefined
  #visiting = 0
  readonly #members: Next[] = []
  /** Requests of visitors by their share, in the order in which the shares have their turns. */
  readonly #visitors = new Map<string, Next[]>()
  #waitingVisitors = 0

  /**
   * Runs `work` in a place.
   *
   * @param share Id of the share whose visitor asks; undefined for a member.
   * @throws {Refusal} `unavailable` when too many wait.
   */
  async use<Value>(share: string | undefined, work: () => Promise<Value>): Promise<Value> {
    await this.#wait(share)
    try {
      return await work()
    } finally {
      this.#running -= 1
      if (share !== undefined) this.#visiting -= 1
      this.#startNext()
    }
  }

  /**
   * Runs work that no request waits for, unless something runs. A request that comes aborts it, and has its place.
   *
   * @returns False when it has to run again.
   */
  async runSpare(work: (interrupted: AbortSignal) => Promise<unknown>): Promise<boolean> {
    if (this.#running > 0) return false
    this.#spare = new AbortController()
    const { signal } = this.#spare
    this.#running += 1
    try {
      await work(signal)
      return !signal.aborted
    } finally {
      this.#running -= 1
      this.#startNext()
    }
  }

  /** Aborts work that no request waits for. */
  readonly endSpare = (): void => this.#spare?.abort()

  async #wait(share: string | undefined): Promise<void> {
    const waiting = share === undefined ? this.#members : (this.#visitors.get(share) ?? [])
    const isFull =
      share === undefined
        ? waiting.length >= MAX_MEMBERS
        : waiting.length >= MAX_OF_SHARE || this.#waitingVisitors >= MAX_VISITORS
    if (isFull) throw refuseForNow('Too many thumbnails are being made, try again soon', undefined)
    this.endSpare()
    const { promise, resolve } = Promise.withResolvers<void>()
    waiting.push(resolve)
    if (share !== undefined) {
      this.#visitors.set(share, waiting)
      this.#waitingVisitors += 1
    }
    this.#startNext()
    await promise
  }

  #startNext(): void {
    while (this.#running < PLACES) {
      const next = this.#members.shift() ?? this.#nextVisitor()
      if (!next) return
      this.#running += 1
      next()
    }
  }

  /** Takes the next request of the share whose turn it is, which then is the last. */
  #nextVisitor(): Next | undefined {
    if (this.#visiting > 0) return undefined
    for (const [share, waiting] of this.#visitors) {
      this.#visitors.delete(share)
      const next = waiting.shift()
      if (waiting.length > 0) this.#visitors.set(share, waiting)
      if (!next) continue
      this.#waitingVisitors -= 1
      this.#visiting += 1
      return next
    }
    return undefined
  }
}
