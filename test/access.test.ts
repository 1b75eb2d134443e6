import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { Elysia } from 'elysia'
import type { Scope } from '../src/access/caller.ts'
import { assertAccessNamed, auth } from '../src/access/plugin.ts'
import { type Access, addKey, addUser, openDatabase, setDisabled } from './support/accounts.ts'
import {
  BASE_URL,
  type FileView,
  type Holdfast,
  type Inside,
  register,
  startHoldfast,
  startInside,
  upload,
} from './support/holdfast.ts'

type Row = [
  route: string,
  scope: Scope | 'any account' | 'public',
  by?: 'session only' | undefined,
  /** Second required scope. */
  also?: Scope,
]

/** Access to each route: its scope, and the credentials it accepts. */
const ROWS: Row[] = [
  ['GET /api/health', 'public'],
  ['GET /api/health/ready', 'public'],
  ['GET /api/setup', 'public'],
  ['GET /api/openapi.json', 'public'],
  ['GET /api/docs', 'public'],
  ['GET /api/docs/:page', 'public'],
  ['POST /api/auth/sign-up/email', 'public'],
  ['POST /api/auth/sign-in/email', 'public'],
  ['POST /api/auth/sign-out', 'public'],
  ['GET /api/auth/get-session', 'public'],
  ['GET /api/auth/methods', 'public'],
  ['POST /api/auth/two-factor/enable', 'any account', 'session only'],
  ['POST /api/auth/two-factor/disable', 'any account', 'session only'],
  ['POST /api/auth/two-factor/generate-backup-codes', 'any account', 'session only'],
  ['POST /api/auth/two-factor/verify-totp', 'public'],
  ['POST /api/auth/two-factor/verify-backup-code', 'public'],
  ['POST /api/auth/confirm', 'any account', 'session only'],
  ['POST /api/auth/set-password', 'any account', 'session only'],
  ['GET /api/me/ways-in', 'any account', 'session only'],
  ['DELETE /api/me/trusted-devices', 'any account', 'session only'],
  ['GET /api/auth/passkey/generate-register-options', 'any account', 'session only'],
  ['POST /api/auth/passkey/verify-registration', 'any account', 'session only'],
  ['GET /api/auth/passkey/generate-authenticate-options', 'public'],
  ['POST /api/auth/passkey/verify-authentication', 'public'],
  ['GET /api/auth/passkey/list-user-passkeys', 'any account', 'session only'],
  ['POST /api/auth/passkey/update-passkey', 'any account', 'session only'],
  ['POST /api/auth/passkey/delete-passkey', 'any account', 'session only'],
  ['POST /api/auth/passkey/second-factor', 'any account', 'session only'],
  ['GET /.well-known/webauthn', 'public'],
  ['POST /api/auth/sign-in/forwarded', 'public'],
  ['POST /api/auth/device/code', 'public'],
  ['POST /api/auth/device/token', 'public'],
  ['GET /api/auth/device', 'api-keys:manage', 'session only'],
  ['POST /api/auth/device/approve', 'api-keys:manage', 'session only'],
  ['POST /api/auth/device/deny', 'api-keys:manage', 'session only'],
  ['POST /api/auth/sign-in/social', 'public'],
  ['GET /api/auth/callback/oidc', 'public'],
  ['POST /api/auth/backchannel-logout/oidc', 'public'],
  ['POST /api/auth/link-social', 'any account', 'session only'],
  ['POST /api/auth/unlink-account', 'any account', 'session only'],
  ['GET /api/auth/list-accounts', 'any account', 'session only'],
  ['GET /api/settings/sign-in', 'settings:manage', 'session only'],
  ['POST /api/settings/sign-in/try', 'settings:manage', 'session only'],
  ['POST /api/auth/sign-in/link', 'public'],
  ['DELETE /api/users/second-factor', 'users:manage', 'session only'],
  ['GET /api/hosting/*', 'public'],
  ['OPTIONS /api/hosting/*', 'public'],
  ['GET /api/files', 'files:read'],
  ['GET /api/files/details', 'files:read'],
  ['GET /api/files/download/:id', 'files:read'],
  ['GET /api/files/thumbnail/:id', 'files:read'],
  ['GET /api/files/placeholders', 'files:read'],
  ['POST /api/files/download', 'files:read'],
  ['POST /api/files/sign', 'files:read'],
  ['POST /api/files', 'files:write'],
  ['PUT /api/files', 'files:write'],
  ['PUT /api/files/content', 'files:write'],
  ['GET /api/files/versions', 'files:read'],
  ['GET /api/files/versions/content', 'files:read'],
  ['POST /api/files/versions/restore', 'files:write'],
  ['DELETE /api/files/versions', 'files:delete'],
  ['POST /api/files/canceled', 'files:write'],
  ['POST /api/files/move', 'files:write'],
  ['POST /api/files/copy', 'files:write', undefined, 'files:read'],
  ['PUT /api/files/visibility', 'files:write'],
  ['GET /api/files/sign', 'files:read'],
  ['POST /api/files/fetch', 'files:write'],
  ['GET /api/files/fetch', 'files:write'],
  ['DELETE /api/files/fetch', 'files:write'],
  ['DELETE /api/files', 'files:delete'],
  ['DELETE /api/items', 'files:delete'],
  ['POST /api/items/move', 'files:write'],
  ['POST /api/items/copy', 'files:write', undefined, 'files:read'],
  ['PUT /api/items/visibility', 'files:write'],
  ['OPTIONS /api/uploads', 'public'],
  ['OPTIONS /api/uploads/:id', 'public'],
  ['POST /api/uploads', 'files:write'],
  ['POST /api/uploads/sign', 'files:write'],
  ['OPTIONS /api/uploads/signed/:token', 'public'],
  ['PUT /api/uploads/signed/:token', 'public'],
  ['POST /api/uploads/signed/:token', 'public'],
  ['OPTIONS /api/uploads/signed/:token/:id', 'public'],
  ['GET /api/uploads/signed/:token/:id', 'public'],
  ['PATCH /api/uploads/signed/:token/:id', 'public'],
  ['DELETE /api/uploads/signed/:token/:id', 'public'],
  ['GET /api/uploads/:id', 'files:write'],
  ['PATCH /api/uploads/:id', 'files:write'],
  ['DELETE /api/uploads/:id', 'files:write'],
  ['GET /api/folders', 'files:read'],
  ['GET /api/folders/download', 'files:read'],
  ['GET /api/folders/checksums', 'files:read'],
  ['GET /api/folders/totals', 'files:read'],
  ['GET /api/folders/sizes', 'files:read'],
  ['GET /api/folders/people', 'users:manage', 'session only'],
  ['PUT /api/folders/people', 'users:manage', 'session only'],
  ['POST /api/folders', 'files:write'],
  ['PUT /api/folders', 'files:write'],
  ['POST /api/folders/move', 'files:write'],
  ['POST /api/folders/import', 'files:write'],
  ['POST /api/folders/replace', 'files:write', undefined, 'files:delete'],
  ['DELETE /api/folders', 'files:delete'],
  ['GET /api/sites', 'files:read'],
  ['POST /api/sites', 'files:write'],
  ['PUT /api/sites', 'files:write'],
  ['DELETE /api/sites', 'files:write'],
  ['POST /api/sites/sign', 'files:write'],
  ['GET /api/sites/misses', 'files:read'],
  ['GET /api/sites/ask', 'public'],
  ['GET /api/search', 'files:read'],
  ['GET /api/changes', 'any account'],
  ['GET /api/changes/latest', 'any account'],
  ['GET /api/changes/files', 'files:read'],
  ['GET /api/favorites', 'files:read'],
  ['PUT /api/favorites', 'files:read'],
  ['DELETE /api/favorites', 'files:read'],
  ['GET /api/trash', 'files:read'],
  ['POST /api/trash', 'files:delete'],
  ['POST /api/trash/restore', 'files:write'],
  ['DELETE /api/trash', 'files:delete'],
  ['GET /api/shares', 'files:read'],
  ['GET /api/shares/visits', 'files:read'],
  ['POST /api/shares', 'files:read'],
  ['PUT /api/shares', 'files:read'],
  ['DELETE /api/shares', 'files:read'],
  ['GET /api/s/:slug', 'public'],
  ['POST /api/s/:slug/open', 'public'],
  ['GET /api/s/:slug/files/:id', 'public'],
  ['GET /api/s/:slug/archive', 'public'],
  ['GET /api/s/:slug/thumbs/:id', 'public'],
  ['POST /api/s/:slug/files', 'public'],
  ['OPTIONS /api/s/:slug/uploads', 'public'],
  ['OPTIONS /api/s/:slug/uploads/:id', 'public'],
  ['POST /api/s/:slug/uploads', 'public'],
  ['GET /api/s/:slug/uploads/:id', 'public'],
  ['PATCH /api/s/:slug/uploads/:id', 'public'],
  ['DELETE /api/s/:slug/uploads/:id', 'public'],
  ['POST /s/:slug/files', 'public'],
  ['GET /s/:slug', 'public'],
  ['POST /s/:slug', 'public'],
  ['GET /api/keys', 'api-keys:manage', 'session only'],
  ['POST /api/keys', 'api-keys:manage', 'session only'],
  ['POST /api/keys/s3', 'api-keys:manage', 'session only'],
  ['PUT /api/keys', 'api-keys:manage', 'session only'],
  ['DELETE /api/keys', 'api-keys:manage', 'session only'],
  ['GET /api/me', 'any account'],
  ['PUT /api/me', 'any account', 'session only'],
  ['PUT /api/me/password', 'any account', 'session only'],
  ['GET /api/me/sessions', 'any account', 'session only'],
  ['DELETE /api/me/sessions', 'any account', 'session only'],
  ['GET /api/me/security', 'any account', 'session only'],
  ['GET /api/me/usage', 'any account'],
  ['GET /api/users', 'users:manage', 'session only'],
  ['GET /api/users/usage', 'users:manage', 'session only'],
  ['PUT /api/users/quota', 'users:manage', 'session only'],
  ['GET /api/activity/security.csv', 'users:manage', 'session only'],
  ['POST /api/users', 'users:manage', 'session only'],
  ['PUT /api/users', 'users:manage', 'session only'],
  ['DELETE /api/users', 'users:manage', 'session only'],
  ['GET /api/invitations', 'users:manage', 'session only'],
  ['POST /api/invitations', 'users:manage', 'session only'],
  ['DELETE /api/invitations', 'users:manage', 'session only'],
  ['POST /api/invitations/open', 'public'],
  ['POST /api/invitations/accept', 'public'],
  ['GET /api/webhooks', 'users:manage', 'session only'],
  ['GET /api/webhooks/for-shares', 'files:read'],
  ['GET /api/webhooks/deliveries', 'users:manage', 'session only'],
  ['POST /api/webhooks', 'users:manage', 'session only'],
  ['PUT /api/webhooks', 'users:manage', 'session only'],
  ['DELETE /api/webhooks', 'users:manage', 'session only'],
  ['POST /api/webhooks/test', 'users:manage', 'session only'],
  ['POST /api/webhooks/retry', 'users:manage', 'session only'],
  ['GET /api/settings', 'settings:manage', 'session only'],
  ['PUT /api/settings', 'settings:manage', 'session only'],
  ['GET /api/settings/files', 'files:read', 'session only'],
  ['POST /api/settings/apply-visibility', 'settings:manage', 'session only'],
  ['GET /api/stats', 'any account'],
  ['GET /api/activity', 'any account', 'session only'],
  ['DELETE /api/activity', 'any account', 'session only'],
]

/** Objects, because `test.each` passes the test's callback in place of a missing element of an array. */
const RULES = ROWS.map(([route, scope, by, also]) => ({
  route,
  scope,
  also,
  isForSessions: by !== undefined,
}))
type Rule = (typeof RULES)[number]

const FILE_SCOPES: Scope[] = ['files:read', 'files:write', 'files:delete']
const ALL_SCOPES: Scope[] = [...FILE_SCOPES, 'api-keys:manage', 'settings:manage', 'users:manage']

/** Scopes of each role. Only the Admin role has `users:manage`. */
const SCOPES_OF_ROLE: Record<Access['role'], Scope[]> = {
  admin: ALL_SCOPES,
  editor: [...FILE_SCOPES, 'api-keys:manage'],
  viewer: ['files:read'],
  custom: [],
}

const custom = (...customScopes: Scope[]): Access => ({ role: 'custom', customScopes })

const OWNERS: Access[] = [
  { role: 'admin' },
  { role: 'editor' },
  { role: 'viewer' },
  ...ALL_SCOPES.map((scope) => custom(scope)),
  ...FILE_SCOPES.map((scope) => custom('api-keys:manage', scope)),
]

/** Scopes of API keys. The empty list is that of a key from before keys had scopes. */
const KEYS: Scope[][] = [...FILE_SCOPES.map((scope) => [scope]), FILE_SCOPES, []]

interface Caller {
  what: string
  headers: Record<string, string>
  /** Scopes; `undefined` for invalid credentials. */
  held: { byRole: Scope[]; byKey?: Scope[] } | undefined
}

let holdfast: Holdfast
/** Server in this process, for the app's table of routes. */
let inside: Inside
let open: FileView
let secret: FileView
const callers: Caller[] = []
beforeAll(async () => {
  inside = await startInside()
  holdfast = await startHoldfast()
  const { withKey } = await register(holdfast)
  open = await upload(holdfast, withKey, { name: 'open', content: 'x' })
  secret = await upload(holdfast, withKey, { name: 'secret', content: 'x', visibility: 'private' })
  callers.push(...(await goodCallers()), ...(await badCallers()))
})
afterAll(async () => {
  await holdfast[Symbol.asyncDispose]()
  await inside[Symbol.asyncDispose]()
})

async function goodCallers(): Promise<Caller[]> {
  const found: Caller[] = []
  for (const owner of OWNERS) {
    const { role, customScopes = [] } = owner
    const { id, withSession } = await addUser(holdfast, owner)
    const mayHold = ALL_SCOPES.filter((scope) => scope !== 'users:manage' && customScopes.includes(scope))
    const byRole = [...SCOPES_OF_ROLE[role], ...mayHold]
    const what = `${role} ${customScopes}`
    found.push({ what: `a session of ${what}`, headers: withSession, held: { byRole } })
    for (const scopes of KEYS) {
      const headers = await addKey(holdfast, { userId: id, scopes })
      const byKey = scopes.length === 0 ? FILE_SCOPES : scopes
      found.push({ what: `a key for ${scopes} of ${what}`, headers, held: { byRole, byKey } })
    }
  }
  return found
}

async function badCallers(): Promise<Caller[]> {
  const admin = await addUser(holdfast, { role: 'admin' })
  const disabled = await addUser(holdfast, { role: 'admin' })
  const ofDisabled = await addKey(holdfast, { userId: disabled.id, scopes: FILE_SCOPES })
  setDisabled(holdfast, disabled.id, true)
  const own = { userId: admin.id, scopes: FILE_SCOPES }
  const expired = await addKey(holdfast, { ...own, expiresAt: holdfast.now() })
  const deleted = await addKey(holdfast, { ...own, name: 'deleted' })
  {
    using database = openDatabase(holdfast)
    database.run("DELETE FROM api_keys WHERE name = 'deleted'")
  }
  const bad: Record<string, Record<string, string>> = {
    nobody: {},
    'a session of a disabled account': disabled.withSession,
    'a key of a disabled account': ofDisabled,
    'an expired key': expired,
    'a deleted key': deleted,
    'a key that nobody made': { 'API-Key': `hf_${'f'.repeat(64)}` },
    'an empty key': { 'API-Key': '' },
    'an invalid key beside a good session': { ...admin.withSession, 'API-Key': 'nonsense' },
    'a session whose signature is cut': {
      ...admin.withSession,
      Cookie: admin.withSession.Cookie.slice(0, -9),
    },
    'a session that nobody opened': { Cookie: 'better-auth.session_token=nothing.AAAA' },
  }
  return Object.entries(bad).map(([what, headers]) => ({ what, headers, held: undefined }))
}

interface Outcome {
  status: number
  message?: string
}

/** Returns the refusal that a caller must get; `undefined` for an allowed one. */
function refusalFor({ also, ...rule }: Omit<Rule, 'route'>, caller: Caller): Outcome | undefined {
  return refusalByScope(rule, caller) ?? (also && refusalByScope({ ...rule, scope: also }, caller))
}

function refusalByScope(
  { scope, isForSessions }: Pick<Rule, 'scope' | 'isForSessions'>,
  { held }: Caller,
): Outcome | undefined {
  if (!held) return { status: 401, message: 'Unauthorized' }
  const missing = (of: string) => ({ status: 403, message: `Missing required scope "${of}"` })
  if (held.byKey && isForSessions)
    return { status: 403, message: 'This endpoint needs a session, not an API key' }
  if (held.byKey && !held.byRole.includes('api-keys:manage')) return missing('api-keys:manage')
  if (scope === 'any account' || scope === 'public') return undefined
  if (!held.byRole.includes(scope)) return missing(scope)
  if (held.byKey && !held.byKey.includes(scope))
    return { status: 403, message: `API key is missing required scope "${scope}"` }
  return undefined
}

const withoutFinalSlash = (path: string) => path.replace(/(?<=.)\/$/, '')

/** Calls a route with a request that changes nothing. */
async function call(route: string, headers: Record<string, string>): Promise<Outcome> {
  const [method = '', path = ''] = route.split(' ')
  const url = path.replace(/:\w+|\*/, 'none')
  const body = method === 'GET' || method === 'OPTIONS' ? {} : { body: '{}' }
  const response = await holdfast.fetch(url, { method, headers, ...body })
  if (response.headers.get('content-type') === 'text/event-stream') {
    // It has no end.
    await response.body?.cancel()
    return { status: response.status }
  }
  const isJson = response.headers.get('content-type')?.startsWith('application/json')
  // A missing session is `null`.
  const { error } = (
    isJson ? ((await response.json()) ?? { error: null }) : { error: await response.bytes() }
  ) as {
    error?: { message?: string } | null
  }
  return { status: response.status, message: error?.message ?? '' }
}

/** Returns true when the route exists and accepted its caller. */
const isLetIn = ({ status, message }: Outcome) =>
  ![401, 403, 405].includes(status) && status < 500 && message !== 'Not found'

describe('the rules', () => {
  test('name every route of the app, and no other', () => {
    const routes = inside.server.app.routes

    const found = routes.map(({ method, path }) => `${method} ${withoutFinalSlash(path)}`)

    expect(found.sort()).toEqual(RULES.map(({ route }) => route).sort())
  })

  test.each(RULES)('are declared by the route: $route', ({ route, scope, also, isForSessions }) => {
    const found = inside.server.app.routes.find(
      ({ method, path }) => `${method} ${withoutFinalSlash(path)}` === route,
    )

    const scopes = scope === 'any account' ? [] : [scope, also ?? []].flat()
    const either = isForSessions ? [{ session: scopes }] : [{ session: scopes }, { apiKey: scopes }]
    expect(found?.hooks.detail.security).toEqual(scope === 'public' ? [] : either)
  })

  test('must be named by every route for an app to start', () => {
    const app = new Elysia({ prefix: '/api/new' })
      .use(auth(inside.server.deps))
      .get('/named', () => '', { access: { by: 'session' } })
      .post('/forgotten', () => '')

    expect(() => assertAccessNamed(app.routes)).toThrow('POST /api/new/forgotten')
    expect(() => assertAccessNamed(app.routes.slice(0, 1))).not.toThrow()
  })
})

describe('access to a route', () => {
  test.each(RULES.filter(({ scope }) => scope !== 'public'))('$route: $scope', async (rule) => {
    for (const caller of callers) {
      const outcome = await call(rule.route, caller.headers)

      const refusal = refusalFor(rule, caller)
      if (refusal) expect({ ...outcome, who: caller.what }).toEqual({ ...refusal, who: caller.what })
      else
        expect({ ...outcome, who: caller.what, isLetIn: isLetIn(outcome) }).toMatchObject({ isLetIn: true })
    }
  })

  test.each(RULES.filter(({ route, scope }) => scope === 'public' && route !== 'POST /api/auth/sign-out'))(
    '$route: anyone',
    async ({ route }) => {
      for (const { what, headers } of callers) {
        const outcome = await call(route, { Origin: BASE_URL, ...headers })

        const isMissingFile = outcome.status === 404 && outcome.message === 'File not found'
        const isRegistered = outcome.message?.startsWith('Registration is closed') ?? false
        expect({
          what,
          ...outcome,
          isAnswered: isMissingFile || isRegistered || isLetIn(outcome),
        }).toMatchObject({
          isAnswered: true,
        })
      }
    },
  )

  test('POST /api/auth/sign-out: anyone', async () => {
    const { withSession } = await addUser(holdfast, { role: 'viewer' })

    for (const headers of [{}, { 'API-Key': 'nonsense' }, withSession]) {
      expect((await call('POST /api/auth/sign-out', headers)).status).toBe(200)
    }
  })
})

describe('a hosted file', () => {
  test('that is public is served to anyone, whatever credentials they send', async () => {
    for (const { what, headers } of callers) {
      expect({ what, ...(await call(`GET /${open.url}`, headers)) }).toMatchObject({ what, status: 200 })
    }
  })

  test('that is private is served to callers with files:read, and is 404 for all others', async () => {
    for (const caller of callers) {
      const mayRead = refusalByScope({ scope: 'files:read', isForSessions: false }, caller) === undefined

      const { status } = await call(`GET /${secret.url}`, caller.headers)

      expect([caller.what, status]).toEqual([caller.what, mayRead ? 200 : 404])
    }
  })
})
