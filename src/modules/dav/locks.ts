import type { Clock } from '../../platform/clock.ts'
import { Refusal } from '../../platform/errors.ts'
import { isAtOrBelow, segmentsOf } from '../../platform/names.ts'
import type { Random } from '../../platform/random.ts'
import type { Xml } from '../../xml/write.ts'

/** Write lock of a client on a key (RFC 4918 §6). */
export interface Lock {
  token: string
  key: string
  /** True when it covers what is below, too. */
  isDeep: boolean
  isShared: boolean
  /** Account that may use the token. */
  userId: string
  /** Words of the client about itself. */
  owner: readonly Xml[]
  timeoutMs: number
  /** Monotonic time at which it ends. */
  until: number
}

/** Longest life of a lock that is not refreshed, in milliseconds. */
export const MAX_LOCK_MS = 3_600_000
/** Maximum locks of one account, and of all. */
const MAX_OF_ACCOUNT = 1000
const MAX_LOCKS = 10_000
/** Maximum shared locks that cover a key, because each listing shows them all. */
const MAX_SHARED = 16

/** Key that is locked by a token that the request does not have. */
export class Locked extends Error {
  readonly key: string

  constructor(key: string) {
    super('A lock is in the way')
    this.key = key
  }
}

const refuseMore = () => new Refusal('limit-reached', 'There are too many locks', { status: 503 })

/** Locks of this server, in memory: they bind WebDAV clients only, and a start ends them. */
export class Locks {
  readonly #deps: { clock: Clock; random: Random }
  readonly #byKey = new Map<string, Lock[]>()

  constructor(deps: { clock: Clock; random: Random }) {
    this.#deps = deps
  }

  /** Adds a lock. @throws {Refusal} `limit-reached`; {Locked} when another one excludes it. */
  add(asked: Omit<Lock, 'token' | 'until'>): Lock {
    const { key, isDeep, isShared, userId } = asked
    const near = isDeep ? [...this.covering(key), ...this.#below(key)] : this.covering(key)
    const rival = near.find((lock) => !(isShared && lock.isShared))
    if (rival) throw new Locked(rival.key)
    if (new Set(near).size >= MAX_SHARED) throw refuseMore()
    const all = [...this.#below('')]
    const own = all.filter((lock) => lock.userId === userId)
    if (all.length >= MAX_LOCKS || own.length >= MAX_OF_ACCOUNT) throw refuseMore()
    const lock = { ...asked, token: `urn:uuid:${this.#deps.random.id()}`, until: 0 }
    this.refresh(lock, asked.timeoutMs)
    this.#byKey.set(key, [...this.#at(key), lock])
    return lock
  }

  refresh(lock: Lock, timeoutMs: number): void {
    lock.timeoutMs = timeoutMs
    lock.until = this.#deps.clock.monotonic() + timeoutMs
  }

  remove({ key, token }: Lock): void {
    this.#byKey.set(
      key,
      this.#at(key).filter((lock) => lock.token !== token),
    )
  }

  /** Removes the locks of what is no longer at a key, nor below it. */
  removeBelow(key: string): void {
    for (const lock of this.#below(key)) this.remove(lock)
  }

  /** Returns the locks that cover a key: its own, and deep ones above. */
  covering(key: string): Lock[] {
    const segments = segmentsOf(key)
    const found = [...this.#at(key)]
    for (let length = segments.length - 1; length >= 0; length -= 1)
      found.push(...this.#at(segments.slice(0, length).join('/')).filter(({ isDeep }) => isDeep))
    return found
  }

  /**
   * Asserts that a change at a key is allowed to the holder of some tokens.
   *
   * @param what Existence of the key when it begins or ceases to exist, which changes the folder above, and all below.
   * @throws {Locked}
   */
  assertOpen(key: string, { userId, tokens }: Holder, what: 'content' | 'existence'): void {
    const assertHeld = (locks: readonly Lock[]) => {
      const isHeld = locks.some((lock) => lock.userId === userId && tokens.has(lock.token))
      if (locks[0] && !isHeld) throw new Locked(locks[0].key)
    }
    assertHeld(this.covering(key))
    if (what === 'content') return
    assertHeld(this.#at(segmentsOf(key).slice(0, -1).join('/')))
    for (const lock of this.#below(key)) assertHeld(this.#at(lock.key))
  }

  #at(key: string): readonly Lock[] {
    const locks = this.#byKey.get(key)
    if (!locks) return []
    const now = this.#deps.clock.monotonic()
    const valid = locks.filter(({ until }) => until > now)
    if (valid.length === 0) this.#byKey.delete(key)
    return valid
  }

  /** Returns the locks of a key, and of all below it. */
  *#below(top: string): Iterable<Lock> {
    for (const key of [...this.#byKey.keys()]) if (isAtOrBelow(key, top)) yield* this.#at(key)
  }
}

/** Account, and the tokens of locks that its request has. */
export interface Holder {
  userId: string
  tokens: ReadonlySet<string>
}
