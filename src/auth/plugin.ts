import { Elysia } from 'elysia'
import type { Deps } from '../deps.ts'
import { Refusal } from '../errors.ts'
import { assertScope, type Caller, identify } from './caller.ts'
import { sessionCookie } from './cookie.ts'
import { assertTrustedOrigin } from './origin.ts'
import type { Scope } from './scopes.ts'

/** Who may call a route: with which scope (none: any account), and whether an API key will do. */
export interface Access {
  scope?: Scope
  by: 'key or session' | 'session'
}

/**
 * Gives routes `access`: the route answers only callers it names, and its handler gets them as `caller`.
 * Credentials are judged before the request is validated, so that a stranger learns nothing from a 400.
 */
export function auth(deps: Deps) {
  const callers = new WeakMap<Request, Caller>()
  return new Elysia({ name: 'auth' })
    .use(sessionCookie(deps))
    .macro('access', (access: Access) => ({
      transform: ({ request, sessionCookie }) => {
        const apiKey = request.headers.get('api-key')
        const caller = identify(deps, { apiKey, sessionToken: sessionCookie?.token() })
        callers.set(request, admit(deps, { request, caller, access }))
      },
      resolve: ({ request }) => ({ caller: admitted(callers.get(request)) }),
    }))
    .as('scoped')
}

interface Entry {
  request: Request
  caller: Caller | undefined
  access: Access
}

function admit({ config }: Deps, { request, caller, access }: Entry): Caller {
  if (!caller) throw new Refusal('unauthorized', 'Unauthorized')
  if (caller.via === 'session') assertTrustedOrigin(request, config)
  else if (access.by === 'session')
    throw new Refusal('forbidden', 'This endpoint needs a session, not an API key')
  assertScope(caller, access.scope)
  return caller
}

function admitted(caller: Caller | undefined): Caller {
  if (!caller) throw new Error('A route ran before its caller was judged')
  return caller
}
