import type { KeyRow } from '../catalog/keys.ts'
import type { SessionRow } from '../catalog/sessions.ts'
import type { UserRow } from '../catalog/users.ts'
import type { Deps } from '../deps.ts'
import { Refusal } from '../errors.ts'
import { findKey } from './keys.ts'
import { type Scope, scopesOf, scopesOfKey } from './scopes.ts'
import { findSession } from './sessions.ts'

/** Who is asking: an account, by one of its sessions or by one of its API keys. */
export type Caller = { user: UserRow } & (
  | { via: 'session'; session: SessionRow }
  | { via: 'key'; key: KeyRow }
)

/** The credentials a request carries. */
export interface Credentials {
  /** The `API-Key` header. */
  apiKey: string | null
  /** The token of a session cookie whose signature is good. */
  sessionToken: string | undefined
}

/**
 * Judges a request's credentials, once a request: those made with a valid API key are counted. The key is
 * judged first and alone: an invalid one is not saved by a good cookie.
 */
export function identify(deps: Deps, { apiKey, sessionToken }: Credentials): Caller | undefined {
  if (apiKey !== null) {
    const found = findKey(deps, apiKey)
    if (!found) return undefined
    deps.keyUsage.used(found.key)
    return { via: 'key', ...found }
  }
  const found = sessionToken === undefined ? undefined : findSession(deps, sessionToken)
  return found && { via: 'session', ...found }
}

/** The session of a caller on a route that takes only sessions. */
export function sessionOf(caller: Caller): SessionRow {
  if (caller.via !== 'session') throw new Error('A route for sessions let a key in')
  return caller.session
}

/** What `caller` may do: its account's scopes; for a key those of them that the key carries. */
export function scopesOfCaller(caller: Caller): readonly Scope[] {
  const ofRole = scopesOf(caller.user)
  return caller.via === 'key' ? ofRole.filter((scope) => scopesOfKey(caller.key).includes(scope)) : ofRole
}

/**
 * Why `caller` may not use `scope`, or `undefined` when it may (spec: Authentication 5 to 7). Without a
 * scope, whether it may ask anything at all.
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

/** @throws {Refusal} `forbidden` naming the scope that is missing. */
export function assertScope(caller: Caller, scope: Scope | undefined): void {
  const problem = scopeProblem(caller, scope)
  if (problem !== undefined) throw new Refusal('forbidden', problem)
}

/**
 * Authenticates and authorizes a caller again, for work that took long.
 *
 * @throws {Refusal} `unauthorized` when the credential is gone or has expired, or its account is disabled;
 *   `forbidden`.
 */
export function assertStillAllowed(deps: Deps, caller: Caller, scope?: Scope): void {
  const user = deps.catalog.users.byId(caller.user.id)
  const credential =
    caller.via === 'key'
      ? deps.catalog.keys.byKeyHash(caller.key.keyHash)
      : deps.catalog.sessions.byTokenHash(caller.session.tokenHash)
  const hasExpired = credential?.expiresAt != null && credential.expiresAt <= deps.clock.now()
  if (!user || user.disabled || !credential || hasExpired) throw new Refusal('unauthorized', 'Unauthorized')
  assertScope({ ...caller, user }, scope)
}
