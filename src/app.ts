import { Elysia } from 'elysia'
import { authenticateKey } from './access/caller.ts'
import type { Context } from './access/context.ts'
import { assertAccessNamed } from './access/plugin.ts'
import { addCommonHeaders } from './api/header-sets.ts'
import { createMethodTable } from './api/methods.ts'
import { problem, problems } from './api/problem.ts'
import { requestIdOf } from './api/request-id.ts'
import { exchangeOf, restate } from './http/exchange.ts'
import { apiTexts, openapiRoutes } from './modules/docs/routes.ts'
import { DOWNLOAD_PREFIX } from './modules/files/routes.ts'
import { HOSTING_PREFIX } from './modules/hosting/prefix.ts'
import type { RequestKind } from './modules/metrics/requests.ts'
import { assertKnownOverride, overrideMethod } from './modules/uploads/method-override.ts'
import { isBegunUpload, isUpload } from './modules/uploads/path.ts'
import type { Assets } from './modules/web/assets.ts'
import { dashboardRoutes, serveDashboard } from './modules/web/serve.ts'
import type { Modules } from './modules.ts'
import { rateLimitBucket } from './platform/client-address.ts'
import { type Refusal, refuseTooMany } from './platform/errors.ts'

export type App = ReturnType<typeof createApp>

/** Builds the route tree: error handling, rate limits, then one line per feature. */
export function createApp(deps: Context, modules: Modules, dashboard: Assets) {
  const methodsAt = createMethodTable(() => [...app.routes, ...dashboardRoutes(dashboard)])
  const texts = apiTexts(deps, () => app.routes)
  const app = new Elysia({ normalize: false })
    .use(problems({ log: deps.log, methodsAt }))
    .onRequest(async ({ request }) => {
      limitRate(deps, modules, request)
      await authenticateKey(deps, request)
      assertKnownOverride(request)
    })
    .onTransform((context) => {
      context.query = plainQuery(context.request)
    })
    .use(modules.setup.routes)
    .use(modules.auth.routes)
    .use(modules.account.routes)
    .use(modules.users.routes)
    .use(modules.keys.routes)
    .use(modules.activity.routes)
    .use(modules.files.routes)
    .use(modules.uploads.routes)
    .use(modules.folders.routes)
    .use(modules.archives.routes)
    .use(modules.hosting.routes)
    .use(modules.settings.routes)
    .use(modules.stats.routes)
    .use(modules.metrics.routes)
    .use(openapiRoutes(texts))
  assertAccessNamed(app.routes)
  return app
}

/**
 * Parses a query. The framework's own parser turns text with commas into lists, and text in brackets into
 * values; names may contain either.
 */
const plainQuery = ({ url }: Request) => Object.fromEntries(new URL(url).searchParams)

interface Parts {
  app: App
  modules: Modules
  dashboard: Assets
}

/** Creates the app's handler for the transport, which adds the headers of each kind of response. */
export function createHandler(deps: Context, { app, modules, dashboard }: Parts) {
  const isSecure = deps.config.baseUrl.startsWith('https://')
  const { requestCounts } = modules.metrics
  const answer = (request: Request) =>
    serveDashboard(dashboard, request, withoutQuery(pathOf(request))) ?? app.fetch(forRouting(request))
  return {
    fetch: async (sent: Request): Promise<Response> => {
      const request = overrideMethod(sent)
      const [began, kind] = [deps.clock.monotonic(), kindOf(pathOf(request))]
      const exchange = exchangeOf(request)
      exchange.requestId = requestIdOf(deps.random, request.headers.get('x-request-id'))
      const routed = await answer(request)
      const response = addCommonHeaders(exchange.isHead ? await withoutBody(routed) : routed, {
        kind,
        isSecure,
      })
      // Such a response to a HEAD may not be sent as one, because its client would wait for a body of that
      // length.
      if (exchange.isHead && sent.method !== 'HEAD') response.headers.delete('content-length')
      // Responses for stored files are the same each time, and those of hosting are cached.
      if (kind === 'app' || kind === 'upload') response.headers.set('X-Request-Id', exchange.requestId)
      const took = deps.clock.monotonic() - began
      requestCounts.answered(kind, response.status, took)
      deps.log.debug?.('Answered', lineOf(request, exchange.requestId, { status: response.status, took }))
      return response
    },
    /** Builds the response to a request that does not reach a route; a bug has no refusal. */
    refuse: (request: Request, refusal: Refusal | undefined): Response =>
      addCommonHeaders(problem(refusal, request), { kind: kindOf(pathOf(request)), isSecure }),
  }
}

/**
 * Restates a HEAD as a GET for routing. The framework would answer a HEAD by reading the whole body of its
 * GET to measure it.
 */
const forRouting = (request: Request) => (request.method === 'HEAD' ? restate(request, 'GET') : request)

/**
 * Turns the response to a GET into that to a HEAD: the length of the body instead of the body (RFC 9110
 * §9.3.2).
 */
async function withoutBody(response: Response): Promise<Response> {
  const { status, headers } = response
  let length = 0
  if (response.body && !headers.has('content-length')) {
    for await (const chunk of response.body) length += chunk.length
    headers.set('content-length', String(length))
  }
  return new Response(null, { status, headers })
}

/** Returns the access-log fields of a request. Queries are left out, because they carry signatures. */
const lineOf = (request: Request, requestId: string, answer: { status: number; took: number }) => ({
  requestId,
  method: request.method,
  path: withoutQuery(pathOf(request)),
  status: answer.status,
  ms: Math.round(answer.took),
})

const pathOf = ({ url }: Request) => url.slice(url.indexOf('/', url.indexOf('//') + 2))
const withoutQuery = (path: string) => path.replace(/\?.*/s, '')
const isHosting = (path: string) => path.startsWith(HOSTING_PREFIX)
/** True for downloads of single files. Without an id the prefix leads to an archive, which has no ranges. */
const isDownload = (path: string) =>
  path.startsWith(DOWNLOAD_PREFIX) && /^[^?]/.test(path.slice(DOWNLOAD_PREFIX.length))

function kindOf(path: string): RequestKind {
  if (isHosting(path)) return 'hosting'
  if (isUpload(path)) return 'upload'
  return isDownload(path) ? 'download' : 'app'
}

const isUncounted = (path: string) => path === '/api/health' || !path.startsWith('/api/')

/**
 * Returns the rate limiter of a path. Hosting, continued uploads and the rest of the API are limited
 * separately.
 */
function limiterOf({ hosting, uploads, metrics }: Modules, path: string) {
  if (isHosting(path)) return hosting.limiter
  return isBegunUpload(path) ? uploads.limiter : metrics.apiLimiter
}

function limitRate(deps: Context, modules: Modules, request: Request): void {
  const path = pathOf(request)
  if (isUncounted(path)) return
  const wait = limiterOf(modules, path).take(rateLimitBucket(deps.clientAddress(request)))
  if (wait > 0) throw refuseTooMany(wait)
}
