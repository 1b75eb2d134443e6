import { createHmac } from 'node:crypto'
import { isGuardedPassword } from '../../access/accounts.ts'
import type { Context } from '../../access/context.ts'
import { escapeHtml } from '../../api/html.ts'
import { cookieValues } from '../../http/cookies.ts'
import { deviceOf, pathOf } from '../../http/exchange.ts'
import { Refusal } from '../../platform/errors.ts'
import { isSecure } from '../../platform/hosts.ts'
import { isSameSecret } from '../../platform/same-secret.ts'
import type { SiteRow } from '../../store/rows.ts'

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
  if (hasCookie(deps, site, request)) return undefined
  const { pathname, search } = new URL(request.url)
  return form(isOpening ? '/' : pathname + search)
}

async function open(deps: Context, site: LockedSite, request: Request): Promise<Response> {
  const length = Number(request.headers.get('content-length') ?? Number.NaN)
  if (!(length <= MAX_FORM_BYTES)) throw new Refusal('too-large')
  const fields = new URLSearchParams(await request.text())
  const to = pathOnSite(fields.get('to') ?? '/')
  const isRight = await isGuardedPassword(deps, fields.get('password') ?? '', {
    ...{ guarded: `site ${site.id}`, passwordHash: site.passwordHash },
    ipAddress: deviceOf(request).ipAddress,
  })
  if (!isRight) return form(to, 'Wrong password')
  return new Response(null, {
    status: 303,
    headers: { Location: to, 'Cache-Control': 'no-store', 'Set-Cookie': cookieOf(deps, site) },
  })
}

/** Returns a path of this host with its query: what browsers read as another host becomes the start page. */
function pathOnSite(sent: string): string {
  const url = sent.startsWith('/') ? URL.parse(sent, 'http://site.invalid') : null
  if (url?.origin !== 'http://site.invalid' || url.pathname.startsWith('//')) return '/'
  return url.pathname + url.search
}

const cookieName = ({ config }: Context) => (isSecure(config) ? '__Host-site' : 'site')

function cookieOf(deps: Context, site: LockedSite): string {
  const expires = deps.clock.now() + OPEN_MS
  const rest = `Path=/; Max-Age=${OPEN_MS / 1000}; HttpOnly; SameSite=Lax${isSecure(deps.config) ? '; Secure' : ''}`
  return `${cookieName(deps)}=${expires}.${sign(deps, site, expires)}; ${rest}`
}

function hasCookie(deps: Context, site: LockedSite, { headers }: Request): boolean {
  return cookieValues(headers.get('cookie'), cookieName(deps))
    .values()
    .some((value) => {
      const [, expires = '', signature = ''] = /^(\d{1,15})\.([\w-]{43})$/.exec(value) ?? []
      const isGenuine = isSameSecret(signature, sign(deps, site, Number(expires)))
      return isGenuine && deps.clock.now() < Number(expires)
    })
}

/** Signs the end of a cookie for a site and its present password. */
const sign = ({ secrets }: Context, { id, passwordHash }: LockedSite, expires: number): string =>
  createHmac('sha256', secrets.site).update(['v1', id, passwordHash, expires].join('\n')).digest('base64url')

function form(to: string, problem = ''): Response {
  const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>This site has a password</title>
<style>
:root { color-scheme: light dark }
body { display: grid; place-content: center; min-height: 90vh; margin: 0 1.5rem; font: 1.125rem/1.5 system-ui, sans-serif }
h1 { margin: 0 0 1rem; font-size: 1.5rem; font-weight: 600 }
input, button { font: inherit; padding: .5rem .75rem }
</style>
<form method="post" action="${OPEN_PATH}">
<h1>This site has a password</h1>
<input type="hidden" name="to" value="${escapeHtml(to)}">
<input type="password" name="password" aria-label="Password" autocomplete="current-password" required autofocus>
<button>Open</button>
<p role="alert">${problem}</p>
</form>
`
  return new Response(page, { status: 401, headers: HEADERS })
}
