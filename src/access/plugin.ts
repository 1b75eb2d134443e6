import { cookie } from '@elysiajs/cookie'
import { Elysia } from 'elysia'
import type { Answer } from '../api/openapi/document.ts'
import { cookieValues } from '../http/cookies.ts'
import { deviceOf, exchangeOf, SAFE_METHODS } from '../http/exchange.ts'
import { isUtf8Encoded } from '../http/percent.ts'
import type { Config } from '../platform/config.ts'
import { Refusal, refuseInvalid } from '../platform/errors.ts'
import { isSecure } from '../platform/hosts.ts'
import type { SessionRow } from '../store/rows.ts'
import { assertScope, identify, type LocatedCaller, type Scope } from './caller.ts'
import { assertConfirmedIfAsked } from './confirmed.ts'
import type { Context } from './context.ts'
import { lacksFactor } from './factors.ts'
import { extendSession, SESSION_MS } from './sessions.ts'

/** Session cookie of one request and its response. */
interface SessionCookie {
  /** Returns the token when exactly one cookie has a valid signature. */
  token: () => string | undefined
  /** Sends the cookie; without `remember` it ends with the browser. */
  set: (token: string, remember: boolean) => void
  /** Renews the session and, for a persistent cookie, its Max-Age. Returns the session. */
  extend: (session: SessionRow) => SessionRow
  clear: () => void
}

/** Cookies of a request beside the session's, and of its response. They hold random tokens and need no signature. */
export interface SideCookies {
  /** Returns the value when the cookies of this name have one. */
  get: (name: string) => string | undefined
  /** Sends a cookie to the routes of signing in, for a time in milliseconds. */
  set: (name: string, value: string, lifetimeMs: number) => void
  clear: (name: string) => void
}

/** Context that the plugin actually provides; its own types are those of an older Elysia. */
interface PluginContext {
  request: Request
  setCookie: (name: string, value: string, options: { signed?: boolean; maxAge?: number }) => void
  unsignCookie: (value: string) => { valid: boolean; value: string | undefined }
}

const cookieName = (config: Pick<Config, 'baseUrl'>, name: string) =>
  `${isSecure(config) ? '__Secure-' : ''}better-auth.${name}`

export const sessionCookieName = (config: Pick<Config, 'baseUrl'>) => cookieName(config, 'session_token')

/** Maximum cached headers, and their maximum length: about a megabyte. */
const MAX_HEADERS = 500
const MAX_HEADER_LENGTH = 1024

/**
 * Creates a cache of the tokens in `Cookie` headers: a browser sends the same header with each request. Only a valid
 * signature gets into it.
 */
function createTokenCache(name: string) {
  const tokens = new Map<string, string>()
  return (header: string, unsign: PluginContext['unsignCookie']): string | undefined => {
    const cached = tokens.get(header)
    if (cached !== undefined) return cached
    // A site beside this one may set a cookie for the whole domain. Without a signature of ours it is another
    // application's. With one it may be there to sign the visitor in to another account, so none of two counts.
    const [token, second] = [...cookieValues(header, name)].flatMap((value) => unsign(value).value ?? [])
    if (token === undefined || second !== undefined) return undefined
    if (tokens.size === MAX_HEADERS) tokens.clear()
    if (header.length <= MAX_HEADER_LENGTH) tokens.set(header, token)
    return token
  }
}

/** Paths of the API that a planted cookie reaches signing in by. */
const PLANTED_AT = ['/api', '/api/auth']

/**
 * Returns `Set-Cookie` lines that remove session cookies which this server does not set: those of a domain above its host, and of
 * other paths. Without several different ones in the request there are none.
 */
function removalOfPlanted(config: Pick<Config, 'baseUrl'>, request: Request): string[] {
  const name = sessionCookieName(config)
  if (cookieValues(request.headers.get('cookie'), name).size < 2) return []
  const labels = new URL(config.baseUrl).hostname.split('.')
  const domains = labels.map((_, at) => labels.slice(at).join('.')).filter((domain) => domain.includes('.'))
  const remove = (path: string, domain = '') =>
    `${name}=; Max-Age=0; Path=${path}${domain}; HttpOnly; SameSite=Lax${isSecure(config) ? '; Secure' : ''}`
  return [
    ...PLANTED_AT.map((path) => remove(path)),
    ...domains.flatMap((domain) => PLANTED_AT.map((path) => remove(path, `; Domain=${domain}`))),
    // At the host itself, this path is that of our own cookie.
    ...domains.slice(1).map((domain) => remove('/', `; Domain=${domain}`)),
  ]
}

/** Returns the cookies of signing in beside the session's. Of two different values, none counts: one may be planted. */
function sideCookies(config: Pick<Config, 'baseUrl'>, request: Request): SideCookies {
  const exchange = exchangeOf(request)
  const send = (name: string, value: string, seconds: number) => {
    const attributes = `Max-Age=${seconds}; Path=/api/auth; HttpOnly; SameSite=Lax${isSecure(config) ? '; Secure' : ''}`
    exchange.cookies = [...(exchange.cookies ?? []), `${cookieName(config, name)}=${value}; ${attributes}`]
  }
  return {
    get: (name) => {
      const values = [...cookieValues(request.headers.get('cookie'), cookieName(config, name))]
      return values.length === 1 ? values[0] : undefined
    },
    set: (name, value, lifetimeMs) => send(name, value, lifetimeMs / 1000),
    clear: (name) => send(name, '', 0),
  }
}

/**
 * Builds the plugin that reads and writes the cookies of sessions and of signing in; nothing else does. The cookie plugin was built
 * for an older Elysia: its context stays local unless lifted, and it must set at most one cookie per
 * response: the others are lines of the exchange.
 */
export function sessionCookie(deps: Pick<Context, 'config' | 'secrets' | 'store' | 'clock'>) {
  const { config, secrets } = deps
  const secure = isSecure(config)
  const name = sessionCookieName(config)
  const tokenOf = createTokenCache(name)
  return new Elysia({ name: 'session-cookie' })
    .use(cookie({ secret: secrets.cookie, httpOnly: true, sameSite: 'lax', secure, path: '/' }).as('scoped'))
    .derive((context) => {
      const { setCookie, unsignCookie, request } = context as unknown as PluginContext
      const removePlanted = () => {
        const exchange = exchangeOf(request)
        exchange.cookies = [...(exchange.cookies ?? []), ...removalOfPlanted(config, request)]
      }
      const set: SessionCookie['set'] = (token, remember) => {
        removePlanted()
        setCookie(name, token, { signed: true, ...(remember ? { maxAge: SESSION_MS / 1000 } : {}) })
      }
      const token = () => tokenOf(request.headers.get('cookie') ?? '', unsignCookie)
      const sessionCookie: SessionCookie = {
        token,
        set,
        extend: (session) => {
          const extended = extendSession(deps, session)
          const value = extended?.remembered ? token() : undefined
          if (value !== undefined) set(value, true)
          return extended ?? session
        },
        clear: () => {
          removePlanted()
          setCookie(name, '', { maxAge: 0 })
        },
      }
      return { sessionCookie, cookies: sideCookies(config, request) }
    })
    .as('scoped') // Lifts both derives, the plugin's and ours, to the routes that use this.
}

/** Access to a route: the required scope (none: any account), and the accepted credentials. */
export interface Access {
  scope?: Scope
  /** Scope that is required besides. */
  also?: Scope
  by: 'key or session' | 'session'
  /** True for a route that an account may use before it has the second factor that it must have. */
  beforeFactor?: boolean
  /** True for changes that need a confirmed session where `CONFIRM_DANGEROUS` says so. */
  isDangerous?: boolean
}

/** Access of every account. */
export const ANY: Access = { by: 'key or session' }
/** Access of the routes that read, change and delete stored files and folders. */
export const READ: Access = { scope: 'files:read', by: 'key or session' }
export const WRITE: Access = { scope: 'files:write', by: 'key or session' }
export const COPY: Access = { ...WRITE, also: 'files:read' }
export const DELETE: Access = { scope: 'files:delete', by: 'key or session' }
/** Access of the routes for the ways in of an account: it may have to add a second factor by them. */
export const WAYS_IN: Access = { by: 'session', beforeFactor: true }
/** Access of the routes for admins. */
export const ADMIN: Access = { scope: 'users:manage', by: 'session', isDangerous: true }
export const MANAGE: Access = { scope: 'settings:manage', by: 'session', isDangerous: true }

/** Returns options of a route that is open to all, or that authorizes its callers itself. */
export const openToAll = <Options extends object>(options: Options) => ({
  ...options,
  detail: { security: [] },
})

/** Returns the access to a route as OpenAPI's security requirements; any one of them suffices. */
const securityOf = ({ scope, also, by }: Access): Record<string, string[]>[] => {
  const scopes = [scope ?? [], also ?? []].flat()
  return by === 'session' ? [{ session: scopes }] : [{ session: scopes }, { apiKey: scopes }]
}

interface Route {
  method: string
  path: string
  hooks: { detail?: { security?: unknown } }
}

/**
 * Asserts that every route names its access.
 *
 * @throws when one does not, because forgetting that must not open it to the public.
 */
export function assertAccessNamed(routes: readonly Route[]): void {
  const unnamed = routes.filter(({ hooks }) => hooks.detail?.security === undefined)
  if (unnamed.length === 0) return
  const names = unnamed.map(({ method, path }) => `${method} ${path}`)
  throw new Error(`These routes do not declare their access: ${names.join(', ')}`)
}

/**
 * Provides routes with `access`: only authorized callers get through, and the handler receives them as
 * `caller`. Credentials are checked before the request is validated, so that a stranger learns nothing from a
 * 400.
 */
export function auth(deps: Context) {
  const callers = new WeakMap<Request, LocatedCaller>()
  return new Elysia({ name: 'auth' })
    .use(sessionCookie(deps))
    .macro('access', (access: Access) => ({
      detail: { security: securityOf(access) },
      transform: async ({ request, sessionCookie }) => {
        const identity = await identify(deps, request, () => sessionCookie?.token())
        const caller = identity && { ...identity, device: deviceOf(request) }
        if (caller?.via === 'session') sessionCookie?.extend(caller.session)
        callers.set(request, admit(deps, { request, caller, access }))
        // A read by such a query finds nothing. A change would store another name than the client sent.
        if (request.method !== 'GET' && !isUtf8Encoded(request.url.replace(/^[^?]*/, '')))
          throw refuseInvalid('The query must be UTF-8')
      },
      resolve: ({ request }) => ({ caller: admitted(callers.get(request)) }),
    }))
    .as('scoped')
}

interface Entry {
  request: Request
  caller: LocatedCaller | undefined
  access: Access
}

function admit(deps: Context, { request, caller, access }: Entry): LocatedCaller {
  const { origins, store } = deps
  if (!caller) throw new Refusal('unauthorized')
  if (caller.via === 'session') origins.assertTrusted(request)
  else if (access.by === 'session') throw new Refusal('session-required')
  if (!access.beforeFactor && lacksFactor(caller, store)) throw new Refusal('second-factor-required')
  assertScope(caller, access.scope)
  assertScope(caller, access.also)
  if (access.isDangerous && !SAFE_METHODS.has(request.method)) assertConfirmedIfAsked(deps, caller)
  return caller
}

function admitted(caller: LocatedCaller | undefined): LocatedCaller {
  if (!caller) throw new Error('A route ran before its caller was authorized')
  return caller
}

/** Header of responses that begin or end a session, for the documentation. */
export const COOKIE: Answer['headers'] = {
  'Set-Cookie': {
    description: 'The session.',
    required: true,
    schema: { type: 'string' },
    example: 'better-auth.session_token=q3…; Max-Age=604800; Path=/; HttpOnly; SameSite=Lax',
  },
}
