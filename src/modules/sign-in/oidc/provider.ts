import type * as Jose from 'jose'
import type * as Client from 'openid-client'
import type { OidcConfig } from '../../../platform/sign-in.ts'

/** Times in milliseconds that the provider has for one response, and for all of one sign-in. */
interface Limits {
  requestMs: number
  totalMs: number
}
const LIMITS: Limits = { requestMs: 5000, totalMs: 8000 }

/** Time for which the metadata of the provider are kept, in milliseconds. */
const KEPT_MS = 3_600_000

/** Codes of a sign-in that failed at the provider. */
export type ProviderCode = 'access_denied' | 'invalid_code' | 'provider_unavailable'

/** Error of a sign-in that the provider did not finish. The message is for the operator. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError'
  readonly code: ProviderCode

  constructor(code: ProviderCode, message: string, cause?: unknown) {
    super(message, { cause })
    this.code = code
  }
}

/** Random values of one sign-in, which its end is compared with. */
export interface Checks {
  state: string
  nonce: string
  verifier: string
}

/** Person as the provider describes them. */
export interface Person {
  issuer: string
  subject: string
  email: string | undefined
  /** True when the provider says that the e-mail is the person's. */
  isVerified: boolean
  name: string | undefined
  groups: readonly string[]
  /** Id of the person's session there. */
  sid: string | undefined
}

/** Algorithms with a key that only the provider has. */
const ALGORITHMS = [
  ...['RS', 'PS', 'ES'].flatMap((kind) => [256, 384, 512].map((bits) => `${kind}${bits}`)),
  ...['EdDSA', 'Ed25519'],
]

interface Opened {
  client: typeof Client
  config: Client.Configuration
  /** Keys of the provider, which are read on first use. */
  keys: Jose.JWTVerifyGetKey
  until: number
}

/** Returns the address to which the provider leads back. */
export const redirectUrlOf = ({ baseUrl }: { baseUrl: string }) => `${baseUrl}/api/auth/callback/oidc`

/** Client of an OpenID Connect provider: the code flow with PKCE, state and nonce. */
export class Provider {
  readonly #config: OidcConfig
  readonly #limits: Limits
  readonly redirectUrl: string
  #opened: Promise<Opened> | undefined
  readonly #now: () => number

  constructor(
    config: OidcConfig,
    { baseUrl, now, limits = LIMITS }: { baseUrl: string; now: () => number; limits?: Limits },
  ) {
    this.#config = config
    this.#limits = limits
    this.#now = now
    this.redirectUrl = redirectUrlOf({ baseUrl })
  }

  /**
   * Returns the address at the provider where a sign-in begins, and what its end is compared with.
   *
   * @throws {ProviderError}
   */
  begin(): Promise<{ url: string; checks: Checks }> {
    return this.#within(async ({ client, config }) => {
      const checks = {
        state: client.randomState(),
        nonce: client.randomNonce(),
        verifier: client.randomPKCECodeVerifier(),
      }
      const url = client.buildAuthorizationUrl(config, {
        redirect_uri: this.redirectUrl,
        scope: this.#config.scopes,
        state: checks.state,
        nonce: checks.nonce,
        code_challenge: await client.calculatePKCECodeChallenge(checks.verifier),
        code_challenge_method: 'S256',
      })
      return { url: url.href, checks }
    })
  }

  /**
   * Exchanges the code in the query of a callback for the person.
   *
   * @throws {ProviderError}
   */
  finish(query: string, { state, nonce, verifier }: Checks): Promise<Person> {
    return this.#within(async ({ client, config }) => {
      const url = new URL(this.redirectUrl)
      url.search = query
      const tokens = await client.authorizationCodeGrant(config, url, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      })
      const claims = tokens.claims()
      if (!claims) throw new ProviderError('invalid_code', 'The provider sent no id token')
      // The library compares it only where a token is for several clients (OpenID Connect Core, section 3.1.3.7).
      if (claims.azp !== undefined && claims.azp !== this.#config.clientId)
        throw new ProviderError('invalid_code', 'The id token was issued to another client')
      // Most providers put e-mail and groups there only. It must be of the same subject.
      const info = config.serverMetadata().userinfo_endpoint
        ? await client.fetchUserInfo(config, tokens.access_token, claims.sub)
        : {}
      return personOf(claims, info, this.#config.groupsClaim)
    })
  }

  /**
   * Reads a token that the provider signed for this client.
   *
   * @throws {ProviderError} `invalid_code`, `provider_unavailable`.
   */
  readSigned(
    token: string,
    times: Pick<Jose.JWTVerifyOptions, 'maxTokenAge' | 'clockTolerance'>,
  ): Promise<Jose.JWTVerifyResult> {
    return this.#within(async ({ config, keys }) => {
      const { jwtVerify } = await import('jose')
      const { issuer } = config.serverMetadata()
      const expected = { issuer, audience: this.#config.clientId, algorithms: ALGORITHMS }
      return await jwtVerify(token, keys, { ...expected, ...times })
    })
  }

  /** Returns the address for signing out at the provider; `undefined` when it has none or cannot be reached. */
  async signOutUrl(): Promise<string | undefined> {
    try {
      return await this.#within(async ({ client, config }) =>
        config.serverMetadata().end_session_endpoint ? client.buildEndSessionUrl(config).href : undefined,
      )
    } catch {
      return undefined
    }
  }

  /** Asks the provider for its metadata now. Returns the problem in words; `undefined` when there is none. */
  async problem(): Promise<string | undefined> {
    this.#opened = undefined
    try {
      return await this.#within(async ({ config }) => this.#problemOf(config.serverMetadata()))
    } catch (error) {
      if (error instanceof ProviderError) return error.message
      throw error
    }
  }

  #problemOf({ authorization_endpoint, token_endpoint, jwks_uri, ...metadata }: Client.ServerMetadata) {
    if (!authorization_endpoint || !token_endpoint || !jwks_uri)
      return 'The provider does not offer signing in: an authorization endpoint, a token endpoint or keys are missing'
    const offered = metadata.scopes_supported
    const missing = offered && this.#config.scopes.split(' ').filter((scope) => !offered.includes(scope))
    return missing && missing.length > 0
      ? `The provider does not know these scopes of OIDC_SCOPES: ${missing.join(', ')}`
      : undefined
  }

  /** Runs `work` with the provider, within the time of one sign-in. */
  async #within<Result>(work: (opened: Opened) => Promise<Result>): Promise<Result> {
    const { promise: over, reject } = Promise.withResolvers<never>()
    const late = () => reject(new ProviderError('provider_unavailable', 'The provider took too long'))
    const timer = setTimeout(late, this.#limits.totalMs)
    try {
      return await Promise.race([this.#open().then(work), over])
    } catch (error) {
      throw asProviderError(error)
    } finally {
      clearTimeout(timer)
    }
  }

  #open(): Promise<Opened> {
    const opening = (this.#opened ?? this.#discover()).then((opened) =>
      opened.until > this.#now() ? opened : this.#discover(),
    )
    this.#opened = opening
    opening.catch(() => {
      if (this.#opened === opening) this.#opened = undefined
    })
    return opening
  }

  async #discover(): Promise<Opened> {
    // Imported here, because most instances have no provider.
    const client = await import('openid-client')
    const { issuer } = this.#config
    const discover = (server: string) => discovery(client, server, { ...this.#config, ...this.#limits })
    try {
      const config = await discover(issuer).catch((error) => {
        const other = issuerOf(error)
        if (other === undefined || other.replace(/\/$/, '') !== issuer.replace(/\/$/, '')) throw error
        // The provider's spelling decides, because it is in its tokens.
        return discover(other)
      })
      return { client, config, keys: await keysOf(config, this.#limits), until: this.#now() + KEPT_MS }
    } catch (error) {
      throw new ProviderError('provider_unavailable', discoveryProblem(error, issuer), error)
    }
  }
}

/** Returns the keys of a provider. A token with an unknown one makes it ask again, at most twice a minute. */
async function keysOf(config: Client.Configuration, { requestMs }: Limits): Promise<Jose.JWTVerifyGetKey> {
  const { createRemoteJWKSet } = await import('jose')
  const { jwks_uri, issuer } = config.serverMetadata()
  return createRemoteJWKSet(new URL(jwks_uri ?? issuer), { timeoutDuration: requestMs })
}

type Discovered = Pick<OidcConfig, 'clientId' | 'clientSecret'> & Limits

function discovery(
  client: typeof Client,
  server: string,
  { clientId, clientSecret, requestMs }: Discovered,
): Promise<Client.Configuration> {
  const url = new URL(server)
  // The configuration allows http on local networks only.
  const insecure = url.protocol === 'http:' ? [client.allowInsecureRequests] : []
  return client.discovery(url, clientId, {}, authOf(client, clientSecret), {
    // Without the check, the connection alone would vouch for a token.
    execute: [client.enableNonRepudiationChecks, ...insecure],
    timeout: requestMs / 1000,
  })
}

/** Returns the way in which the client names itself: the standard's default, unless the provider has another one. */
function authOf(client: typeof Client, secret: string | undefined): Client.ClientAuth {
  if (secret === undefined) return client.None()
  const [basic, post] = [client.ClientSecretBasic(secret), client.ClientSecretPost(secret)]
  return (server, ...rest) => {
    const offered = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
    return (offered.includes('client_secret_basic') ? basic : post)(server, ...rest)
  }
}

function personOf(
  claims: Client.IDToken,
  info: Partial<Client.UserInfoResponse>,
  groupsClaim: string,
): Person {
  // E-mail and its verification come from one place, never one from each.
  const { email, email_verified } = typeof info.email === 'string' ? info : claims
  const name = [info.name, claims['name'], info.preferred_username, claims['preferred_username']].find(isText)
  if (!isId(claims.sub)) throw new ProviderError('invalid_code', 'The subject is longer than 255 characters')
  return {
    issuer: claims.iss,
    subject: claims.sub,
    email: isText(email) ? email : undefined,
    isVerified: email_verified === true,
    name,
    // A longer one could not be found again.
    sid: isId(claims['sid']) ? claims['sid'] : undefined,
    groups: [info[groupsClaim] ?? claims[groupsClaim] ?? []].flat().filter(isText),
  }
}

/** Maximum length of an id of the provider, in characters (OpenID Connect Core, section 2). */
const MAX_ID = 255

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''
const isId = (value: unknown): value is string => isText(value) && value.length <= MAX_ID

/** Fields of errors that the client throws. */
const fieldsOf = (error: unknown) => {
  const fields: { code?: unknown; error?: unknown; status?: unknown; cause?: unknown } =
    error instanceof Object ? error : {}
  return fields
}

/** Answers of a provider by which a person or the provider declines (OpenID Connect Core, section 3.1.2.6). */
const DECLINED = ['access_denied', 'login_required', 'consent_required', 'interaction_required']
/** Codes of errors of a provider that did not respond as one. */
const AWAY_CODES = ['OAUTH_TIMEOUT', 'ERR_JWKS_TIMEOUT', 'ERR_JOSE_GENERIC', 'ERR_JWKS_INVALID']
const AWAY = ['server_error', 'temporarily_unavailable']

function asProviderError(error: unknown): unknown {
  if (error instanceof ProviderError || !(error instanceof Error)) return error
  const { code, error: answered, cause } = fieldsOf(error)
  const status = cause instanceof Response ? cause.status : 0
  const message = [error.message, answered].filter(isText).join(': ')
  if (isText(answered) && DECLINED.includes(answered)) return new ProviderError('access_denied', message)
  const isAway =
    isUnreachable(error) || status >= 500 || status === 429 || (isText(answered) && AWAY.includes(answered))
  return new ProviderError(
    isAway ? 'provider_unavailable' : 'invalid_code',
    isText(code) ? `${message} (${code})` : message,
    error,
  )
}

/** Returns true for an error of the connection: it has no code of the client. */
function isUnreachable(error: Error): boolean {
  const { code } = fieldsOf(error)
  return !isText(code) || AWAY_CODES.includes(code) || !/^(OAUTH|ERR)_/.test(code)
}

/** Returns the issuer that the provider says to be, when that is not the configured one. */
function issuerOf(error: unknown): string | undefined {
  const { cause } = fieldsOf(error)
  const body = cause instanceof Object && 'body' in cause ? cause.body : undefined
  const issuer = body instanceof Object && 'issuer' in body ? body.issuer : undefined
  return isText(issuer) && URL.canParse(issuer) ? issuer : undefined
}

/** Returns what is wrong with a provider, in words for the operator. */
function discoveryProblem(error: unknown, issuer: string): string {
  const { code, cause } = fieldsOf(error)
  const other = issuerOf(error)
  if (other !== undefined) return `OIDC_ISSUER is "${issuer}", but the provider says that it is "${other}"`
  if (code === 'OAUTH_TIMEOUT') return `"${issuer}" did not respond in time`
  if (cause instanceof Response)
    return `"${issuer}" responded with ${cause.status} instead of its metadata: is it the issuer?`
  if (error instanceof Error && isUnreachable(error))
    return `"${issuer}" cannot be reached: ${String(fieldsOf(cause).code ?? fieldsOf(error).code ?? error.message)}`
  return `"${issuer}" did not respond with the metadata of a provider: is it the issuer?`
}
