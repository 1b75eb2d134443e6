import { type LocatedCaller, requireCaller } from '../../../access/caller.ts'
import type { Context } from '../../../access/context.ts'
import { enter } from '../../../access/entrance.ts'
import { findHeldSession } from '../../../access/forward-auth.ts'
import type { SideCookies } from '../../../access/plugin.ts'
import { limiterOf, type SignInLimiter } from '../../../access/sign-in-limits.ts'
import { type Device, deviceOf } from '../../../http/exchange.ts'
import { isRefused, Refusal, refuseInvalid, refuseTooMany } from '../../../platform/errors.ts'
import { rateLimitBucket } from '../../../platform/rate-limit.ts'
import type { OidcConfig } from '../../../platform/sign-in.ts'
import { iso } from '../../../platform/time.ts'
import { done, type SessionRow, type UserRow } from '../../../store/rows.ts'
import { recordVouched, withGroups } from '../groups.ts'
import { assertWayIn } from '../last-way.ts'
import { type Begin, type LinkedAccount, PROVIDER, readPath, type Unlink } from './model.ts'
import { type Person, Provider, ProviderError } from './provider.ts'
import {
  ATTEMPT_MS,
  accountOf,
  attempts,
  type Facts,
  type Found,
  linkAccount,
  SignInError,
} from './service.ts'

/** Provider of the configuration, and the state of its sign-ins. */
export interface Oidc {
  config: OidcConfig
  provider: Provider
  limiter: Pick<SignInLimiter, 'take'>
  logouts: Pick<SignInLimiter, 'take'>
}

const ATTEMPTS_PER_MINUTE = 20
/** Sign-outs of many people at once are of one address: the provider's. */
const LOGOUTS_PER_MINUTE = 300
const MINUTE_MS = 60_000

/** Creates the client of the configured provider; `undefined` without one. It asks nothing before the first sign-in. */
export function openOidc({ config, clock, store }: Context): Oidc | undefined {
  const { oidc } = config.signIn
  if (!oidc) return undefined
  const limiter = (name: string, limit: number) =>
    limiterOf({ store, clock }, { name, limit, windowMs: MINUTE_MS })
  return {
    config: oidc,
    provider: new Provider(oidc, { baseUrl: config.baseUrl, now: clock.monotonic }),
    limiter: limiter('oidc', ATTEMPTS_PER_MINUTE),
    logouts: limiter('oidc-logout', LOGOUTS_PER_MINUTE),
  }
}

/** @throws {Refusal} `provider-not-found`. */
export function requireOidc(oidc: Oidc | undefined): Oidc {
  if (!oidc) throw new Refusal('provider-not-found')
  return oidc
}

/** Returns the address at which to sign out of the provider as well; `undefined` for a session of another way. */
export const signOutUrl = async (oidc: Oidc | undefined, { way }: Pick<SessionRow, 'way'>) =>
  way === 'oidc' ? await oidc?.provider.signOutUrl() : undefined

/** Cookie of a sign-in at the provider. */
const COOKIE = 'state'

interface Beginning {
  request: Request
  cookies: SideCookies
  sent: Begin
  /** Caller whose account is linked; `undefined` for signing in. */
  caller?: LocatedCaller
}

/**
 * Begins a sign-in, or linking an account, and returns the address to go on at.
 *
 * @throws {Refusal} `invalid`; `rate-limited`; `unavailable` when the provider cannot be reached.
 */
export async function begin(deps: Context, oidc: Oidc, beginning: Beginning): Promise<string> {
  const { request, cookies, sent, caller } = beginning
  const callbackUrl = readPath('callbackURL', sent.callbackURL, caller ? '/account' : '/')
  const errorUrl = readPath('errorCallbackURL', sent.errorCallbackURL, caller ? '/account' : '/sign-in')
  const elsewhere = atBaseUrl(deps, request, caller ? callbackUrl : `/sign-in?${startQuery(callbackUrl)}`)
  if (elsewhere !== undefined) return elsewhere
  const wait = await oidc.limiter.take(rateLimitBucket(deviceOf(request).ipAddress))
  if (wait > 0) throw refuseTooMany(wait)
  const { url, checks } = await oidc.provider.begin().catch((error) => {
    throw error instanceof ProviderError
      ? new Refusal('provider-unavailable', undefined, { cause: error })
      : error
  })
  const sessionId = caller?.via === 'session' ? caller.session.id : null
  const facts = { ...checks, callbackUrl, errorUrl, sessionId }
  const token = await deps.store.transact(() => attempts(deps).begin(caller?.user.id ?? null, facts))
  cookies.set(COOKIE, token, ATTEMPT_MS)
  return url
}

const startQuery = (callbackURL: string) => new URLSearchParams({ with: PROVIDER, callbackURL })

/**
 * Returns an address at `BASE_URL` for a page of another origin. The provider leads back to `BASE_URL`, so the cookie must be
 * set there: a token in an address would let a stranger hand over a sign-in of its own.
 */
function atBaseUrl({ config }: Context, request: Request, path: string): string | undefined {
  const origin = request.headers.get('origin')
  return origin === null || origin === config.baseUrl ? undefined : `${config.baseUrl}${path}`
}

interface Callback {
  request: Request
  cookies: SideCookies
  /** Returns the token of the browser's session. */
  sessionToken: () => string | undefined
}

/** Outcome of a callback. */
interface Outcome {
  /** Address to lead to. */
  location: string
  /** Token of the new session; missing after a failure and after linking. */
  token?: string
}

/** Finishes a sign-in at the address that the provider led back to. */
export async function finish(deps: Context, oidc: Oidc, callback: Callback): Promise<Outcome> {
  const { request, cookies } = callback
  const query = new URL(request.url).search
  const facts = await takeAttempt(deps, cookies, new URLSearchParams(query).get('state'))
  try {
    if (!facts) throw new SignInError('state_mismatch')
    const person = await oidc.provider.finish(query, facts)
    const { isLinkedByEmail, token } =
      facts.sessionId === null
        ? await signIn(deps, oidc, { person, device: deviceOf(request) })
        : await link(deps, oidc, { person, callback, sessionId: facts.sessionId })
    // The overview says that the account was linked.
    const location = isLinkedByEmail
      ? locationOf(deps, '/overview', { linked: PROVIDER })
      : locationOf(deps, facts.callbackUrl, {})
    return token === undefined ? { location } : { location, token }
  } catch (error) {
    const code = codeOf(error)
    if (code === undefined) throw error
    if (error instanceof ProviderError) deps.log.error(`Signing in with ${oidc.config.name} failed`, error)
    deps.securityLog.record({
      type: 'sign-in.failed',
      account: undefined,
      device: deviceOf(request),
      detail: `${oidc.config.name}: ${code}`,
    })
    return { location: locationOf(deps, facts?.errorUrl ?? '/sign-in', { error: code }) }
  }
}

/** Ends the attempt that cookie and `state` name together, before anything else happens. */
async function takeAttempt(
  deps: Context,
  cookies: SideCookies,
  state: string | null,
): Promise<Facts | undefined> {
  const token = cookies.get(COOKIE)
  if (token === undefined || state === null) return undefined
  const taken = await deps.store.transact(function* () {
    const found = yield* attempts(deps).find(token)
    // Another site may lead here with a state of its own, which must not end the visitor's sign-in.
    return found?.facts.state === state ? yield* attempts(deps).take(token) : undefined
  })
  if (taken) cookies.clear(COOKIE)
  return taken?.facts
}

const locationOf = ({ config }: Context, path: string, added: Record<string, string>): string => {
  const url = new URL(path, config.baseUrl)
  for (const [name, value] of Object.entries(added)) url.searchParams.set(name, value)
  return url.href
}

function codeOf(error: unknown) {
  if (error instanceof SignInError || error instanceof ProviderError) return error.code
  return isRefused(error, 401) && error.reason === 'account-disabled' ? 'account_disabled' : undefined
}

interface SignedIn extends Pick<Found, 'isLinkedByEmail'> {
  token?: string
}

async function signIn(
  deps: Context,
  { config }: Oidc,
  { person, device }: { person: Person; device: Device },
): Promise<SignedIn> {
  const found = await deps.store.transact(() => accountOf(deps, config, person))
  recordVouched(deps, found, device)
  const entry = { device, remembered: true, way: 'oidc', providerSid: person.sid } as const
  const { token } = await enter(deps, found.user.id, entry, () => done(undefined))
  return { isLinkedByEmail: found.isLinkedByEmail, token }
}

interface Linking {
  person: Person
  callback: Callback
  sessionId: string
}

async function link(deps: Context, { config }: Oidc, linking: Linking): Promise<SignedIn> {
  const { person, callback, sessionId } = linking
  const found = await deps.store.transact(function* () {
    const open = yield* findHeldSession(deps, callback.request, callback.sessionToken() ?? '')
    if (open?.session.id !== sessionId) throw new SignInError('state_mismatch')
    return yield* linkAccount(deps, config, { person, user: open.user })
  })
  recordVouched(deps, found, deviceOf(callback.request))
  return { isLinkedByEmail: false }
}

/** Returns the ways of an account in the form of better-auth: its password, and its identities. */
export async function linkedAccounts({ store }: Context, user: UserRow): Promise<LinkedAccount[]> {
  const identities = await store.identities.ofUser(user.id)
  const password = { id: user.id, providerId: 'credential', accountId: user.id } as const
  return [
    ...(user.passwordHash === '' ? [] : [{ ...password, createdAt: iso(user.createdAt) }]),
    ...identities.map(({ id, subject, createdAt }) => ({
      id,
      providerId: PROVIDER,
      accountId: subject,
      createdAt: iso(createdAt),
    })),
  ]
}

/**
 * Unlinks the account of a caller from the provider.
 *
 * @throws {Refusal} `invalid` when it would be left without a way in, or is not linked.
 */
export async function unlink(
  deps: Context,
  caller: LocatedCaller,
  { providerId, accountId }: Unlink,
): Promise<void> {
  const { store, config } = deps
  const by = config.signIn.oidc?.name ?? PROVIDER
  if (providerId === undefined && accountId === undefined) throw refuseInvalid('"providerId" is required')
  const unlinked = await store.transact(function* () {
    const { user } = yield* requireCaller(deps, caller)
    const identities = (yield* store.identities.ofUser(user.id)).filter(
      ({ id, provider }) => id === accountId || provider === providerId,
    )
    if (identities.length === 0) throw refuseInvalid('The account is not linked to that provider')
    for (const { id } of identities) yield* store.identities.remove(id)
    yield* assertWayIn(deps, user)
    const found = { user, events: [{ type: 'identity.unlinked' as const, detail: by }] }
    return yield* withGroups(deps, found, { role: undefined, folders: [], groups: [], by })
  })
  recordVouched(deps, unlinked, caller.device)
}
