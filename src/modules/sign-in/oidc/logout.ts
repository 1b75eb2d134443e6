import type { Context } from '../../../access/context.ts'
import { hashToken } from '../../../access/sessions.ts'
import type { Device } from '../../../http/exchange.ts'
import { Refusal, refuseInvalid, refuseTooMany } from '../../../platform/errors.ts'
import { rateLimitBucket } from '../../../platform/rate-limit.ts'
import type { UserRow } from '../../../store/rows.ts'
import { ProviderError } from './provider.ts'
import type { Oidc } from './sign-in.ts'

/** Time for which a logout token counts, in milliseconds. */
const TOKEN_MS = 300_000
/** Difference between the clocks of the provider and this server, in milliseconds. */
const SKEW_MS = 60_000

const EVENT = 'http://schemas.openid.net/event/backchannel-logout'

/** Sign-out at the provider: of one of its sessions, or of all of a person. */
interface LoggedOut {
  issuer: string
  /** Id that no other sign-out has. */
  tokenId: string
  subject: string | undefined
  sid: string | undefined
}

/**
 * Reads a logout token (OpenID Connect Back-Channel Logout 1.0, section 2.6).
 *
 * @throws {ProviderError} `invalid_code`, `provider_unavailable`.
 */
async function readLogoutToken({ provider }: Oidc, token: string): Promise<LoggedOut> {
  const { payload, protectedHeader } = await provider.readSigned(token, {
    maxTokenAge: TOKEN_MS / 1000,
    clockTolerance: SKEW_MS / 1000,
  })
  const { typ = 'JWT' } = protectedHeader
  if (!['jwt', 'logout+jwt', 'application/logout+jwt'].includes(typ.toLowerCase()))
    throw invalid('is of another type')
  const { iss: issuer = '', jti, sub: subject, sid, events } = payload
  const event = events instanceof Object && EVENT in events ? events[EVENT] : undefined
  if (!(event instanceof Object)) throw invalid('has another event')
  // An id token, which has a nonce, must not pass for a logout token.
  if ('nonce' in payload) throw invalid('has a nonce')
  if (!isText(jti)) throw invalid('has no "jti"')
  if (!isTextOrMissing(subject) || !isTextOrMissing(sid) || (subject ?? sid) === undefined)
    throw invalid('names neither a person nor a session')
  return { issuer, tokenId: jti, subject, sid }
}

const invalid = (words: string) => new ProviderError('invalid_code', `The logout token ${words}`)
const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''
const isTextOrMissing = (value: unknown): value is string | undefined => value === undefined || isText(value)

/**
 * Ends the sessions of a sign-out at the provider.
 *
 * @throws {Refusal} `invalid` for a token that is not valid, or was used before; `rate-limited`; `provider-unavailable`.
 */
export async function logOut(
  deps: Context,
  oidc: Oidc,
  { token, device }: { token: string; device: Device },
): Promise<void> {
  const { store, clock, securityLog, log } = deps
  const wait = await oidc.logouts.take(rateLimitBucket(device.ipAddress))
  if (wait > 0) throw refuseTooMany(wait)
  const { issuer, tokenId, subject, sid } = await readLogoutToken(oidc, token).catch((error) => {
    if (!(error instanceof ProviderError)) throw error
    log.info(`A sign-out at ${oidc.config.name} was refused: ${error.message}`)
    throw error.code === 'provider_unavailable'
      ? new Refusal('provider-unavailable', undefined, { cause: error })
      : refuseInvalid('The logout token is not valid')
  })
  const tokenHash = hashToken(`logout ${issuer} ${tokenId}`)
  const expiresAt = clock.now() + TOKEN_MS + 2 * SKEW_MS
  const owners = await store.transact(function* () {
    if (!(yield* store.attempts.claim({ tokenHash, kind: 'logout', expiresAt })))
      throw refuseInvalid('The logout token was used before')
    const person = subject === undefined ? undefined : yield* store.identities.bySubject({ issuer, subject })
    const ids = yield* store.sessions.removeOfProvider({ userId: person?.userId, sid })
    const owners: UserRow[] = []
    for (const id of ids) {
      const user = yield* store.users.byId(id)
      if (user) owners.push(user)
    }
    return owners
  })
  for (const account of owners)
    securityLog.record({ type: 'session.ended', account, device, detail: `by ${oidc.config.name}` })
}
