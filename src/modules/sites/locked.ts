import { createHmac } from 'node:crypto'
import { isGuardedPassword } from '../../access/accounts.ts'
import type { Context } from '../../access/context.ts'
import { html } from '../../api/html.ts'
import { type Words, wordsFor } from '../../api/pages/texts.ts'
import { cookieValues } from '../../http/cookies.ts'
import { deviceOf, pathOf } from '../../http/exchange.ts'
import { Refusal } from '../../platform/errors.ts'
import { isSecure } from '../../platform/hosts.ts'
import { LANGUAGE_VARY } from '../../platform/languages.ts'
import { isSameSecret } from '../../platform/same-secret.ts'
import type { SiteRow } from '../../store/rows.ts'
import { previewedBy } from './model.ts'
import { sitePage } from './page.ts'

/** Path that opens a site with its password. Names that begin with a dot are no files of a site. */
const OPEN_PATH = '/.holdfast/open'
/** Lifetime of a cookie that a password opened. */
const OPEN_MS = 12 * 3_600_000
/** Maximum bytes of the form with a password and an address. */
const MAX_FORM_BYTES = 16 * 1024

const HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-store',
  'Content-Security-Policy':
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  'X-Robots-Tag': 'noindex',
  Vary: LANGUAGE_VARY,
}

/** Site with a password. */
type LockedSite = SiteRow & { passwordHash: string }

/**
 * Responds for a site with a password: with the form that asks for it, or to that; `undefined` for a visitor that has
 * opened the site.
 *
 * @throws {Refusal} `too-large`, `rate-limited`.
 */
export async function askForPassword(
  deps: Context,
  site: LockedSite,
  request: Request,
): Promise<Response | undefined> {
  const isOpening = pathOf(request) === OPEN_PATH
  if (isOpening && request.method === 'POST') return open(deps, site, request)
  const { pathname, search, searchParams } = new URL(request.url)
  if (isOpening && searchParams.has('sig')) return openSigned(deps, site, { request, searchParams })
  if (hasCookie(deps, site, request)) return undefined
  return form(wordsFor(deps, request), isOpening ? '/' : pathname + search)
}

/**
 * Returns the path and query that open a site without its password.
 *
 * @param expires Time until which they do, in seconds since 1970.
 */
export const signedOpening = (deps: Pick<Context, 'secrets'>, site: LockedSite, expires: number): string =>
  `${OPEN_PATH}?exp=${expires}&sig=${sign(deps, site, `address ${expires}`)}&to=/`

/** Responds to a signed address: a visitor that it opens the site for stays no longer than it is valid. */
function openSigned(
  deps: Context,
  site: LockedSite,
  { request, searchParams }: { request: Request; searchParams: URLSearchParams },
): Response {
  const [exp = '', sig = '', to = '/'] = ['exp', 'sig', 'to'].map(
    (name) => searchParams.get(name) ?? undefined,
  )
  const path = pathOnSite(to)
  if (hasCookie(deps, site, request)) return redirect(path)
  const words = wordsFor(deps, request)
  const now = deps.clock.now()
  const end = /^\d{1,12}$/.test(exp) ? Number(exp) * 1000 : 0
  if (!isSameSecret(sig, sign(deps, site, `address ${exp}`)) || end <= now)
    return form(words, path, words.site.over)
  return redirect(path, cookieOf(deps, site, Math.min(end, now + OPEN_MS)))
}

async function open(deps: Context, site: LockedSite, request: Request): Promise<Response> {
  const length = Number(request.headers.get('content-length') ?? Number.NaN)
  if (!(length <= MAX_FORM_BYTES)) throw new Refusal('too-large')
  const fields = new URLSearchParams(await request.text())
  const to = pathOnSite(fields.get('to') ?? '/')
  const words = wordsFor(deps, request)
  const isRight = await isGuardedPassword(deps, fields.get('password') ?? '', {
    ...{ guarded: `site ${previewedBy(site)}`, passwordHash: site.passwordHash },
    ipAddress: deviceOf(request).ipAddress,
  })
  if (!isRight) return form(words, to, words.password.wrong)
  return redirect(to, cookieOf(deps, site, deps.clock.now() + OPEN_MS))
}

const redirect = (to: string, cookie?: string) =>
  new Response(null, {
    status: 303,
    headers: {
      Location: to,
      'Cache-Control': 'no-store',
      ...(cookie !== undefined && { 'Set-Cookie': cookie }),
    },
  })

/** Returns a path of this host with its query: what browsers read as another host becomes the start page. */
function pathOnSite(sent: string): string {
  const url = sent.startsWith('/') ? URL.parse(sent, 'http://site.invalid') : null
  if (url?.origin !== 'http://site.invalid' || url.pathname.startsWith('//')) return '/'
  return url.pathname + url.search
}

const cookieName = ({ config }: Context) => (isSecure(config) ? '__Host-site' : 'site')

/** @param expires Milliseconds since 1970. */
function cookieOf(deps: Context, site: LockedSite, expires: number): string {
  const seconds = Math.ceil((expires - deps.clock.now()) / 1000)
  const rest = `Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${isSecure(deps.config) ? '; Secure' : ''}`
  return `${cookieName(deps)}=${expires}.${sign(deps, site, `v1 ${expires}`)}; ${rest}`
}

function hasCookie(deps: Context, site: LockedSite, { headers }: Request): boolean {
  return cookieValues(headers.get('cookie'), cookieName(deps))
    .values()
    .some((value) => {
      const [, expires = '', signature = ''] = /^(\d{1,15})\.([\w-]{43})$/.exec(value) ?? []
      const isGenuine = isSameSecret(signature, sign(deps, site, `v1 ${expires}`))
      return isGenuine && deps.clock.now() < Number(expires)
    })
}

/** Signs the end of a cookie or an address for a site and its present password. */
const sign = (
  { secrets }: Pick<Context, 'secrets'>,
  { id, passwordHash }: LockedSite,
  end: `${'v1' | 'address'} ${string}`,
): string => createHmac('sha256', secrets.site).update([end, id, passwordHash].join('\n')).digest('base64url')

function form({ language, site, password }: Words, to: string, problem = ''): Response {
  const page = sitePage({
    language,
    title: site.heading,
    style: `h1 { margin-bottom: 1rem }
input, button { font: inherit; padding: .5rem .75rem }`,
    body: html`<form method="post" action="${OPEN_PATH}">
<h1>${site.heading}</h1>
<input type="hidden" name="to" value="${to}">
<input type="password" name="password" aria-label="${password.label}" autocomplete="current-password" required autofocus>
<button>${password.open}</button>
<p role="alert">${problem}</p>
</form>`,
  })
  return new Response(page, { status: 401, headers: HEADERS })
}
