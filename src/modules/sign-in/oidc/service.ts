import * as T from 'typebox'
import { newAccount } from '../../../access/accounts.ts'
import { attemptsOf } from '../../../access/attempts.ts'
import type { Context } from '../../../access/context.ts'
import { hasOwnLowerCase, readEmail } from '../../../access/profile.ts'
import { nullable } from '../../../api/schema.ts'
import { isRefused } from '../../../platform/errors.ts'
import { type OidcConfig, roleOfGroups } from '../../../platform/sign-in.ts'
import type { IdentityRow, UserRow, Work } from '../../../store/rows.ts'
import { type Given, isMadeLimited, type Vouched, withGroups } from '../groups.ts'
import { PROVIDER, type SignInCode } from './model.ts'
import type { Person } from './provider.ts'

/** Time that a person has at the provider, in milliseconds. */
export const ATTEMPT_MS = 600_000

const Facts = T.Object({
  state: T.String(),
  nonce: T.String(),
  verifier: T.String(),
  callbackUrl: T.String(),
  errorUrl: T.String(),
  /** Session that links its account; null for signing in. */
  sessionId: nullable(T.String()),
})
export type Facts = T.Static<typeof Facts>

export const attempts = (deps: Context) =>
  attemptsOf(deps, { kind: 'oidc', facts: Facts, lifetimeMs: ATTEMPT_MS })

/** Failure of a sign-in that its person can understand. */
export class SignInError extends Error {
  override readonly name = 'SignInError'
  readonly code: SignInCode

  constructor(code: SignInCode) {
    super(code)
    this.code = code
  }
}

/** Account of a person, and what happened to it. */
export interface Found extends Vouched {
  /** True when the account was linked because it has the e-mail. */
  isLinkedByEmail: boolean
}

/**
 * Returns the account of a person, which it may link or make (docs/sign-in.md has the rules).
 *
 * @throws {SignInError} when the person has none and gets none.
 */
export function* accountOf(deps: Context, oidc: OidcConfig, person: Person): Work<Found> {
  const { store, clock } = deps
  const known = yield* store.identities.bySubject(person)
  const user = known && (yield* store.users.byId(known.userId))
  if (known && user) {
    const given = givenBy(oidc, person)
    yield* store.identities.used(known.id, clock.now())
    return yield* withGroups(deps, { user, isLinkedByEmail: false, events: [] }, given)
  }
  const email = emailOf(person)
  if (email === undefined) throw new SignInError('email_missing')
  const given = givenBy(oidc, person)
  const sameEmail = yield* store.users.byEmail(email)
  const found = sameEmail
    ? yield* linkByEmail(deps, oidc, { person, user: sameEmail })
    : yield* makeAccount(deps, oidc, { person, email, role: given.role ?? oidc.newAccounts })
  return yield* withGroups(deps, found, given)
}

/** Returns what the person's groups give. @throws {SignInError} when roles come from groups and none fits. */
function givenBy({ roles, folders, name: by }: OidcConfig, { groups }: Person): Given {
  const role = roleOfGroups(roles, groups)
  if (roles.length > 0 && !role) throw new SignInError('not_in_group')
  return { role, folders, groups, by }
}

function emailOf({ email }: Person): string | undefined {
  try {
    // Another person may own the mailbox whose e-mail only looks the same to us.
    return email !== undefined && hasOwnLowerCase(email) ? readEmail(email) : undefined
  } catch (error) {
    if (isRefused(error, 400)) return undefined
    throw error
  }
}

/** Links an account that has the e-mail of a person, unless that could hand it to another one. */
function* linkByEmail(
  deps: Context,
  oidc: OidcConfig,
  { person, user }: { person: Person; user: UserRow },
): Work<Found> {
  // Only the owner of the e-mail learns if the account may be linked.
  if (!person.isVerified) throw new SignInError('email_not_verified')
  if (user.disabled) throw new SignInError('account_disabled')
  const isGuarded = user.role === 'admin' || user.secondFactor
  const others = yield* deps.store.identities.ofUser(user.id)
  if (oidc.linkByEmail === 'never' || isGuarded || others.length > 0)
    throw new SignInError('account_not_linked')
  yield* insertIdentity(deps, user, person)
  const event = { type: 'identity.linked' as const, detail: `${oidc.name}, by e-mail` }
  return { user, isLinkedByEmail: true, events: [event] }
}

function* makeAccount(
  deps: Context,
  oidc: OidcConfig,
  { person, email, role }: { person: Person; email: string; role: OidcConfig['newAccounts'] },
): Work<Found> {
  const { store } = deps
  // The first account is made on the setup page: the first person to sign in must not own the instance.
  if (oidc.newAccounts === 'no' || role === 'no' || (yield* store.users.count()) === 0)
    throw new SignInError('signup_disabled')
  // It would lock out the owner of the e-mail.
  if (!person.isVerified) throw new SignInError('email_not_verified')
  const limited = isMadeLimited(oidc, role)
  const user = newAccount(deps, { name: nameOf(person, email), email, passwordHash: '', role, limited })
  yield* store.users.insert(user)
  yield* insertIdentity(deps, user, person)
  const event = { type: 'account.provisioned' as const, detail: `${oidc.name}, as ${role}` }
  return { user, isLinkedByEmail: false, events: [event] }
}

/** Maximum length of a name in characters. */
const MAX_NAME = 255

function nameOf({ name }: Person, email: string): string {
  const [local = email] = email.split('@', 1)
  const readable = (name ?? '').replace(/[\p{Cc}\p{Cs}]/gu, '').trim()
  return [...(readable || local)].slice(0, MAX_NAME).join('')
}

function* insertIdentity(
  { store, clock, random }: Context,
  user: UserRow,
  { issuer, subject }: Pick<IdentityRow, 'issuer' | 'subject'>,
): Work<void> {
  const now = clock.now()
  const row = { id: random.id(), userId: user.id, provider: PROVIDER, issuer, subject }
  yield* store.identities.insert({ ...row, createdAt: now, usedAt: now })
}

/**
 * Links the account of a session to a person.
 *
 * @throws {SignInError} `account_already_linked` when either is linked to another one.
 */
export function* linkAccount(
  deps: Context,
  oidc: OidcConfig,
  link: { person: Person; user: UserRow },
): Work<Found> {
  const { person, user } = link
  const known = yield* deps.store.identities.bySubject(person)
  const linked = { user, isLinkedByEmail: false, events: [] }
  if (known?.userId === user.id) return linked
  if (known || (yield* deps.store.identities.ofUser(user.id)).length > 0)
    throw new SignInError('account_already_linked')
  yield* insertIdentity(deps, user, person)
  return { ...linked, events: [{ type: 'identity.linked', detail: oidc.name }] }
}
