import * as T from 'typebox'
import { ACCOUNT } from '../api/openapi/samples.ts'
import { IsoTime, named, nullable, oneOf } from '../api/schema.ts'
import { Refusal, refuseInvalid, refuseTooMany } from '../platform/errors.ts'
import { rateLimitBucket } from '../platform/rate-limit.ts'
import { iso } from '../platform/time.ts'
import type { Role, SessionRow, UserRow } from '../store/rows.ts'
import { SCOPES, type Scope } from './caller.ts'
import type { Context } from './context.ts'
import { isPossiblePassword } from './profile.ts'

export const RoleField = T.Union(
  [T.Literal('admin'), T.Literal('editor'), T.Literal('viewer'), T.Literal('custom')],
  { examples: ['editor'] },
)

/** Field of scopes, used with the custom role only. */
export const ScopesField = T.Array(oneOf(SCOPES))

/** Schema of the storage of an account. */
export const StorageView = T.Object({
  usedBytes: T.Integer({
    description: 'Bytes of what the account has sent: its files, those in the trash, and versions.',
  }),
  quota: nullable(T.Integer({ description: 'Maximum of `usedBytes`; null for none.' })),
})

export const AuthUser = named(
  'AuthUser',
  T.Object({
    id: T.String(),
    name: T.String(),
    email: T.String(),
    emailVerified: T.Boolean(),
    image: nullable(T.String()),
    role: T.String(),
    twoFactorEnabled: T.Optional(
      T.Literal(true, { description: 'Missing while the password alone signs in.' }),
    ),
    createdAt: IsoTime,
    updatedAt: IsoTime,
  }),
  {
    ...ACCOUNT.user,
    emailVerified: false,
    createdAt: '2026-11-01T08:00:00.000Z',
    updatedAt: '2026-11-01T08:00:00.000Z',
  },
)

export const authUser = (user: UserRow): T.Static<typeof AuthUser> => ({
  id: user.id,
  name: user.name,
  email: user.email,
  emailVerified: false,
  image: user.image,
  role: user.role,
  ...(user.secondFactor && { twoFactorEnabled: true as const }),
  createdAt: iso(user.createdAt),
  updatedAt: iso(user.updatedAt),
})

export const AuthSession = named(
  'AuthSession',
  T.Object({
    id: T.String(),
    userId: T.String(),
    expiresAt: IsoTime,
    createdAt: IsoTime,
    updatedAt: IsoTime,
    ipAddress: T.String(),
    userAgent: T.String(),
  }),
  {
    id: '019a2f02-4c11-7a9e-8b57-6f5e4d3c2b1a',
    userId: ACCOUNT.user.id,
    expiresAt: '2026-11-27T18:00:00.000Z',
    createdAt: '2026-11-20T18:00:00.000Z',
    updatedAt: '2026-11-20T18:00:00.000Z',
    ipAddress: '203.0.113.7',
    userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0',
  },
)

/** Returns a session without its token, which never leaves the cookie. */
export const authSession = (session: SessionRow): T.Static<typeof AuthSession> => ({
  id: session.id,
  userId: session.userId,
  expiresAt: iso(session.expiresAt),
  createdAt: iso(session.createdAt),
  updatedAt: iso(session.usedAt),
  ipAddress: session.ipAddress,
  userAgent: session.userAgent,
})

/** Builds the row of a new account. */
export function newAccount(
  { clock, random }: Pick<Context, 'clock' | 'random'>,
  account: Pick<UserRow, 'name' | 'email' | 'passwordHash' | 'role'> &
    Partial<Pick<UserRow, 'customScopes' | 'limited'>>,
): UserRow {
  const now = clock.now()
  const defaults = {
    ...{ image: null, customScopes: [], disabled: false, limited: false, secondFactor: false },
    language: null,
  }
  return { id: random.id(), ...defaults, ...account, createdAt: now, updatedAt: now }
}

/** Message of `assertMayNameEmail`, for the documentation. */
export const NAMES_EMAIL = 'Only an admin sets "email": a provider or a proxy signs people in by it'

/**
 * Asserts that a person may choose the e-mail of an account.
 *
 * @throws {Refusal} `invalid` where others vouch for people by their e-mail: with the e-mail of another person, the account
 *   would get that person's sign-ins, and the role of their groups.
 */
export function assertMayNameEmail({ config }: Pick<Context, 'config'>): void {
  const { oidc, forwardAuth } = config.signIn
  if (forwardAuth || oidc?.linkByEmail === 'verified') throw refuseInvalid(NAMES_EMAIL)
}

/** Account that has just signed in. */
export interface SignedIn {
  token: string
  user: UserRow
}

/** Returns the scopes to store with a role: none except for the custom one, never `users:manage`. */
export function readCustomScopes(role: Role, sent: readonly Scope[] = []): Scope[] {
  if (role !== 'custom') return []
  const scopes = SCOPES.filter((scope) => scope !== 'users:manage' && sent.includes(scope))
  if (scopes.length === 0)
    throw refuseInvalid('"scopes" must name at least one scope beside users:manage for the custom role')
  return scopes
}

export const tooManyWrong = (wait: number) =>
  new Refusal('rate-limited', 'Too many wrong passwords, try again later', {
    headers: { 'Retry-After': String(wait) },
  })

/**
 * Verifies a password. Without a hash it takes as long to return false.
 *
 * @throws {Refusal} `rate-limited` after ten failures in a minute for one bucket.
 */
export async function isPassword(
  { passwords, signInLimiter }: Pick<Context, 'passwords' | 'signInLimiter'>,
  password: string,
  { bucket, passwordHash }: { bucket: string; passwordHash: string | undefined },
): Promise<boolean> {
  const wait = await signInLimiter.take(bucket)
  if (wait > 0) throw tooManyWrong(wait)
  // No account has the empty password, which costs as much time as a wrong one without hashing a long text.
  const attempt = isPossiblePassword(password) ? password : ''
  const matches = await passwords.verify(passwordHash, attempt)
  if (matches) await signInLimiter.forget(bucket)
  return matches
}

/**
 * Verifies the password of something that visitors open. Tries are limited like sign-ins, for each address and in total.
 *
 * @param guarded Names what the password opens.
 * @throws {Refusal} `rate-limited`.
 */
export async function isGuardedPassword(
  deps: Pick<Context, 'passwords' | 'signInLimiter' | 'signInGuard'>,
  password: string,
  { guarded, ipAddress, passwordHash }: { guarded: string; ipAddress: string; passwordHash: string },
): Promise<boolean> {
  const { signInGuard, signInLimiter } = deps
  const bucket = `${rateLimitBucket(ipAddress)} ${guarded}`
  // A client that has to wait anyway does not use up this second's try.
  const isTry = (await signInGuard.isSlowed(guarded)) && (await signInLimiter.peek(bucket)) === 0
  const wait = isTry ? await signInGuard.takeTry(guarded) : 0
  if (wait > 0) throw refuseTooMany(wait)
  const isRight = await isPassword(deps, password, { bucket, passwordHash })
  if (!isRight) await signInGuard.failed(guarded)
  return isRight
}

/** Returns true if the instance lets the account sign in with a password, once it has one. */
export function mayHavePassword(
  { config }: Pick<Context, 'config'>,
  { role }: Pick<UserRow, 'role'>,
): boolean {
  const { password } = config.signIn
  return password === 'yes' || (password === 'admins' && role === 'admin')
}

/** Returns true if the account can sign in with its password. */
export const mayUsePassword = (
  deps: Pick<Context, 'config'>,
  user: Pick<UserRow, 'passwordHash' | 'role'>,
): boolean => user.passwordHash !== '' && mayHavePassword(deps, user)
