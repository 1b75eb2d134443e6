import type { Device } from '../http/exchange.ts'
import { StartError } from '../platform/errors.ts'
import { newToken } from '../platform/random.ts'
import { DAY_MS } from '../platform/time.ts'
import type { SessionRow, UserRow, Work } from '../store/rows.ts'
import type { Core } from '../store/store.ts'
import type { Secrets } from './secrets.ts'
import type { SessionUses } from './session-uses.ts'

/** Lifetime of a session without use. */
export const SESSION_MS = 7 * DAY_MS

/** Session with its account. */
export interface OpenSession {
  session: SessionRow
  user: UserRow
}

/** Ways in which a person signs in. */
export const WAYS = [
  'password',
  'password+totp',
  'password+recovery-code',
  'password+passkey',
  'passkey',
  'oidc',
  'forwarded',
  'link',
] as const
export type Way = (typeof WAYS)[number]

/** Maximum sessions of one account; a sign-in beyond it ends those used least recently. */
export const MAX_SESSIONS = 100

/** Returns the hash of a token in hex, which is stored in place of the token. */
export const hashToken = (token: string) => new Bun.CryptoHasher('sha256').update(token).digest('hex')

type SessionDeps = Pick<Core, 'store' | 'clock' | 'random'> & { sessionUses: SessionUses }

interface NewSession extends Device {
  remembered: boolean
  way: Way
  voucher?: string
  providerSid?: string | undefined
}

/** Creates a session's row and its token. Only a hash of the token is stored. */
export function newSession(
  { clock, random, sessionUses }: SessionDeps,
  userId: string,
  { voucher, providerSid, ...session }: NewSession,
): { token: string; row: SessionRow } {
  const token = newToken(random)
  const now = clock.now()
  const times = { createdAt: now, usedAt: now, expiresAt: now + SESSION_MS }
  const vouched = { voucher: voucher ?? null, providerSid: providerSid ?? null }
  const facts = { ...session, ...times, ...vouched, confirmedAt: null }
  const row = { id: random.id(), userId, tokenHash: hashToken(token), ...facts }
  sessionUses.record(row.id)
  return { token, row }
}

/** Returns the session with this token, unless it has expired or its account is disabled. */
export function* findSession(
  { store, clock, sessionUses }: SessionDeps,
  token: string,
): Work<OpenSession | undefined> {
  const found = yield* store.sessions.withOwner(hashToken(token))
  if (!found || found.session.expiresAt <= clock.now() || found.user.disabled) return undefined
  sessionUses.record(found.session.id)
  return found
}

/**
 * Extends a session (sliding expiration), at most once a day. Only call it where the response renews the
 * cookie as well; hosting responses do not.
 *
 * @returns The session, or `undefined` when its cookie needs no renewal.
 */
export function extendSession(
  { store, clock }: Pick<Core, 'store' | 'clock'>,
  session: SessionRow,
): SessionRow | undefined {
  const now = clock.now()
  const extendedAt = session.expiresAt - SESSION_MS
  if (now >= extendedAt && now < extendedAt + DAY_MS) return undefined
  // When the clock was set back, the browser would drop the cookie before the session expires.
  if (now < extendedAt) return session
  const expiresAt = now + SESSION_MS
  void store.transact(() => store.sessions.extend(session.id, expiresAt)).catch(() => {})
  return { ...session, usedAt: now, expiresAt }
}

/**
 * Ends the sessions of an instance whose secret has changed, because their cookies are no longer valid.
 *
 * @throws {StartError} when other servers share the database, because theirs would be valid still.
 */
export async function endSessionsOfOtherSecret(
  { store, log }: Pick<Core, 'store' | 'log'>,
  { fingerprint }: Pick<Secrets, 'fingerprint'>,
): Promise<void> {
  const unreadable = await store.transact(function* () {
    const known = yield* store.instance.get('secretFingerprint')
    if (known === fingerprint) return 0
    if (known !== undefined && store.isShared)
      throw new StartError(
        'AUTH_SECRET is not the one that this database was first started with: all servers must sign with the same secret. Nothing was changed.',
      )
    yield* store.sessions.removeAll()
    yield* store.instance.set('secretFingerprint', fingerprint)
    return yield* store.authenticators.countEnabled()
  })
  if (unreadable > 0)
    log.info(
      `AUTH_SECRET has changed, so codes of authenticator apps cannot be verified. Accounts with codes: ${unreadable}. They sign in with a recovery code, then add their app again.`,
    )
}
