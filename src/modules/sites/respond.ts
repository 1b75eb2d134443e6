import type { Context } from '../../access/context.ts'
import { whole } from '../../access/reach.ts'
import { exchangeOf, pathOf } from '../../http/exchange.ts'
import { fileResponse } from '../../http/file-response.ts'
import { Refusal } from '../../platform/errors.ts'
import { segmentsOf } from '../../platform/names.ts'
import { contentType, type OpenedFile } from '../../store/bytes.ts'
import type { FileAccess, SiteRow, Work } from '../../store/rows.ts'
import { type Answer, type Asked, answerAt, type FoundFile } from './answer.ts'
import type { SiteHosts } from './hosts.ts'

/** Services of the responses of sites. */
export interface SiteContext extends Context {
  hosts: SiteHosts
  /** Counts files that were served, and requests that found none, as hosting does. */
  traffic: { served: (fileId: string, bytes: number) => void; missed: () => void }
}

/** `Cache-Control` of every answer: any cache may store it, then revalidates it. */
export const SITE_CACHING = 'public, max-age=0, must-revalidate'

/** Matches the types of texts that hosting sends without their charset. */
const TEXT = /^(?:application\/(?:json|xml)|.*\+(?:json|xml))$/

/** Returns the `Content-Type` of a file on a site: that of any text in UTF-8 names its charset. */
export function siteContentType(file: FileAccess): string {
  const type = contentType(file)
  return file.isUtf8 && TEXT.test(type) ? `${type}; charset=utf-8` : type
}

/** Returns true for a request of a browser that wants to show a page. */
export const wantsPage = (accept: string | null | undefined): boolean =>
  accept?.includes('text/html') ?? false

/** Finds the answer of a site among its public files. */
export function* findAnswer(deps: Context, site: SiteRow, asked: Asked): Work<Answer> {
  const { store } = whole(deps)
  const key = yield* store.folders.keyOf(site.folderId)
  if (key === undefined) return { kind: 'none' }
  const folder = segmentsOf(key)
  return yield* answerAt(site, asked, function* (names): Work<FoundFile | undefined> {
    const file = yield* store.accessAt([...folder, ...names.slice(0, -1)], names.at(-1) ?? '')
    return file?.visibility === 'public' ? { key: [key, ...names].join('/'), file } : undefined
  })
}

/**
 * Responds at a host of sites.
 *
 * @throws {Refusal} `not-found`, `method-not-allowed`, `precondition-failed`, `range-not-satisfiable`.
 */
export async function respondAtSite(deps: SiteContext, request: Request): Promise<Response> {
  const { headers, method, url } = request
  const exchange = exchangeOf(request)
  const site = deps.hosts.siteOf(hostHeaders(headers), exchange.peer)
  if (!site) throw new Refusal('not-found')
  if (method !== 'GET' && method !== 'HEAD')
    throw new Refusal('method-not-allowed', undefined, { headers: { Allow: 'GET, HEAD' } })
  const path = pathOf(request)
  const queryAt = url.indexOf('?')
  const asked = {
    path,
    query: queryAt === -1 ? '' : url.slice(queryAt),
    wantsPage: wantsPage(headers.get('accept')),
  }
  const { store } = deps
  const answer = store.isShared
    ? await store.read(() => findAnswer(deps, site, asked))
    : store.now(findAnswer(deps, site, asked))
  // Called in the turn in which a database in this process was asked.
  const opened =
    answer.kind === 'file' ? await store.openFile({ ...answer.file, key: answer.key }) : undefined
  return respondWith(deps, request, { answer, opened })
}

function respondWith(
  { traffic, clock }: SiteContext,
  request: Request,
  { answer, opened }: { answer: Answer; opened: OpenedFile | undefined },
): Response {
  const exchange = exchangeOf(request)
  if (answer.kind === 'redirect')
    return new Response(null, {
      status: answer.status,
      headers: { Location: answer.to, 'Cache-Control': SITE_CACHING },
    })
  const isMiss = answer.kind === 'none' || !opened || answer.status === 404
  if (isMiss && !exchange.isHead) traffic.missed()
  if (answer.kind === 'none' || !opened) throw new Refusal('not-found')
  const { file, status } = answer
  const mediaType = siteContentType(file)
  if (status === 404) return pageOf404(opened, mediaType, exchange.isHead)
  const options = { mediaType, cacheControl: SITE_CACHING, revalidatable: true, now: clock.now() }
  const response = fileResponse(request, opened, options)
  if (!exchange.isHead) exchange.onDelivered = (bytes) => traffic.served(file.id, bytes)
  return response
}

/** Builds the response with a site's own page of 404, whole and without validators. */
function pageOf404(opened: OpenedFile, mediaType: string, isHead: boolean): Response {
  const isTaken = !isHead && opened.size > 0
  if (!isTaken) opened.close()
  return new Response(isTaken ? opened.body(0, opened.size - 1) : null, {
    status: 404,
    headers: {
      'Content-Type': mediaType,
      'Content-Length': String(opened.size),
      'Cache-Control': SITE_CACHING,
    },
  })
}

/** Returns the headers that name the host of a request. */
export const hostHeaders = (headers: Pick<Headers, 'get'>) => ({
  host: headers.get('host'),
  forwarded: headers.get('x-forwarded-host'),
})

/** Titles of the page of a failure, by its status. */
const TITLES: Record<number, string> = {
  404: 'There is nothing here',
  405: 'This address can only be read',
  429: 'Too many requests: try again in a minute',
  503: 'Not available now: try again soon',
}

/** Turns the response to a failure into a page of a site, which says nothing about the instance. */
export function failureAtSite(failure: Response): Response {
  const { status } = failure
  const headers = new Headers({ 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-cache' })
  for (const name of ['Allow', 'Content-Range', 'Retry-After']) {
    const value = failure.headers.get(name)
    if (value !== null) headers.set(name, value)
  }
  const title = TITLES[status] ?? 'This did not work'
  const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<style>
:root { color-scheme: light dark }
body { display: grid; place-content: center; min-height: 90vh; margin: 0 1.5rem; font: 1.125rem/1.5 system-ui, sans-serif; text-align: center }
h1 { margin: 0; font-size: 1.5rem; font-weight: 600 }
p { margin: 0; opacity: .7 }
</style>
<h1>${title}</h1>
<p>${status}</p>
`
  return new Response(page, { status, headers })
}
