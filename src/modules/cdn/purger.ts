import type { Context } from '../../access/context.ts'
import { AllowedAddresses, OutgoingError, sendNotice } from '../../platform/addresses.ts'
import type { CdnConfig } from '../../platform/cdn.ts'
import { isFolderPath, isPurgeable } from '../../views/cdn.ts'
import { folderAbove, PROTOCOLS, type Purge } from './requests.ts'

/** Maximum rows of the outbox that are read at a time. */
const MAX_ROWS = 1000
/** Maximum requests under way. */
const MAX_SENDING = 8
/**
 * Time between the two purges of a path, in milliseconds. The first one misses what the cache is fetching: a response from
 * before the change, which arrives after the purge.
 */
const AGAIN_MS = 5000
/** Longest pause after a failed attempt, in milliseconds. */
const MAX_PAUSE_MS = 30_000
const FIRST_PAUSE_MS = 1000

/** The operator has named these caches, so any of their addresses is allowed. */
const ANY_ADDRESS = new AllowedAddresses(['0.0.0.0/0', '::/0'], 'CDN_URL')

/** Sends the purges of the outbox. A cache may get one twice, by several servers, or after one that was killed. */
export class Purger {
  readonly #deps: Pick<Context, 'clock' | 'config' | 'store'>
  readonly #cdn: CdnConfig
  readonly #leaving = new AbortController()
  /** Failed attempts in a row, and the time on the monotonic clock before which there is no other. */
  #failures = 0
  #notBefore = Number.NEGATIVE_INFINITY

  constructor(deps: Pick<Context, 'clock' | 'config' | 'store'>, cdn: CdnConfig) {
    this.#deps = deps
    this.#cdn = cdn
  }

  /**
   * Sends what is due, unless an attempt has failed a moment ago.
   *
   * @throws {OutgoingError} when a cache has not accepted it. The outbox keeps it.
   */
  async advance(): Promise<void> {
    const { clock, config, store } = this.#deps
    if (clock.monotonic() < this.#notBefore) return
    // Another server may respond from memory for a while.
    const againMs = AGAIN_MS + (config.database?.hostingStalenessMs ?? 0)
    try {
      for (;;) {
        const due = await store.purges.due(clock.now() - againMs, MAX_ROWS)
        if (due.length === 0) return
        await this.#purge([...new Set(due.map(({ path }) => path))])
        await store.transact(() => store.purges.sent(due, clock.now()))
        this.#failures = 0
      }
    } catch (error) {
      if (this.#leaving.signal.aborted) return
      await this.#pause(error)
      throw error
    }
  }

  stop(): void {
    this.#leaving.abort()
  }

  async #pause(error: unknown): Promise<void> {
    const { clock, store } = this.#deps
    const pause = Math.min(FIRST_PAUSE_MS * 2 ** this.#failures, MAX_PAUSE_MS)
    this.#failures += 1
    const asked = error instanceof RefusedPurge ? error.retryAfterMs : 0
    this.#notBefore = clock.monotonic() + Math.max(pause, Math.min(asked, MAX_PAUSE_MS * 10))
    await store.transact(() => store.purges.failed(clock.now()))
  }

  async #purge(all: readonly string[]): Promise<void> {
    const { perRequest, most, purge } = PROTOCOLS[this.#cdn.kind]
    const kept = all.filter((path) => isFolderPath(path) || isPurgeable(this.#cdn, path))
    const paths = kept.length > most ? [folderAbove(kept)] : kept
    const requests: Purge[] = []
    for (let at = 0; at < paths.length; at += perRequest)
      for (const url of this.#cdn.urls) requests.push(purge(this.#cdn, url, paths.slice(at, at + perRequest)))
    for (let at = 0; at < requests.length; at += MAX_SENDING)
      await Promise.all(requests.slice(at, at + MAX_SENDING).map((request) => this.#send(request)))
  }

  async #send(request: Purge): Promise<void> {
    const { status, retryAfterMs } = await sendNotice(ANY_ADDRESS, {
      ...request,
      leaving: this.#leaving.signal,
    })
    if (status >= 200 && status < 300) return
    if (PROTOCOLS[this.#cdn.kind].absent?.includes(status)) return
    throw new RefusedPurge(`${new URL(request.url).host} responded with ${status}`, retryAfterMs)
  }
}

/** Refusal of a cache, with the pause that it asks for in milliseconds. */
class RefusedPurge extends OutgoingError {
  readonly retryAfterMs: number

  constructor(message: string, retryAfterMs: number) {
    super(message)
    this.retryAfterMs = retryAfterMs
  }
}
