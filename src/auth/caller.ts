import type { KeyRow } from '../catalog/keys.ts'
import type { SessionRow } from '../catalog/sessions.ts'
import type { UserRow } from '../catalog/users.ts'
import type { Deps } from '../deps.ts'
import { Refusal } from '../errors.ts'
import { findKey } from './keys.ts'
import { type Scope, scopesOf } from './scopes.ts'
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

/** Judges credentials. An API key is judged first and alone: an invalid one is not saved by a good cookie. */
export function identify(deps: Deps, { apiKey, sessionToken }: Credentials): Caller | undefined {
  if (apiKey !== null) {
    const found = findKey(deps, apiKey)
    return found && { via: 'key', ...found }
  }
  const found = sessionToken === undefined ? undefined : findSession(deps, sessionToken)
  return found && { via: 'session', ...found }
}

/**
 * Why `caller` may not use `scope`, or with none may not call at all; `undefined` when it may (spec:
 * Authentication 5 to 7).
 */
export function scopeProblem(caller: Caller, scope: Scope | undefined): string | undefined {
  const ofRole = scopesOf(caller.user)
  if (caller.via === 'key' && !ofRole.includes('api-keys:manage')) return missing('api-keys:manage')
  if (scope === undefined) return undefined
  if (!ofRole.includes(scope)) return missing(scope)
  if (caller.via === 'key' && !caller.key.scopes.includes(scope))
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
 * Judges a caller again, for work that took long.
 *
 * @throws {Refusal} `unauthorized` when the credential is gone or its account disabled, `forbidden`.
 */
export function assertStillAllowed(deps: Deps, caller: Caller, scope: Scope): void {
  const user = deps.catalog.users.byId(caller.user.id)
  const credential =
    caller.via === 'key'
      ? deps.catalog.keys.byKeyHash(caller.key.keyHash)
      : deps.catalog.sessions.byTokenHash(caller.session.tokenHash)
  if (!user || user.disabled || !credential) throw new Refusal('unauthorized', 'Unauthorized')
  assertScope({ ...caller, user }, scope)
}
