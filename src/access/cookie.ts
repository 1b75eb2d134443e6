import { cookie } from '@elysiajs/cookie'
import { Elysia } from 'elysia'
import type { Config } from '../platform/config.ts'
import type { SessionRow } from '../store/rows.ts'
import type { Context } from './context.ts'
import { extendSession, SESSION_MS } from './sessions.ts'

/** The session cookie of one request and its answer. */
interface SessionCookie {
  /** The token, when the cookie's signature is good. */
  token: () => string | undefined
  /** Sends the cookie; without `remember` it ends with the browser. */
  set: (token: string, remember: boolean) => void
  /** Extends the session that it opened, and the cookie with it if that outlives the browser; answers with the session. */
  extend: (session: SessionRow) => SessionRow
  clear: () => void
}

/** What the plugin really puts into the context; its own types are those of the older Elysia. */
interface PluginContext {
  cookie: Record<string, string | undefined>
  setCookie: (name: string, value: string, options: { signed?: boolean; maxAge?: number }) => void
  unsignCookie: (value: string) => { valid: boolean; value: string | undefined }
}

const isSecure = ({ baseUrl }: Pick<Config, 'baseUrl'>) => baseUrl.startsWith('https://')

export const sessionCookieName = (config: Pick<Config, 'baseUrl'>) =>
  `${isSecure(config) ? '__Secure-' : ''}better-auth.session_token`

/**
 * The one place that reads and writes the session cookie. The cookie plugin was built for an older Elysia:
 * its context stays local unless lifted, and it must set one cookie an answer only.
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
    .as('scoped') // lifts both derives, the plugin's and ours, to whoever uses this
}
