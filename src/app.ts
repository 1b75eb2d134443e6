import { type AnyElysia, Elysia } from 'elysia'
import { authenticateKey } from './access/caller.ts'
import type { Context } from './access/context.ts'
import { assertAccessNamed, sessionCookieName } from './access/plugin.ts'
import type { Assets } from './api/assets.ts'
import { assertNoCoding } from './api/body.ts'
import { Cors } from './api/cors.ts'
import type { Module, Protocol } from './api/module.ts'
import { failureAsPage, wantsPage } from './api/page.ts'
import { createErrorResponder, type ErrorResponder, problem, problems } from './api/problem.ts'
import type { RequestCounts } from './api/route-facts.ts'
import {
  addCommonHeaders,
  type Limit,
  type ResponseKind,
  type RouteFacts,
  RouteTable,
} from './api/route-facts.ts'
import { compress } from './http/compression.ts'
import { exchangeOf, loggedPath, pathOf, requestIdOf, restate, SAFE_METHODS } from './http/exchange.ts'
import { apiTexts, openapiRoutes } from './modules/docs/routes.ts'
import { assertKnownOverride, overrideMethod } from './modules/uploads/method-override.ts'
import { dashboardRoutes, serveDashboard } from './modules/web/serve.ts'
import { type Refusal, refuseTooMany } from './platform/errors.ts'
import { isSecure } from './platform/hosts.ts'
import { type RateLimiter, rateLimitBucket } from './platform/rate-limit.ts'

interface AppParts {
  modules: readonly Module[]
  limiters: Record<Exclude<Limit, 'none'>, RateLimiter>
  requestCounts: RequestCounts
  dashboard: Assets
}

export type App = ReturnType<typeof createApp>

/** Creates the handler for the transport: the routes of all modules, with limits, headers and counts. */
export function createApp(context: Context, parts: AppParts) {
  const { config, clock, random, log } = context
  const { requestCounts, dashboard } = parts
  const respondTo = createErrorResponder(log, (request) => mayHaveChanged(context, request))
  const router = createRouter(context, parts, { respondTo, methodsAt: (path) => table.methodsAt(path) })
  const table = new RouteTable([...router.routes, ...dashboardRoutes(dashboard)])
  const protocols = parts.modules.flatMap(({ protocol }) => protocol ?? [])
  const preparing = protocols.filter(({ prepare }) => prepare)
  const protocolOf = (request: Request, path: string) =>
    protocols.find((protocol) => protocol.isFor(request, path))
  const isOverHttps = isSecure(config)
  const sessionCookie = sessionCookieName(config)
  const cors = new Cors(config.corsOrigins, (path) => table.methodsAt(path))

  async function route(
    request: Request,
    facts: Required<RouteFacts>,
    protocol: Protocol | undefined,
  ): Promise<Response> {
    if (!protocol && cors.answers(request, pathOf(request))) return new Response(null, { status: 204 })
    try {
      await admit(context, parts, { request, facts })
      if (protocol) return await protocol.respond(request)
    } catch (error) {
      return (await protocol?.fail?.(error, request)) ?? respondTo(error, request, protocol?.problem)
    }
    return router.fetch(forRouting(request))
  }

  return {
    routes: router.routes,
    fetch: async (sent: Request): Promise<Response> => {
      const path = pathOf(sent)
      // A route that needs no database waits for none, whatever host is named.
      if (!table.factsAt(path).isAlwaysThere) for (const { prepare } of preparing) await prepare?.(sent)
      const protocol = protocolOf(sent, path)
      const facts = protocol?.facts ?? table.factsAt(path)
      const { kind } = facts
      const request = isUpload(kind) ? overrideMethod(sent) : sent
      const began = clock.monotonic()
      const exchange = exchangeOf(request)
      if (context.addressOf)
        exchange.clientAddress = context.addressOf(exchange.peer, request.headers.get('x-forwarded-for'))
      exchange.requestId = requestIdOf(random, request.headers.get('x-request-id'))
      const isOther = protocol !== undefined || path.startsWith('/api/')
      const page = isOther ? undefined : serveDashboard(dashboard, request, { path, sessionCookie })
      const found = page ?? shown(context, request, facts, await route(request, facts, protocol))
      const mayCompress = facts.isCompressed && (sent.method === 'GET' || sent.method === 'HEAD')
      const routed = mayCompress ? await compress(found, sent) : found
      const response = addCommonHeaders(exchange.isHead ? await withoutBody(routed, sent) : routed, {
        kind,
        isSecure: isOverHttps,
      })
      // Responses for stored files are the same each time, and those of hosting are cached.
      if (kind === 'app' || isUpload(kind)) response.headers.set('X-Request-Id', exchange.requestId)
      for (const line of exchange.cookies ?? []) response.headers.append('Set-Cookie', line)
      const took = clock.monotonic() - began
      requestCounts.answered(kind, response.status, took)
      log.debug?.('Answered', lineOf(request, exchange.requestId, { status: response.status, took }))
      return cors.addTo(response, sent, { path, kind })
    },
    /** Builds the response to a request that does not reach a route; a bug has no refusal. */
    refuse: (request: Request, refusal: Refusal | undefined): Response => {
      const path = pathOf(request)
      const protocol = protocolOf(request, path)
      const facts = protocol?.facts ?? table.factsAt(path)
      const refused = (protocol?.problem ?? problem)(refusal, request)
      const response = addCommonHeaders(shown(context, request, facts, refused), {
        kind: facts.kind,
        isSecure: isOverHttps,
      })
      return cors.addTo(response, request, { path, kind: facts.kind })
    },
  }
}

const isUpload = (kind: ResponseKind) => kind === 'upload' || kind === 'signed'

/** Admits a request by its head. @throws {Refusal} for one that is past a limit, or has bad credentials or coding. */
async function admit(
  context: Context,
  { limiters }: AppParts,
  { request, facts: { kind, limit, isAlwaysThere } }: { request: Request; facts: Required<RouteFacts> },
): Promise<void> {
  const { store } = context
  const exchange = exchangeOf(request)
  const wait = limit === 'none' ? 0 : limiters[limit].take(rateLimitBucket(exchange.clientAddress))
  if (wait > 0) throw refuseTooMany(wait)
  // Settings in memory are those of the last commit on any server.
  const fence = isAlwaysThere ? undefined : store.fence()
  if (fence) await fence
  if (store.isShared) exchange.version = store.version()
  // A signed URL is the only credential of its requests, and sites have none.
  if (kind !== 'signed' && kind !== 'site') await authenticateKey(context, request)
  // An object's own coding is stored with it.
  if (kind !== 's3' && kind !== 'site') assertNoCoding(request)
  if (isUpload(kind)) assertKnownOverride(request)
}

/** True after a change: it is followed by reads, which fail when the database goes away between the two. */
function mayHaveChanged({ store }: Context, request: Request): boolean {
  const { version } = exchangeOf(request)
  return version !== undefined && version !== store.version() && !SAFE_METHODS.has(request.method)
}

/** Returns a response as its client reads it: browsers on a route of pages get failures as pages. */
const shown = (context: Context, request: Request, { isPage }: RouteFacts, response: Response): Response =>
  isPage && wantsPage(request) ? failureAsPage(context, request, response) : response

/** Builds the route tree. */
function createRouter(
  context: Context,
  { modules, dashboard }: AppParts,
  problemOptions: { respondTo: ErrorResponder; methodsAt: (path: string) => string[] },
): AnyElysia {
  const texts = apiTexts(context, { routes: () => router.routes, dashboard })
  const router = new Elysia({ normalize: false }).use(problems(problemOptions)).onTransform((context) => {
    // The framework's own parser turns text with commas into lists, and text in brackets into values; names
    // may contain either.
    context.query = queryOf(context.request)
    // It leaves null of a parameter that is not percent-encoded UTF-8. Nothing is found by the empty one.
    for (const [name, value] of Object.entries<unknown>(context.params ?? {}))
      if (value === null) Object.assign(context.params, { [name]: '' })
  })
  for (const { routes } of modules) if (routes) router.use(routes)
  router.use(openapiRoutes(texts))
  assertAccessNamed(router.routes)
  return router
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
async function withoutBody(response: Response, { method }: Request): Promise<Response> {
  const { status, headers } = response
  let length = 0
  if (response.body && !headers.has('content-length')) {
    for await (const chunk of response.body) length += chunk.length
    headers.set('content-length', String(length))
  }
  // A HEAD sent as another method may not get one, because its client would wait for a body of that length.
  if (method !== 'HEAD') headers.delete('content-length')
  return new Response(null, { status, headers })
}

/** Returns the access-log fields of a request. Queries are left out, because they carry signatures. */
const lineOf = (request: Request, requestId: string, answer: { status: number; took: number }) => ({
  requestId,
  method: request.method,
  path: loggedPath(pathOf(request)),
  status: answer.status,
  ms: Math.round(answer.took),
})

/** Returns the query of a request; of a parameter sent twice the last one counts. */
const queryOf = ({ url }: Request): Record<string, string> => {
  const start = url.indexOf('?')
  return start === -1 ? {} : Object.fromEntries(new URLSearchParams(url.slice(start)))
}
