import { Elysia } from 'elysia'
import type { Context } from '../../access/context.ts'
import { sessionCookie } from '../../access/plugin.ts'
import { openRoute } from '../../access/route.ts'
import { html } from '../../api/html.ts'
import { RANGE_REQUEST, rangedAnswers } from '../../api/openapi/bytes.ts'
import type { Parameter } from '../../api/openapi/document.ts'
import { FILE } from '../../api/openapi/samples.ts'
import { orPage, pageOf } from '../../api/page.ts'
import { wordsFor } from '../../api/pages/texts.ts'
import { alsoAtStart, onEachServer } from '../../platform/jobs.ts'
import { RateLimiter } from '../../platform/rate-limit.ts'
import { Changes } from './changes.ts'
import type { HostingContext } from './context.ts'
import { FastPath } from './fast-path.ts'
import { ResponseCache } from './response-cache.ts'
import { serveHosted } from './service.ts'
import { Traffic } from './traffic.ts'

const KEY: Parameter = {
  name: 'key',
  in: 'path',
  required: true,
  description: 'Key of the file, each segment percent-encoded; its slashes are part of the path.',
  schema: { type: 'string' },
  example: FILE.key,
}

const inQuery = (name: string, description: string, example: string): Parameter => ({
  name,
  in: 'query',
  required: false,
  description,
  schema: { type: 'string' },
  example,
})

const SERVE_FILE = openRoute('Hosting', {
  id: 'serveFile',
  summary: 'Serve a file',
  description:
    'Serves public files to anyone. Private files need a signed link or a caller that may read files; for all ' +
    'others they are 404. Private files support ranges but no conditions. With `width`, JPEG, PNG, WebP, GIF and BMP, ' +
    'and HEIC and AVIF where the server has libheif, are scaled down; the ETag is another one then.',
  security: [{}, { session: ['files:read'] }, { apiKey: ['files:read'] }],
  parameters: [
    KEY,
    inQuery('exp', 'When a signed link expires, in seconds since 1970.', '1793613600'),
    inQuery('sig', 'The signature of a signed link.', 'Jt0vUO3nqk1mI7X9Lw5bT2cH8sYdRgE4aZpFxQhN6uM'),
    inQuery('width', 'The picture as WebP of at most that width and height: 200, 400, 800 or 1600.', '400'),
    inQuery('download', '`1` makes browsers save the file instead of showing it.', '1'),
    ...RANGE_REQUEST,
  ],
  facts: { kind: 'hosting', limit: 'hosting' },
  responses: rangedAnswers({
    'Content-Disposition': {
      description: 'File name, and whether to display or save it.',
      required: true,
      schema: { type: 'string' },
      example: `inline; filename="${FILE.name}"; filename*=UTF-8''${FILE.name}`,
    },
    'Cache-Control': {
      description: 'Lifetime in caches. Private files are not cached.',
      required: true,
      schema: { type: 'string' },
      example: 'public, max-age=0, must-revalidate',
    },
    'Content-Security-Policy': {
      description: 'Hosted files run no scripts in this origin.',
      required: true,
      schema: { const: 'sandbox' },
      example: 'sandbox',
    },
  }),
  refusals: { 400: [], 404: ['File not found'], 412: [], 416: [], 503: [] },
  pages: [404],
})

const PREFLIGHT_FILE = openRoute('Hosting', {
  id: 'preflightFile',
  summary: 'Respond to a CORS preflight',
  parameters: [KEY],
  facts: { kind: 'hosting', limit: 'hosting' },
  responses: {
    204: {
      description: 'CORS: any site may send the request, with ranges and conditions.',
      headers: {
        'Access-Control-Allow-Methods': {
          description: 'Allowed methods.',
          required: true,
          schema: { type: 'string' },
          example: 'GET, HEAD, OPTIONS',
        },
      },
    },
  },
})

/** Builds `/api/hosting`: files by URL, public ones for anyone. */
function hostingRoutes(deps: HostingContext) {
  return new Elysia({ prefix: '/api/hosting' })
    .use(sessionCookie(deps))
    .get(
      '/*',
      ({ request, sessionCookie }) =>
        orPage(
          request,
          () => serveHosted(deps, request, sessionCookie.token()),
          ({ reason }) =>
            reason === 'file-not-found' ? { status: 404, page: notFoundPage(deps, request) } : undefined,
        ),
      { ...SERVE_FILE }, // authorized for each file
    )
    .options('/*', () => new Response(null, { status: 204, headers: PREFLIGHT }), { ...PREFLIGHT_FILE })
}

/** Headers of the response to a CORS preflight request for a `Range` (Fetch standard, CORS protocol). */
const PREFLIGHT = {
  'Access-Control-Allow-Methods': 'GET, HEAD, OPTIONS',
  'Access-Control-Allow-Headers':
    'Range, If-Range, If-Match, If-None-Match, If-Modified-Since, If-Unmodified-Since',
  'Access-Control-Max-Age': '86400',
}

/**
 * Renders the page for a file that is missing or private. It depends on the address alone, so both are the same page:
 * the end of a link is in its address.
 */
function notFoundPage(deps: Context, request: Request): string {
  const expires = new URL(request.url).searchParams.get('exp')
  const isExpired = expires !== null && Number(expires) * 1000 <= deps.clock.now()
  const words = wordsFor(deps, request)
  const { title, heading, advice } = isExpired ? words.expired : words.missing
  return pageOf({
    words,
    title,
    body: html`<h1>${heading}</h1>
<p>${advice}</p>`,
  })
}

/** Milliseconds for which a large file stays open after its last request. */
const IDLE_FILE_MS = 2000

/** Files by URL: the routes, the fast path past them, their cache, limit and traffic. */
export function createHosting(
  context: Context,
  others: Pick<HostingContext, 'requestCounts' | 'pictures' | 'sites'>,
) {
  const { config, clock } = context
  const changes = context.store.isShared ? new Changes(context) : undefined
  const hosting: HostingContext = {
    ...context,
    ...others,
    changes,
    responseCache: new ResponseCache({ ...context, changes }),
    traffic: new Traffic(context),
    hostingLimiter: new RateLimiter({
      limit: config.hostingRequestsPerMinute,
      monotonic: clock.monotonic,
    }),
  }
  const { responseCache, traffic, hostingLimiter } = hosting
  return {
    routes: hostingRoutes(hosting),
    fastPath: new FastPath(hosting),
    responseCache,
    traffic,
    limiter: hostingLimiter,
    jobs: [
      // Other servers read the counts, too.
      onEachServer(context.store.isShared ? '*/5 * * * * *' : '* * * * *', 'Saving the hosting counts', () =>
        traffic.flush(),
      ),
      alsoAtStart('* * * * *', 'Removing old hosting counts', () => traffic.prune()),
      onEachServer('* * * * * *', 'Closing idle files', async () => responseCache.closeIdle(IDLE_FILE_MS)),
    ],
    stop: () => responseCache.closeIdle(0),
    flush: () => traffic.flush(),
  }
}
