import { cookie } from '@elysiajs/cookie'
import { Elysia } from 'elysia'
import type { Config } from '../platform/config.ts'
import type { SessionRow } from '../store/rows.ts'
import type { Context } from './context.ts'
import { extendSession, SESSION_MS } from './sessions.ts'

/** Session cookie of one request and its response. */
interface SessionCookie {
  /** Returns the token when the cookie's signature is valid. */
  token: () => string | undefined
  /** Sends the cookie; without `remember` it ends with the browser. */
  set: (token: string, remember: boolean) => void
  /** Renews the session and, for a persistent cookie, its Max-Age. Returns the session. */
  extend: (session: SessionRow) => SessionRow
  clear: () => void
}

/** Context that the plugin actually provides; its own types are those of an older Elysia. */
interface PluginContext {
  cookie: Record<string, string | undefined>
  setCookie: (name: string, value: string, options: { signed?: boolean; maxAge?: number }) => void
  unsignCookie: (value: string) => { valid: boolean; value: string | undefined }
}

const isSecure = ({ baseUrl }: Pick<Config, 'baseUrl'>) => baseUrl.startsWith('https://')

export const sessionCookieName = (config: Pick<Config, 'baseUrl'>) =>
  `${isSecure(config) ? '__Secure-' : ''}better-auth.session_token`

/**
 * Builds the plugin that reads and writes the session cookie; nothing else does. The cookie plugin was built
 * for an older Elysia: its context stays local unless lifted, and it must set at most one cookie per
 * response.
 */
export function sessionCookie(deps: Pick<Context, 'config' | 'secrets' | 'store' | 'clock'>) {
  const { config, secrets } = deps
  const secure = isSecure(config)
  const name = sessionCookieName(config)
  return new Elysia({ name: 'session-cookie' })
    .use(cookie({ secret: secrets.cookie, httpOnly: true, sameSite: 'lax', secure, path: '/' }).as('scoped'))
    .derive((context) => {
      const { cookie, setCookie, unsignCookie } = context as unknown as PluginContext
      const set: SessionCookie['set'] = (token, remember) =>
        setCookie(name, token, { signed: true, ...(remember ? { maxAge: SESSION_MS / 1000 } : {}) })
      const token = () => {
        const signed = cookie[name]
        return signed === undefined ? undefined : unsignCookie(signed).value
      }
      const sessionCookie: SessionCookie = {
        token,
        set,
        extend: (session) => {
          const extended = extendSession(deps, session)
          const value = extended?.remembered ? token() : undefined
          if (value !== undefined) set(value, true)
          return extended ?? session
        },
        clear: () => setCookie(name, '', { maxAge: 0 }),
      }
      return { sessionCookie }
    })
    .as('scoped') // Lifts both derives, the plugin's and ours, to the routes that use this.
}
