import type { Context } from '../../access/context.ts'
import { Refusal } from '../../platform/errors.ts'
import { isAtOrBelow, segmentsOf } from '../../platform/names.ts'
import type { DavLockRow, Work } from '../../store/rows.ts'

/** Write lock of a client on a key (RFC 4918 §6). */
export type Lock = DavLockRow

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

type Deps = Pick<Context, 'store' | 'clock' | 'random'>
type Asked = Omit<Lock, 'token' | 'expiresAt'>

/** Adds a lock. @throws {Refusal} `limit-reached`; {Locked} when another one excludes it. */
export function addLock({ store, clock, random }: Deps, asked: Asked): Promise<Lock> {
  const token = `urn:uuid:${random.id()}`
  return store.transact(function* (): Work<Lock> {
    const now = clock.now()
    yield* store.davLocks.removeEnded(now)
    new Locks(yield* store.davLocks.valid(now)).assertRoom(asked)
    const lock = { ...asked, token, expiresAt: now + asked.timeoutMs }
    yield* store.davLocks.insert(lock)
    return lock
  })
}

/** Lets a lock live for another time from now. */
export async function refreshLock({ store, clock }: Deps, lock: Lock, timeoutMs: number): Promise<Lock> {
  const refreshed = { ...lock, timeoutMs, expiresAt: clock.now() + timeoutMs }
  await store.transact(() => store.davLocks.refresh(refreshed))
  return refreshed
}

export async function removeLocks({ store }: Deps, locks: readonly Lock[]): Promise<void> {
  const tokens = locks.map(({ token }) => token)
  if (tokens.length > 0) await store.transactToFree(() => store.davLocks.remove(tokens))
}

/** Locks at one moment. They bind WebDAV clients only. */
export class Locks {
  readonly #byKey: ReadonlyMap<string, readonly Lock[]>

  constructor(locks: readonly Lock[]) {
    this.#byKey = Map.groupBy(locks, ({ key }) => key)
  }

  static async read({ store, clock }: Deps): Promise<Locks> {
    return new Locks(await store.davLocks.valid(clock.now()))
  }

  /** Asserts that a lock may be added. @throws {Refusal} `limit-reached`; {Locked} when another one excludes it. */
  assertRoom({ key, isDeep, isShared, userId }: Asked): void {
    const near = isDeep ? [...this.covering(key), ...this.below(key)] : this.covering(key)
    const rival = near.find((lock) => !(isShared && lock.isShared))
    if (rival) throw new Locked(rival.key)
    if (new Set(near).size >= MAX_SHARED) throw refuseMore()
    const all = this.below('')
    const own = all.filter((lock) => lock.userId === userId)
    if (all.length >= MAX_LOCKS || own.length >= MAX_OF_ACCOUNT) throw refuseMore()
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
    for (const lock of this.below(key)) assertHeld(this.#at(lock.key))
  }

  #at(key: string): readonly Lock[] {
    return this.#byKey.get(key) ?? []
  }

  /** Returns the locks of a key, and of all below it. */
  below(top: string): Lock[] {
    return [...this.#byKey].flatMap(([key, locks]) => (isAtOrBelow(key, top) ? locks : []))
  }
}

/** Account, and the tokens of locks that its request has. */
export interface Holder {
  userId: string
  tokens: ReadonlySet<string>
}
