import { createHash } from 'node:crypto'
import { ERROR_CODE } from '../platform/error-codes.ts'
import { Refusal } from '../platform/errors.ts'
import { LANGUAGE_VARY } from '../platform/languages.ts'
import { INSTANCE_LOGO } from './assets.ts'
import { html, type Markup } from './html.ts'
import { STYLE } from './page-style.ts'
import { type PageWords, wordsFor } from './pages/texts.ts'

/** Returns the source of a policy for text in the page (CSP Level 3 §2.3.1). */
function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`
}

/** Content security policy of such pages: its style, its forms, fonts and pictures of this server, and nothing else. */
const PAGE_POLICY = [
  "default-src 'none'",
  `style-src '${hashOf(STYLE)}'`,
  "img-src 'self'",
  "font-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

interface Page {
  words: PageWords
  title: string
  /** Elements of the head, such as those that chats read for a preview. */
  head?: Markup
  body: Markup
  /** Elements behind the content, such as a script. */
  end?: Markup | undefined
}

const isNamed = ({ instance: { instanceName } }: PageWords) => instanceName !== 'Holdfast'

/** Renders name and logo of an instance that has its own. */
const brandOf = (words: PageWords): Markup | undefined => {
  const { instanceName, instanceLogo } = words.instance
  if (!isNamed(words) && instanceLogo === undefined) return undefined
  const logo = instanceLogo === undefined ? undefined : html`<img src="${INSTANCE_LOGO}" alt="">`
  return html`<header class="brand">${logo}${instanceName}</header>`
}

/** Renders a page of its own, beside the dashboard. */
export const pageOf = ({ words, title, head, body, end }: Page): string =>
  html`<!doctype html>
<html lang="${words.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}${isNamed(words) ? ` · ${words.instance.instanceName}` : ''}</title>
${head}
<style>${{ markup: STYLE }}</style>
</head>
<body>${brandOf(words)}
<main>
${body}
</main>
${end}
</body>
</html>
`.markup

/** Abilities of a page beside showing text and pictures. */
export interface Abilities {
  /** Text of the one script in it, which talks to this server; without it, none runs. */
  script?: string | undefined
  /** Directives for files of this server that it shows, such as `media-src`. */
  shows?: readonly string[]
}

const policyOf = ({ script, shows = [] }: Abilities): string =>
  [
    PAGE_POLICY,
    ...shows.map((directive) => `${directive} 'self'`),
    ...(script === undefined ? [] : [`script-src '${hashOf(script)}'`, "connect-src 'self'"]),
  ].join('; ')

/** Builds the response with a page. Nothing caches it, because access to what it shows may end. */
export const sendPage = (status: number, page: string, abilities: Abilities = {}) =>
  new Response(page, {
    status,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': policyOf(abilities),
      'Cache-Control': 'private, no-store',
      'X-Robots-Tag': 'noindex',
      Vary: LANGUAGE_VARY,
    },
  })

/** Adds headers to a response. */
export function withHeaders(response: Response, headers: Record<string, string> = {}): Response {
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value)
  return response
}

/** Replaces a failure envelope by a page with its status and headers; returns any other response as it is. */
export function failureAsPage(
  deps: { config: PageWords['instance'] },
  request: Request,
  response: Response,
): Response {
  const { status, headers } = response
  if (!headers.get('content-type')?.startsWith('application/json')) return response
  const words = wordsFor(deps, request)
  const { heading, advice } =
    status === 429 ? words.tooMany : status === 503 ? words.unavailable : words.failed
  const page = sendPage(
    status,
    pageOf({
      words,
      title: heading,
      body: html`<h1>${heading}</h1>
<p>${advice}</p>`,
    }),
  )
  for (const [name, value] of headers) if (!page.headers.has(name)) page.headers.set(name, value)
  page.headers.delete('content-length')
  return page
}

/** Returns true for the `Accept` of a browser that opens an address; programs ask for no HTML. */
export const acceptsPage = (accept: string | null | undefined): boolean =>
  accept?.toLowerCase().includes('text/html') ?? false

export const wantsPage = ({ headers }: Request): boolean => acceptsPage(headers.get('accept'))

/** Responds with a page instead of a refusal to a browser, when there is one for its reason. */
export async function orPage(
  request: Request,
  work: () => Response | Promise<Response>,
  pageFor: (refusal: Refusal) => { status: number; page: string } | undefined,
): Promise<Response> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Refusal) || !wantsPage(request)) throw error
    const shown = pageFor(error)
    if (!shown) throw error
    return withHeaders(sendPage(shown.status, shown.page), { ...error.headers, [ERROR_CODE]: error.reason })
  }
}
