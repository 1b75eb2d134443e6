import { Elysia } from 'elysia'
import { Refusal } from '../platform/errors.ts'
import { assertScope, identify, type LocatedCaller } from './caller.ts'
import type { Context } from './context.ts'
import { sessionCookie } from './cookie.ts'
import type { Scope } from './scopes.ts'
import { deviceOf } from './sessions.ts'

/** Access to a route: the required scope (none: any account), and the accepted credentials. */
export interface Access {
  scope?: Scope
  by: 'key or session' | 'session'
}

/** Returns options of a route that is open to all, or that authorizes its callers itself. */
export const openToAll = <Options extends object>(options: Options) => ({
  ...options,
  detail: { security: [] },
})

/** Returns the access to a route as OpenAPI's security requirements; any one of them suffices. */
const securityOf = ({ scope, by }: Access): Record<string, string[]>[] => {
  const scopes = scope === undefined ? [] : [scope]
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
  throw new Error(`These routes do not say who may call them: ${names.join(', ')}`)
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
        const identity = await deps.store.read(() => identify(deps, request, sessionCookie?.token()))
        const caller = identity && { ...identity, device: deviceOf(deps, request) }
        if (caller?.via === 'session') sessionCookie?.extend(caller.session)
        callers.set(request, admit(deps, { request, caller, access }))
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

function admit({ origins }: Context, { request, caller, access }: Entry): LocatedCaller {
  if (!caller) throw new Refusal('unauthorized', 'Unauthorized')
  if (caller.via === 'session') origins.assertTrusted(request)
  else if (access.by === 'session')
    throw new Refusal('forbidden', 'This endpoint needs a session, not an API key')
  assertScope(caller, access.scope)
  return caller
}

function admitted(caller: LocatedCaller | undefined): LocatedCaller {
  if (!caller) throw new Error('A route ran before its caller was judged')
  return caller
}
