import type { Target } from '../../faults/world.ts'
import { HUNG_MS } from '../../support/eventually.ts'
import { Counter } from './counter.ts'
import type { ServerNode } from './server-node.ts'

/** Longest time in milliseconds to a response while an engine is away, on a machine without other work. */
const MAX_MS = 30_000
/** Time in milliseconds after which a deadline may have passed on a machine with other work. */
const BUSY_MS = 4000
const MAX_PRINTED = 20
/** Refusal of an item that another server moves or deletes. */
const HELD = /still being moved or deleted/
/** Time in milliseconds after which no item is held by a server that does not go on: its lease, and a sweep. */
export const DEAD_HELD_MS = 120_000
/** Time in milliseconds after which no item is held in vain by a server that runs: four of its attempts to release it. */
export const ALIVE_HELD_MS = 20_000

/** Faults that are under way. */
export interface Permission {
  /** True when 503 with `Retry-After` is right. */
  unavailable?: boolean
  /** True when bodies may break off. */
  broken?: boolean
  /** Milliseconds after the fault for which a server may hold items that it was moving. */
  heldMs?: number
  /** Milliseconds within which every response is promised (`docs/scale-out.md`). */
  promisedMs?: number
}

/** Response, or its absence, as a client has seen it. */
interface Seen {
  what: string
  node: ServerNode
  began: number
  ms: number
}

/** Collects what clients see, and compares it with what the faults under way permit. */
export class Watch {
  violations: string[] = []
  /** Number of responses by status, and of lost ones. */
  readonly counts = new Map<number | string, number>()
  /** Responses, and lost ones. */
  readonly responses = new Counter()
  /** Changes that were acknowledged to the clients. */
  readonly changes = new Counter()
  readonly #isStrict: boolean
  #longest = { ms: 0, what: 'none' }
  #permission: Permission = {}
  /** Time until which responses of an earlier permission may arrive. */
  #since = { unavailable: Number.NEGATIVE_INFINITY, broken: Number.NEGATIVE_INFINITY }
  /** Time until which items may be held. */
  #heldUntil = Number.NEGATIVE_INFINITY

  /** @param isStrict False on a machine with other work, on which deadlines pass although nothing is away. */
  constructor(isStrict: boolean) {
    this.#isStrict = isStrict
  }

  permit(permission: Permission): void {
    const now = performance.now()
    if (this.#permission.unavailable) this.#since.unavailable = now
    if (this.#permission.broken) this.#since.broken = now
    const { heldMs } = this.#permission
    const longest = this.#isStrict ? heldMs : HUNG_MS
    if (heldMs !== undefined) this.#heldUntil = Math.max(this.#heldUntil, now + (longest ?? 0))
    this.#permission = permission
  }

  violate(what: string): void {
    if (this.violations.length < MAX_PRINTED) this.violations.push(what)
  }

  /**
   * Ends a round and begins the next. Returns its violations and figures, with the longest time to a response of a server
   * that was not paused, in milliseconds.
   */
  take() {
    const taken = { violations: this.violations, counts: new Map(this.counts), longest: this.#longest }
    this.violations = []
    this.counts.clear()
    this.#longest = { ms: 0, what: 'none' }
    return taken
  }

  count(outcome: number | string): void {
    this.counts.set(outcome, (this.counts.get(outcome) ?? 0) + 1)
    this.responses.add()
  }

  /** Returns true when the permission holds now, or held when a request began. */
  isPermitted(name: 'unavailable' | 'broken', began: number): boolean {
    return this.#permission[name] === true || began <= this.#since[name]
  }

  /** Returns true when 503 is right for a request, or may be the deadline on a busy machine. */
  mayBeUnavailable(began: number, ms: number): boolean {
    return this.isPermitted('unavailable', began) || (!this.#isStrict && ms > BUSY_MS)
  }

  /** Returns true for the refusal of an item that a server may hold. */
  isHeld(message: string): boolean {
    return (
      HELD.test(message) && (this.#permission.heldMs !== undefined || performance.now() < this.#heldUntil)
    )
  }

  /** Records a response. */
  respond({ what, node, began, ms }: Seen, { status, headers }: Response, message: string): void {
    this.count(status)
    const isAwake = !node.wasPausedSince(began)
    if (isAwake && ms > this.#longest.ms)
      this.#longest = { ms, what: `${what} of ${node.name} got ${status}` }
    const subject = `${what} of ${node.name} got ${status} after ${ms.toFixed(0)} ms: ${message.slice(0, 300)}`
    if (status === 503 && !headers.has('Retry-After')) this.violate(`${subject} (no Retry-After)`)
    const isRight = this.mayBeUnavailable(began, ms) || this.isHeld(message)
    if (status === 503 && !isRight) this.violate(`${subject} (nothing is away)`)
    if (status >= 500 && status !== 503) this.violate(`${subject} ${node.errors()}`)
    const { promisedMs = MAX_MS } = this.#permission
    if (isAwake && this.#isStrict && ms > promisedMs) this.violate(`${subject} (too late)`)
  }
}

/** Sends one client's requests to a server, and records their responses. */
export class Exchange implements Target {
  readonly dataPath = ''
  readonly #watch: Watch
  readonly #node: ServerNode
  /** True when the server said that it does not know the outcome. */
  isUnknown = false
  /** Message of the last refusal. */
  message = ''

  constructor(watch: Watch, node: ServerNode) {
    this.#watch = watch
    this.#node = node
  }

  readonly fetch = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const [node, began, { kills, isUp }] = [this.#node, performance.now(), this.#node]
    const what = `${init.method ?? 'GET'} ${path}`
    try {
      const response = await node.fetch(path, init)
      const bytes = await response.arrayBuffer()
      const text = Buffer.from(bytes).toString()
      // Items of a batch fail on their own.
      const message = response.status >= 400 || text.includes('"failed":[{') ? text : ''
      this.message = message
      if (/may have been made|was made/.test(message)) this.isUnknown = true
      this.#watch.respond({ what, node, began, ms: performance.now() - began }, response, message)
      return new Response(bytes.byteLength === 0 ? null : bytes, response)
    } catch (error) {
      this.#watch.count('lost')
      const isDead = !isUp || kills !== node.kills
      if (!isDead && !this.#watch.isPermitted('broken', began))
        this.#watch.violate(`${what} of ${node.name} got no response: ${error}`)
      throw error
    }
  }
}
