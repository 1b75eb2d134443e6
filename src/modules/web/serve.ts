import { type Asset, type Assets, type Coding, OWN_ASSETS } from '../../api/assets.ts'
import { wantsPage } from '../../api/page.ts'
import { namesEntityTag, weakMatch } from '../../http/conditional.ts'
import { LANGUAGE_VARY, languageOf } from '../../platform/languages.ts'

/** Returns the key of the index in a language. Beside English, it is no path that a request can have. */
export const indexPath = (language: string): string => (language === 'en' ? '/' : `/#${language}`)

/** Returns the key of an index for requests with a session. */
export const withSession = (index: string): string => `${index}#signed-in`

/**
 * Content security policy of the page: run and load only what this origin serves. `blob:` is for previews
 * that are made in the page. Styles that scripts set through the CSSOM need no permission.
 */
const OWN_ORIGIN = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob:",
  "media-src 'self' blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "frame-src 'self' blob:",
  "worker-src 'self'",
  "manifest-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

const CONTENT_SECURITY_POLICY = `${OWN_ORIGIN}, ${OWN_ASSETS}`

const YEAR_SECONDS = 31_536_000

/** Path of a page of the documentation with the end of a folder, or of its file in the repository. */
const PAGE_OF = /^(\/docs(?:\/[\w-]+)?)(?:\/|\.md)$/

/**
 * Returns the dashboard's response to a GET or HEAD, or `undefined` when the request is not for it.
 *
 * A page that asks for HTML outside of the API gets the index, whatever its path, because the paths of the
 * dashboard are made in the browser; `/s` has the pages of shares. Other clients still get 404 for an unknown
 * path.
 *
 * @param path The request's path, without its query.
 * @param sessionCookie Name of the cookie with which the page shows the frame of signed-in accounts first.
 */
export function serveDashboard(
  assets: Assets,
  request: Request,
  { path, sessionCookie }: { path: string; sessionCookie: string },
): Response | undefined {
  if (request.method !== 'GET' && request.method !== 'HEAD') return undefined
  const page = assets.has(path) ? undefined : PAGE_OF.exec(path)?.[1]
  if (page && assets.has(page)) return new Response(null, { status: 308, headers: { Location: page } })
  if (path !== '/' && (assets.has(path) || !isClientPath(request, path))) {
    const asset = assets.get(path)
    return asset && sendAsset(asset, request.headers)
  }
  const translated = indexPath(languageOf(request.headers))
  const index = assets.has(translated) ? translated : indexPath('en')
  const hasSession = request.headers.get('cookie')?.includes(`${sessionCookie}=`)
  const asset = (hasSession && assets.get(withSession(index))) || assets.get(index)
  return asset && sendAsset(asset, request.headers, `Accept-Encoding, ${LANGUAGE_VARY}`)
}

const isClientPath = (request: Request, path: string): boolean =>
  !/^\/(api|assets|s)(\/|$)/.test(path) && wantsPage(request)

/** Returns the methods of each file, for 405 and its `Allow`. */
export const dashboardRoutes = (assets: Assets) => [...assets.keys()].map((path) => ({ method: 'GET', path }))

function sendAsset(asset: Asset, requested: Headers, vary = 'Accept-Encoding'): Response {
  const coding = chooseCoding(asset, requested.get('accept-encoding') ?? '')
  // Two encodings of one file are two representations (RFC 9110 §8.8.3.3).
  const etag = `"${asset.digest}${coding ? `-${coding}` : ''}"`
  const headers = new Headers({
    'Content-Type': asset.type,
    'Cache-Control': asset.isImmutable ? `public, max-age=${YEAR_SECONDS}, immutable` : 'no-cache',
    ETag: etag,
    Vary: vary,
  })
  // A sandboxed page, such as that of a missing hosted file, has an origin of its own.
  if (asset.type.startsWith('font/')) headers.set('Access-Control-Allow-Origin', '*')
  if (asset.type.startsWith('text/html')) headers.set('Content-Security-Policy', CONTENT_SECURITY_POLICY)
  if (namesEntityTag(requested.get('if-none-match') ?? '', etag, weakMatch)) {
    return new Response(null, { status: 304, headers })
  }
  if (coding) headers.set('Content-Encoding', coding)
  const bytes = asset.read(coding)
  headers.set('Content-Length', String(bytes.length))
  return new Response(bytes, { headers })
}

/** Returns the coding of the smallest form that the client accepts. */
function chooseCoding({ isCompressed }: Asset, accepted: string): Coding | undefined {
  const codings = acceptedCodings(accepted)
  return isCompressed ? (['br', 'gzip'] as const).find((coding) => codings.has(coding)) : undefined
}

/** Returns the codings in `Accept-Encoding`, without those refused by a weight of 0 (RFC 9110 §12.5.3). */
function acceptedCodings(header: string): Set<string> {
  const named = header.toLowerCase().split(',')
  const wanted = named.filter((item) => !/;\s*q=0(\.0*)?\s*$/.test(item))
  return new Set(wanted.map((item) => item.split(';')[0]?.trim() ?? ''))
}
