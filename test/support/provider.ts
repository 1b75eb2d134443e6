import { createHash, createHmac, generateKeyPairSync, sign } from 'node:crypto'
import { BASE_URL, type Holdfast } from './holdfast.ts'

/** Person at a provider, signed in. */
export interface Claims {
  sub: string
  email?: string
  email_verified?: unknown
  name?: string
  groups?: unknown
  /** Session there, which its id tokens name. */
  sid?: string
}

/** Parts of a provider's answers that a test spoils. */
export interface Lies {
  /** Changes the claims of id tokens. */
  claims?: (claims: Record<string, unknown>) => Record<string, unknown>
  /** Signs id tokens in another way. */
  signed?: 'by a stranger' | 'with the next key' | 'none' | 'HS256'
  /** Subject of the userinfo. */
  userinfoSub?: string
  /** Error in place of a code. */
  error?: string
  /** Response of the token endpoint. */
  token?: () => Response | Promise<Response>
  /** Changes the metadata. */
  metadata?: (metadata: Record<string, unknown>) => Record<string, unknown>
}

export const CLIENT = { id: 'holdfast', secret: 'a secret of the client' }

const keys = () => generateKeyPairSync('rsa', { modulusLength: 2048 })
const [own, next, strange] = [keys(), keys(), keys()]
const published = ({ publicKey }: typeof own, kid: string) => ({
  ...publicKey.export({ format: 'jwk' }),
  kid,
  alg: 'RS256',
})
const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

function token(claims: Record<string, unknown>, signed: Lies['signed'], header: object = {}): string {
  const alg = signed === 'none' || signed === 'HS256' ? signed : 'RS256'
  const kid = signed === 'with the next key' ? 'two' : 'one'
  const content = `${encoded({ alg, kid, ...header })}.${encoded(claims)}`
  if (alg === 'none') return `${content}.`
  if (alg === 'HS256')
    return `${content}.${createHmac('sha256', CLIENT.secret).update(content).digest('base64url')}`
  const { privateKey } = signed === 'by a stranger' ? strange : kid === 'two' ? next : own
  return `${content}.${sign('sha256', Buffer.from(content), privateKey).toString('base64url')}`
}

/** Starts an OpenID Connect provider at which the browser is signed in as `person`, and which lies as `lies` says. */
export function startProvider({ path = '' } = {}) {
  const state = {
    person: { sub: '1', email: 'grace@example.com', email_verified: true } as Claims,
    lies: {} as Lies,
    /** Paths of its requests. */
    asked: [] as string[],
  }
  const base = path.replace(/\/$/, '')
  const grants = new Map<string, URLSearchParams>()
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async (request): Promise<Response> => {
      const { pathname, searchParams } = new URL(request.url)
      state.asked.push(pathname)
      const answers = answersOf(pathname.slice(base.length))
      return answers ? await answers(request, searchParams) : new Response('nothing here', { status: 404 })
    },
  })
  const issuer: string = `http://127.0.0.1:${server.port}${path}`
  const at = issuer.replace(/\/$/, '')

  const answersOf = (endpoint: string) =>
    ({
      '/.well-known/openid-configuration': () => Response.json(metadata()),
      '/keys': () =>
        Response.json({
          keys: [state.lies.signed === 'with the next key' ? published(next, 'two') : published(own, 'one')],
        }),
      '/authorize': authorize,
      '/token': exchange,
      '/userinfo': () => Response.json({ ...state.person, sub: state.lies.userinfoSub ?? state.person.sub }),
    })[endpoint]

  function metadata() {
    const known = {
      issuer,
      authorization_endpoint: `${at}/authorize`,
      token_endpoint: `${at}/token`,
      userinfo_endpoint: `${at}/userinfo`,
      end_session_endpoint: `${at}/logout`,
      jwks_uri: `${at}/keys`,
      response_types_supported: ['code'],
      id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'],
      scopes_supported: ['openid', 'email', 'profile'],
    }
    return state.lies.metadata?.(known) ?? known
  }

  function authorize(_: Request, asked: URLSearchParams): Response {
    const back = new URL(asked.get('redirect_uri') ?? '')
    back.searchParams.set('state', asked.get('state') ?? '')
    const code = crypto.randomUUID()
    grants.set(code, asked)
    if (state.lies.error) back.searchParams.set('error', state.lies.error)
    else back.searchParams.set('code', code)
    return new Response(null, { status: 302, headers: { Location: back.href } })
  }

  async function exchange(request: Request): Promise<Response> {
    if (state.lies.token) return await state.lies.token()
    const body = new URLSearchParams(await request.text())
    const code = body.get('code') ?? ''
    const grant = grants.get(code)
    grants.delete(code)
    const challenge = createHash('sha256')
      .update(body.get('code_verifier') ?? '')
      .digest('base64url')
    const basic = Buffer.from(request.headers.get('authorization')?.slice(6) ?? '', 'base64').toString()
    const [id, secret = ''] = basic.split(':').map((part) => decodeURIComponent(part.replaceAll('+', ' ')))
    if (id !== CLIENT.id || secret !== CLIENT.secret)
      return Response.json({ error: 'invalid_client' }, { status: 401 })
    if (grant?.get('code_challenge') !== challenge)
      return Response.json({ error: 'invalid_grant' }, { status: 400 })
    const now = Math.floor(Date.now() / 1000)
    const times = { iat: now, exp: now + 300 }
    const claims = {
      iss: issuer,
      aud: CLIENT.id,
      nonce: grant.get('nonce'),
      ...times,
      ...sessionOf(state.person),
    }
    const { lies } = state
    return Response.json({
      access_token: 'access',
      token_type: 'Bearer',
      id_token: token(lies.claims?.(claims) ?? claims, lies.signed),
    })
  }

  const sessionOf = ({ sub, sid }: Claims) => ({ sub, ...(sid !== undefined && { sid }) })

  /** Returns a logout token for the person, changed and signed as a test wants. */
  function logoutToken(
    changes: Record<string, unknown> = {},
    { signed, ...header }: { signed?: Lies['signed']; typ?: string; kid?: string } = {},
  ): string {
    const now = Math.floor(Date.now() / 1000)
    const events = { 'http://schemas.openid.net/event/backchannel-logout': {} }
    const times = { iat: now, exp: now + 120, jti: crypto.randomUUID() }
    const claims = { iss: issuer, aud: CLIENT.id, ...times, events, ...sessionOf(state.person), ...changes }
    return token(claims, signed, { typ: 'logout+jwt', ...header })
  }

  return Object.assign(state, {
    issuer,
    logoutToken,
    /** Variables of an instance with this provider. */
    environment: {
      OIDC_ISSUER: issuer,
      OIDC_CLIENT_ID: CLIENT.id,
      OIDC_CLIENT_SECRET: CLIENT.secret,
      OIDC_NAME: 'Example ID',
    },
    [Symbol.asyncDispose]: () => server.stop(true),
  })
}

let browsers = 0

/** Browser with the cookies of an instance and of a provider. */
export class Browser {
  readonly #holdfast: Pick<Holdfast, 'fetch'>
  readonly #address = `10.1.${Math.floor(browsers / 256)}.${browsers++ % 256}`
  readonly #jars = new Map<string, Map<string, string>>()

  constructor(holdfast: Pick<Holdfast, 'fetch'>) {
    this.#holdfast = holdfast
  }

  /** Cookies of the instance by their names. */
  get cookies(): Map<string, string> {
    return this.#jar(BASE_URL)
  }

  /** Sends a request, to the instance for addresses at `BASE_URL`. Follows no redirect. */
  async send(address: string, init: RequestInit = {}): Promise<Response> {
    const url = new URL(address, BASE_URL)
    const jar = this.#jar(url.origin)
    const headers = new Headers(init.headers)
    // An address of its own, where the instance trusts a proxy: attempts of one are limited.
    headers.set('x-forwarded-for', this.#address)
    if (init.method === 'POST' && !headers.has('origin')) headers.set('origin', BASE_URL)
    if (jar.size > 0) headers.set('cookie', [...jar].map(([name, value]) => `${name}=${value}`).join('; '))
    const options = { ...init, headers, redirect: 'manual' } as const
    const response =
      url.origin === BASE_URL
        ? await this.#holdfast.fetch(`${url.pathname}${url.search}`, options)
        : await fetch(url, options)
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === '' || /; max-age=0(;|$)/i.test(line)) jar.delete(name)
      else jar.set(name, value)
    }
    return response
  }

  post(path: string, body: object = {}, headers: Record<string, string> = {}): Promise<Response> {
    return this.send(path, { method: 'POST', body: JSON.stringify(body), headers })
  }

  /** Begins a sign-in and returns the address of the callback to which the provider leads. */
  async toCallback(body: object = {}, path = '/api/auth/sign-in/social'): Promise<string> {
    const begun = await this.post(path, { provider: 'oidc', ...body })
    const { url } = (await begun.json()) as { url: string }
    return await this.follow(url)
  }

  /** Signs in with the provider. Returns the address at which it ends, without `BASE_URL`. */
  async signIn(body: object = {}, path?: string): Promise<string> {
    return this.finish(await this.toCallback(body, path))
  }

  /** Visits a callback. Returns the address to which it leads, without `BASE_URL`. */
  async finish(callback: string): Promise<string> {
    const response = await this.send(callback)
    const location = response.headers.get('location') ?? `no redirect but ${response.status}`
    return location.startsWith(BASE_URL) ? location.slice(BASE_URL.length) : location
  }

  /** Returns the account of the session; `undefined` without one. */
  async account(): Promise<{ id: string; email: string; role: string } | undefined> {
    const response = await this.send('/api/auth/get-session')
    const session = (await response.json()) as { user: { id: string; email: string; role: string } } | null
    return session?.user
  }

  /** Follows redirects of the provider, until they lead to the instance. */
  async follow(url: string): Promise<string> {
    if (url.startsWith(BASE_URL)) return url
    const response = await this.send(url)
    const location = response.headers.get('location')
    if (!location) throw new Error(`No redirect but ${response.status}: ${await response.text()}`)
    return await this.follow(new URL(location, url).href)
  }

  #jar(origin: string): Map<string, string> {
    const jar = this.#jars.get(origin) ?? new Map<string, string>()
    this.#jars.set(origin, jar)
    return jar
  }
}
