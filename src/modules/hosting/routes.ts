import { Elysia } from 'elysia'
import { openToAll, sessionCookie } from '../../access/plugin.ts'
import { orPage } from '../../api/page.ts'
import type { HostingContext } from './context.ts'
import * as docs from './docs.ts'
import { notFoundPage } from './not-found-page.ts'
import { serveHosted } from './service.ts'

/** Builds `/api/hosting`: files by URL, public ones for anyone. */
export function hostingRoutes(deps: HostingContext) {
  return new Elysia({ prefix: '/api/hosting' })
    .use(sessionCookie(deps))
    .get(
      '/*',
      ({ request, sessionCookie }) =>
        orPage(
          request,
          () => serveHosted(deps, request, sessionCookie.token()),
          ({ reason }) =>
            reason === 'not_found'
              ? { status: 404, page: notFoundPage(request, deps.clock.now()) }
              : undefined,
        ),
      openToAll(docs.serveFile), // authorized for each file
    )
    .options(
      '/*',
      () => new Response(null, { status: 204, headers: PREFLIGHT }),
      openToAll(docs.preflightFile),
    )
}

/** Headers of the response to a CORS preflight request for a `Range` (Fetch standard, CORS protocol). */
const PREFLIGHT = {
  'Access-Control-Allow-Methods': 'GET, HEAD, OPTIONS',
  'Access-Control-Allow-Headers':
    'Range, If-Range, If-Match, If-None-Match, If-Modified-Since, If-Unmodified-Since',
  'Access-Control-Max-Age': '86400',
}
