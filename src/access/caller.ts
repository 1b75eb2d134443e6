import { timingSafeEqual } from 'node:crypto'
import { type Device, type Exchange, exchangeOf } from '../http/exchange.ts'
import type { Clock } from '../platform/clock.ts'
import { Refusal } from '../platform/errors.ts'
import type { Random } from '../platform/random.ts'
import { DAY_MS, utcDay } from '../platform/time.ts'
import { WriteBehind } from '../platform/write-behind.ts'
import type { KeyRequests, KeyRow, Role, SessionRow, UserRow, Work } from '../store/rows.ts'
import type { InstanceSettings } from '../store/settings.ts'
import { type Core, type Door, EVERYTHING, type Reach } from '../store/store.ts'
import { type ForwardAuth, findHeldSession } from './forward-auth.ts'
import { reachOf } from './reach.ts'
import type { SessionUses } from './session-uses.ts'

/** Matches the secret of an API key. */
export const KEY_FORMAT = /^hf_[0-9a-f]{64}$/

export const newKeySecret = (random: Random) => `hf_${Buffer.from(random.bytes(32)).toString('hex')}`

export const hashKey = (secret: string) => Bun.CryptoHasher.hash('sha256', secret, 'hex')

/** Builds the row of a new API key, and its secret. Only a hash of the secret is stored. */
export function newKey(
  { clock, random }: Pick<Core, 'clock' | 'random'>,
  key: Pick<KeyRow, 'userId' | 'name' | 'scopes'> & Partial<Pick<KeyRow, 'expiresAt' | 'folderId'>>,
): { secret: string; key: KeyRow } {
  const secret = newKeySecret(random)
  const row = { id: random.id(), keyHash: hashKey(secret), createdAt: clock.now(), usedAt: null }
  return { secret, key: { ...row, expiresAt: null, folderId: null, ...key } }
}

/**
 * Account that makes a request, authenticated by one of its sessions, one of its API keys, or its password; or by itself,
 * for what a session has left to the server.
 */
export type Caller = {
  user: UserRow
  /** Part of the tree that it reaches: as it was when the request began, and as each of its transactions finds it. */
  reach: Reach
} & (
  | { via: 'session'; session: SessionRow }
  | { via: 'key'; key: KeyRow }
  /** By e-mail and password in each request. */
  | { via: 'password' }
  | { via: 'account' }
)

export type KeyCaller = Extract<Caller, { via: 'key' }>

/** Caller with the device that its request comes from. */
export type LocatedCaller = Caller & { device: Device }

/** Requests made with an API key on one UTC day, and the time of the last of them. */
type Usage = Omit<KeyRequests, 'day'> & { usedAt: number }

/** Counts of requests made with API keys, each for the UTC day of the request. */
export class KeyUsage {
  readonly #clock: Clock
  readonly #counts: WriteBehind<Usage>

  constructor({ store, clock }: { store: Door; clock: Clock }) {
    this.#clock = clock
    this.#counts = new WriteBehind<Usage>({
      merge(usage, newer) {
        usage.count += newer.count
        usage.usedAt = Math.max(usage.usedAt, newer.usedAt)
      },
      save: (usages) =>
        store.transact(function* () {
          for (const usage of usages) {
            yield* store.apiRequests.add({ ...usage, day: utcDay(usage.usedAt) })
            yield* store.keys.used(usage.keyId, usage.usedAt)
          }
        }),
    })
  }

  /** Counts a request made with an API key, successful or not. */
  used({ id: keyId, userId }: KeyRow): void {
    const usedAt = this.#clock.now()
    this.#counts.add(`${Math.floor(usedAt / DAY_MS)} ${keyId}`, { userId, keyId, count: 1, usedAt })
  }

  flush(): Promise<void> {
    return this.#counts.flush()
  }
}

/** Removes the request counts of days past the retention in the settings. */
export async function pruneApiRequests({ store, clock }: Pick<Core, 'store' | 'clock'>): Promise<void> {
  const { apiRequestRetentionDays } = store.settings.current()
  const firstDay = utcDay(Math.max(0, clock.now() - apiRequestRetentionDays * DAY_MS))
  await store.removeInSlices((limit) => store.apiRequests.removeBefore(firstDay, limit))
}

interface CallerDeps extends Core {
  keyUsage: KeyUsage
  sessionUses: SessionUses
  forwardAuth: ForwardAuth | undefined
}

/** Callers with a valid API key by the exchange of their request, which all forms of a request share. */
const keyCallers = new WeakMap<Exchange, KeyCaller>()

/**
 * Authenticates the `API-Key` header of a request and counts its use. Call once per request and before its
 * route is known, so that unknown routes and wrong methods count too.
 */
export async function authenticateKey(deps: CallerDeps, request: Request): Promise<void> {
  const secret = request.headers.get('api-key')
  const found = secret === null ? undefined : await authenticateSecret(deps, secret)
  if (found) keyCallers.set(exchangeOf(request), found)
}

/** Authenticates the secret of an API key that a request has in another place, and counts its use. */
export async function authenticateSecret(
  deps: Core & { keyUsage: KeyUsage },
  secret: string,
): Promise<KeyCaller | undefined> {
  const found = await deps.store.read(() => findKey(deps, secret))
  if (found) deps.keyUsage.used(found.key)
  return found
}

/** Returns the caller of `secret`, unless its API key has expired or its owner is disabled. */
function* findKey(deps: Core, secret: string): Work<KeyCaller | undefined> {
  if (!KEY_FORMAT.test(secret)) return undefined
  return yield* callerOfHash(deps, hashKey(secret))
}

/** Returns the caller of the API key with an id, as for its secret: its requests must prove that they have that. */
export function* findKeyById(deps: Core, id: string): Work<KeyCaller | undefined> {
  const key = yield* deps.store.keys.byId(id)
  return key && (yield* callerOfHash(deps, key.keyHash))
}

function* callerOfHash({ store, clock }: Core, keyHash: string): Work<KeyCaller | undefined> {
  const found = yield* store.keys.withOwner(keyHash)
  if (!found || !timingSafeEqual(Buffer.from(found.key.keyHash), Buffer.from(keyHash))) return undefined
  const { key, user } = found
  const hasExpired = key.expiresAt !== null && key.expiresAt <= clock.now()
  if (hasExpired || user.disabled) return undefined
  return { via: 'key', key, user, reach: yield* reachOf({ store }, user, key) }
}

/**
 * Returns the caller of a request that passed `authenticateKey`. An `API-Key` header wins: if it is invalid,
 * the session cookie is not tried.
 *
 * @param readToken Returns the token of a session cookie with a valid signature.
 */
export async function identify(
  deps: CallerDeps,
  request: Request,
  readToken: () => string | undefined,
): Promise<Caller | undefined> {
  if (request.headers.has('api-key')) return keyCallers.get(exchangeOf(request))
  const token = readToken()
  if (token === undefined) return undefined
  return deps.store.read(function* (): Work<Caller | undefined> {
    const found = yield* findHeldSession(deps, request, token)
    return found && { via: 'session', ...found, reach: yield* reachOf(deps, found.user) }
  })
}

/** Returns the session of a caller on a route that accepts only sessions. */
export function sessionOf(caller: Caller): SessionRow {
  if (caller.via !== 'session') throw new Error('A route for sessions let a key in')
  return caller.session
}

export const FILE_SCOPES = ['files:read', 'files:write', 'files:delete'] as const
export const SCOPES = [...FILE_SCOPES, 'api-keys:manage', 'settings:manage', 'users:manage'] as const

/** Permission of an account or an API key. */
export type Scope = (typeof SCOPES)[number]

const SCOPES_OF_ROLE: Record<Exclude<Role, 'custom'>, readonly Scope[]> = {
  admin: SCOPES,
  editor: [...FILE_SCOPES, 'api-keys:manage'],
  viewer: ['files:read'],
}

/** Returns the scopes of an account: those of its role, or those picked for the custom role. */
export function scopesOf(user: { role: Role; customScopes: readonly string[] }): readonly Scope[] {
  if (user.role !== 'custom') return SCOPES_OF_ROLE[user.role]
  return SCOPES.filter((scope) => scope !== 'users:manage' && user.customScopes.includes(scope))
}

/** Returns the scopes of an API key. One from before API keys had scopes lists none and carries all. */
export const scopesOfKey = ({ scopes }: Pick<KeyRow, 'scopes'>): readonly string[] =>
  scopes.length === 0 ? FILE_SCOPES : scopes

/** Returns the scopes of `caller`: those of its account; for an API key, those of them that it carries. */
export function scopesOfCaller(caller: Caller): readonly Scope[] {
  const ofRole = scopesOf(caller.user)
  return caller.via === 'key' ? ofRole.filter((scope) => scopesOfKey(caller.key).includes(scope)) : ofRole
}

/**
 * Returns the reason why `caller` may not use `scope`, or `undefined` when it may. Without a scope, the
 * reason why it may not call the API at all.
 */
export function scopeProblem(caller: Caller, scope: Scope | undefined): string | undefined {
  const ofRole = scopesOf(caller.user)
  if (caller.via === 'key' && !ofRole.includes('api-keys:manage')) return missing('api-keys:manage')
  if (scope === undefined) return undefined
  if (!ofRole.includes(scope)) return missing(scope)
  if (caller.via === 'key' && !scopesOfKey(caller.key).includes(scope))
    return `API key is missing required scope "${scope}"`
  return undefined
}

const missing = (scope: Scope) => `Missing required scope "${scope}"`

/**
 * Asserts that the caller has a scope.
 *
 * @throws {Refusal} `scope-missing` naming the missing scope.
 */
export function assertScope(caller: Caller, scope: Scope | undefined): void {
  const problem = scopeProblem(caller, scope)
  if (problem !== undefined) throw new Refusal('scope-missing', problem)
}

/**
 * Authenticates and authorizes a caller again, for work that took long: in the body of its transaction. What the caller
 * reaches from here on is what it reaches now.
 *
 * @returns The caller with its account as it is now.
 *
 * @throws {Refusal} `unauthorized` when the credential is gone or has expired, or its account is disabled;
 *   `scope-missing`.
 */
export function* requireCaller(deps: Core, caller: Caller, scope?: Scope): Work<Caller> {
  const now = yield* callerNow(deps, caller)
  if (!now) throw new Refusal('unauthorized')
  assertScope(now, scope)
  if (caller.reach !== EVERYTHING) caller.reach.renew(now.reach)
  // The rest of the request sees the whole tree.
  else if (!now.reach.isEverything)
    throw new Refusal('right-missing', 'The folders that this account reaches have changed: try again')
  return now
}

/** Authenticates and authorizes a caller again, as `requireCaller` does. */
export function* assertStillAllowed(deps: Core, caller: Caller, scope?: Scope): Work<void> {
  yield* requireCaller(deps, caller, scope)
}

/** Returns true if the setting of the instance lets an account share. */
export const mayShare = (
  sharing: InstanceSettings['sharing'],
  user: Parameters<typeof scopesOf>[0],
): boolean => sharing === 'readers' || (sharing === 'writers' && scopesOf(user).includes('files:write'))

/**
 * Returns a caller with its account as it is now; `undefined` when the credential is gone or has expired, or the account
 * is disabled.
 */
export function* callerNow<Some extends Caller>(deps: Core, caller: Some): Work<Some | undefined> {
  if (caller.via === 'password') return yield* passwordCallerNow(deps, caller)
  const now = yield* ownerNow(deps, caller)
  const hasExpired = now?.expiresAt != null && now.expiresAt <= deps.clock.now()
  if (!now || now.user.disabled || hasExpired) return undefined
  return { ...caller, user: now.user, reach: yield* reachOf(deps, now.user, now.key) }
}

/** Account behind a credential. */
interface Owner {
  user: UserRow
  key?: KeyRow
  expiresAt: number | null
}

function* ownerNow({ store: { keys, sessions, users } }: Core, caller: Caller): Work<Owner | undefined> {
  if (caller.via === 'key') {
    const found = yield* keys.withOwner(caller.key.keyHash)
    return found && { ...found, expiresAt: found.key.expiresAt }
  }
  if (caller.via === 'session') {
    const found = yield* sessions.withOwner(caller.session.tokenHash)
    return found && { user: found.user, expiresAt: found.session.expiresAt }
  }
  const user = yield* users.byId(caller.user.id)
  return user && { user, expiresAt: null }
}

/** Account, and its API key if one was used, for which the server does work later. */
export interface Principal {
  userId: string
  /** Null for a session. */
  keyId: string | null
}

export const principalOf = (caller: Caller): Principal => ({
  userId: caller.user.id,
  keyId: caller.via === 'key' ? caller.key.id : null,
})

/** Authenticates the caller that left work to the server; `undefined` when the account or its API key has ended. */
export function* callerOf(deps: Core, { userId, keyId }: Principal): Work<Caller | undefined> {
  const user = yield* deps.store.users.byId(userId)
  if (!user) return undefined
  if (keyId === null) return yield* callerNow<Caller>(deps, { via: 'account', user, reach: EVERYTHING })
  const key = yield* deps.store.keys.byId(keyId)
  return key?.userId === userId
    ? yield* callerNow<Caller>(deps, { via: 'key', key, user, reach: EVERYTHING })
    : undefined
}

/** Returns the caller of an account whose password was verified, if it is still the same. */
export const passwordCaller = (deps: Core, user: UserRow): Work<Caller | undefined> =>
  passwordCallerNow(deps, { via: 'password', user, reach: EVERYTHING })

/** Returns the caller while its account has the same password, and needs nothing beside it. */
function* passwordCallerNow<Some extends Caller>(deps: Core, caller: Some): Work<Some | undefined> {
  const user = yield* deps.store.users.byId(caller.user.id)
  const isSame = user?.passwordHash === caller.user.passwordHash && !user.secondFactor
  return user && isSame && !user.disabled ? { ...caller, user, reach: yield* reachOf(deps, user) } : undefined
}
