import type { Context } from '../../access/context.ts'
import { whole } from '../../access/reach.ts'
import { html } from '../../api/html.ts'
import { acceptsPage } from '../../api/page.ts'
import { commonHeaders, HTTPS_ONLY } from '../../api/route-facts.ts'
import { exchangeOf, pathOf as requestPath } from '../../http/exchange.ts'
import { fileResponse } from '../../http/file-response.ts'
import type { CdnConfig } from '../../platform/cdn.ts'
import { Refusal } from '../../platform/errors.ts'
import { RULE_FILES, segmentsOf } from '../../platform/names.ts'
import { contentType, type OpenedFile } from '../../store/bytes.ts'
import type { FileAccess, SiteRow, Work } from '../../store/rows.ts'
import { publicCaching, tagHeaders } from '../../views/cdn.ts'
import { type Answer, type Asked, answerAt, type FoundFile, isShownAt, pathOf } from './answer.ts'
import { type Coding, codingsOf, type Encoded, encodedForms } from './encoded.ts'
import type { SiteHosts } from './hosts.ts'
import type { Misses } from './misses.ts'
import { isPreview } from './model.ts'
import { sitePage } from './page.ts'
import type { RuleFiles } from './rule-files.ts'

/** Services of the responses of sites. */
export interface SiteContext extends Context {
  hosts: SiteHosts
  rules: RuleFiles
  /** Counts files that were served, and requests that found none, as hosting does. */
  traffic: { served: (fileId: string, bytes: number) => void; missed: () => void }
  /** Notes the paths that visitors miss. */
  misses: Misses
  /** Certificate of this server; missing without HTTPS, also where a proxy has it. */
  https: { isRenewed: () => boolean } | undefined
}

/** Headers of ours that every response at a site carries, by names in lower case. */
const COMMON: Record<string, string> = Object.fromEntries(
  Object.entries(commonHeaders('site', false)).map(([name, value]) => [name.toLowerCase(), value]),
)
/** Value that makes browsers use https only, for a day: until a certificate was renewed, it is not known that the next one will be. */
const HTTPS_ONLY_TODAY = 'max-age=86400'
/** Header of a response that is no failure: any cache may store it, then revalidates it. */
const REVALIDATED = { 'cache-control': 'public, max-age=0, must-revalidate' }
/** Header of a preview, which is nothing to find. */
const OF_PREVIEWS = { 'x-robots-tag': 'noindex' }
/** Headers of a site with a password, whatever its rules say: no cache may store what it shows. */
const OF_LOCKED = { 'cache-control': 'private, no-store' }

/** Returns those of this server: a proxy may serve the hosts of sites without https. */
const commonOf = ({ https }: Pick<SiteContext, 'https'>): Record<string, string> =>
  https
    ? { ...COMMON, 'strict-transport-security': https.isRenewed() ? HTTPS_ONLY : HTTPS_ONLY_TODAY }
    : COMMON

/** Matches how long a shared cache may keep a response. */
const SHARED = /,?\s*s-maxage=[^,]*/gi

/** Matches the types of texts that hosting sends without their charset. */
const TEXT = /^(?:application\/(?:json|xml)|.*\+(?:json|xml))$/

/** Returns the `Content-Type` of a file on a site: that of any text in UTF-8 names its charset. */
export function siteContentType(file: FileAccess): string {
  const type = contentType(file)
  return file.isUtf8 && TEXT.test(type) ? `${type}; charset=utf-8` : type
}

/** Answer of a site, and the headers of a response with its file. */
export interface Found {
  answer: Answer
  /** Values by names in lower case. */
  headers: Record<string, string>
  /** Compressed form of the file, which is sent in its place. */
  encoded?: Encoded | undefined
  /** True when the folder of the site is not in the tree. */
  isGone?: boolean
}

/** Finds the answer of a site by its rules and its public files; `undefined` while its rules have not been read. */
export function* findAnswer(
  deps: Context & Pick<SiteContext, 'rules' | 'https'>,
  { site, host, codings, ...asked }: Asked & { site: SiteRow; host: string; codings: readonly Coding[] },
): Work<Found | undefined> {
  const { store } = whole(deps)
  const common = {
    ...commonOf(deps),
    ...REVALIDATED,
    ...(isPreview(site) && OF_PREVIEWS),
    ...(site.passwordHash !== null && OF_LOCKED),
  }
  const key = yield* store.folders.keyOf(site.folderId)
  if (key === undefined) return { answer: { kind: 'none' }, headers: common, isGone: true }
  const rules = yield* deps.rules.find(site, key)
  if (!rules) return undefined
  const folder = segmentsOf(key)
  const { redirects } = rules
  const lookup = function* (names: readonly string[]): Work<FoundFile | undefined> {
    const file = yield* store.accessAt([...folder, ...names.slice(0, -1)], names.at(-1) ?? '')
    return file && isShownAt(site, file) ? { key: [key, ...names].join('/'), file } : undefined
  }
  const answer = yield* answerAt(site, { ...asked, redirects }, lookup)
  const byAccept = answer.isByAccept && 'Accept'
  if (answer.kind !== 'file') return { answer, headers: varying(common, byAccept) }
  const cdn = site.passwordHash === null ? deps.config.cdn : undefined
  const ours: Record<string, string> = {
    ...common,
    // Whatever else a page depends on is a file that is not there, and no cache gets a purge when one is added.
    ...(cdn?.tagHeader &&
      answer.decidedBy === 'file' && { 'cache-control': publicCaching(0, cdn, answer.key) }),
    'content-type': siteContentType(answer.file),
  }
  const names = pathOf(asked.path)?.names ?? [asked.path]
  const subject = { host, names, isMissing: answer.status === 404 }
  const headers: Record<string, string> = {
    ...(rules.headers?.apply(ours, subject) ?? ours),
    ...(site.passwordHash !== null && OF_LOCKED),
  }
  if (answer.status === 404) return { answer, headers: varying(headers, byAccept) }
  const forms = yield* encodedForms(segmentsOf(answer.key.slice(key.length + 1)), answer.file, lookup)
  if (cdn) {
    const others = [...RULE_FILES.map((name) => `${key}/${name}`), ...forms.map((form) => form.key)]
    keepFor(cdn, headers, tagHeaders(cdn, answer.key, others))
  }
  const wanted = codings.flatMap((coding) => forms.find((form) => form.coding === coding) ?? [])
  const [encoded] = wanted
  const encoding = encoded && { 'content-encoding': encoded.coding }
  const varied = varying(headers, byAccept, forms.length > 0 && 'Accept-Encoding')
  return { answer, encoded, headers: { ...varied, ...encoding } }
}

/** Adds names of headers on which a response depends (RFC 9110 §12.5.5). */
function varying(
  headers: Record<string, string>,
  ...names: (string | false | undefined)[]
): Record<string, string> {
  const vary = [headers['vary'], ...names].filter((name) => name).join(', ')
  return vary === '' ? headers : { ...headers, vary }
}

/** Adds the cache keys of a response to its headers. Without any, no shared cache may keep it, whatever the rules say. */
function keepFor(
  { tagHeader }: CdnConfig,
  headers: Record<string, string>,
  tags: Record<string, string>,
): void {
  if (tagHeader !== undefined) delete headers[tagHeader.toLowerCase()]
  const caching = headers['cache-control'] ?? 'public'
  if (Object.keys(tags).length > 0) Object.assign(headers, tags)
  else if (!/private|no-store/i.test(caching))
    headers['cache-control'] = `s-maxage=0, ${caching.replace(SHARED, '')}`
}

/**
 * Responds at a host of sites.
 *
 * @throws {Refusal} `not-found`, `method-not-allowed`, `precondition-failed`, `range-not-satisfiable`, `unavailable`.
 */
export async function respondAtSite(deps: SiteContext, request: Request, isAgain = false): Promise<Response> {
  const { headers, method, url } = request
  const exchange = exchangeOf(request)
  const { host, site } = deps.hosts.placeOf(hostHeaders(headers), exchange.peer)
  if (!site) throw new Refusal('not-found')
  if (site.passwordHash !== null) {
    const { askForPassword } = await import('./locked.ts')
    const asking = await askForPassword(deps, { ...site, passwordHash: site.passwordHash }, request)
    for (const [name, value] of Object.entries(commonOf(deps))) asking?.headers.set(name, value)
    if (asking) return asking
  }
  if (method !== 'GET' && method !== 'HEAD')
    throw new Refusal('method-not-allowed', undefined, { headers: { Allow: 'GET, HEAD' } })
  const queryAt = url.indexOf('?')
  const asked = {
    ...{ site, host, path: requestPath(request), wantsPage: acceptsPage(headers.get('accept')) },
    query: queryAt === -1 ? '' : url.slice(queryAt),
    // Ranges are defined for GET.
    codings: codingsOf(headers.get('accept-encoding'), exchange.isHead ? null : headers.get('range')),
  }
  const { rules, store, hosts } = deps
  return rules.withRules(site, async () => {
    const found = store.isShared
      ? await store.read(() => findAnswer(deps, asked))
      : store.now(findAnswer(deps, asked))
    if (!found) return undefined
    if (found.isGone && store.isShared) {
      // Another folder may have taken its place since this server looked for the site, and given it back meanwhile.
      await store.fence()
      const isOther = hosts.find(host)?.folderId !== site.folderId
      if (isOther || !isAgain) return respondAtSite(deps, request, true)
    }
    const { answer, encoded } = found
    const sent = answer.kind === 'file' ? (encoded ?? answer) : undefined
    // Called in the turn in which a database in this process was asked.
    const opened = sent && (await store.openFile({ ...sent.file, key: sent.key }))
    return respondWith(deps, request, { ...found, opened, siteId: site.id })
  })
}

function respondWith(
  { traffic, misses, clock }: SiteContext,
  request: Request,
  { answer, headers, encoded, opened, siteId }: Found & { opened: OpenedFile | undefined; siteId: string },
): Response {
  const exchange = exchangeOf(request)
  if (answer.kind === 'redirect')
    return new Response(null, { status: answer.status, headers: { ...headers, Location: answer.to } })
  const isMiss = answer.kind === 'none' || !opened || answer.status === 404
  if (isMiss && !exchange.isHead) {
    traffic.missed()
    misses.note(siteId, requestPath(request), exchange.clientAddress)
  }
  if (answer.kind === 'none' || !opened) {
    const { vary } = headers
    throw new Refusal('not-found', undefined, vary === undefined ? {} : { headers: { Vary: vary } })
  }
  const { file, status } = answer
  if (status === 404) return pageOf404(opened, headers, exchange.isHead)
  const { 'content-type': mediaType = siteContentType(file), ...others } = headers
  const madeOf = encoded && { size: opened.size, mtimeMs: opened.mtimeMs, tag: encoded.coding }
  const options = { mediaType, others, revalidatable: true, now: clock.now(), ...(madeOf && { madeOf }) }
  const response = fileResponse(request, opened, options)
  if (!exchange.isHead) exchange.onDelivered = (bytes) => traffic.served(file.id, bytes)
  return response
}

/** Builds the response with a site's own page of 404, whole and without validators. */
function pageOf404(opened: OpenedFile, headers: Record<string, string>, isHead: boolean): Response {
  const isTaken = !isHead && opened.size > 0
  if (!isTaken) opened.close()
  return new Response(isTaken ? opened.body(0, opened.size - 1) : null, {
    status: 404,
    headers: { ...headers, 'Content-Length': String(opened.size) },
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
export function failureAtSite(deps: Pick<SiteContext, 'https'>, failure: Response): Response {
  const { status } = failure
  const headers = new Headers({
    ...commonOf(deps),
    ...{ 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-cache' },
  })
  for (const name of ['Allow', 'Content-Range', 'Retry-After', 'Vary']) {
    const value = failure.headers.get(name)
    if (value !== null) headers.set(name, value)
  }
  const title = TITLES[status] ?? 'This did not work'
  const page = sitePage({
    ...{ language: 'en', title },
    style: `body { text-align: center }
p { margin: 0; opacity: .7 }`,
    body: html`<h1>${title}</h1>
<p>${status}</p>`,
  })
  return new Response(page, { status, headers })
}
