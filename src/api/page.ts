import { createHash } from 'node:crypto'
import { ERROR_CODE } from '../platform/error-codes.ts'
import { Refusal } from '../platform/errors.ts'
import { MAIN_FONT } from './assets.ts'
import { html, type Markup } from './html.ts'

const STYLE = `
@font-face { font-family: Figtree; font-weight: 400 600; font-display: swap; src: url("${MAIN_FONT}") format("woff2") }
:root { color-scheme: light dark; --ink: light-dark(#1c2422, #e7ebe7); --quiet: light-dark(#57615e, #9ca8a4);
  --line: light-dark(#e2dfd5, #2b3435); --edge: light-dark(#88908c, #6d7b78); --panel: light-dark(#efede6, #1b2122); --link: light-dark(#0b5048, #84d6c3);
  --main: light-dark(#0d5c54, #6cc9b4); --on-main: light-dark(#f7fbf8, #06231e); --bad: light-dark(#a4302a, #f08d80) }
* { box-sizing: border-box }
body { margin: 0 auto; max-width: 46rem; padding: 2.5rem 1rem 4rem; font: 1rem/1.5 Figtree, system-ui, sans-serif;
  background: light-dark(#fffefb, #14191a); color: var(--ink) }
main:not(:has(ul, form[enctype], .view)) { max-width: 30rem; margin: 10vh auto 0; padding: 1.75rem; border: 1px solid var(--line);
  border-radius: 14px; background: light-dark(#fffefb, #1b2122) }
main > :last-child { margin-bottom: 0 }
body:has(.tiles, .view) { max-width: 76rem }
h1 { margin: 0 0 .5rem; font-size: 1.5rem; line-height: 1.25; overflow-wrap: anywhere }
h2 { margin: 2rem 0 0; font-size: 1.125rem }
a { color: var(--link) } :focus-visible { outline: 2px solid var(--main); outline-offset: 2px }
ul { list-style: none; margin: 1.5rem 0; padding: 0; border-top: 1px solid var(--line) }
li { display: flex; gap: 1rem; align-items: center; min-height: 4rem; padding: .5rem 0; border-bottom: 1px solid var(--line) }
li > span:first-child:not(.icon), .what { flex: 1; min-width: 0; overflow-wrap: anywhere }
.what .quiet { display: block } li a { text-decoration: none } li a:hover { text-decoration: underline }
li img, .icon { width: 3rem; height: 3rem; flex: none; object-fit: cover; border-radius: 6px; background: var(--panel) }
li .icon { display: grid; place-items: center; flex: none; font-size: .6875rem; font-weight: 600; color: var(--quiet) }
li img, .view img { position: relative }
img::after { content: attr(data-type); position: absolute; inset: 0; display: grid; place-items: center; border-radius: inherit;
  background: var(--panel); color: var(--quiet); font-size: .6875rem; font-weight: 600 }
.play { width: 1.5rem; height: 1.5rem; flex: none; margin: 0 .75rem 0 -3.25rem; z-index: 1; fill: #000b } .play path { fill: #fff }
.icon path { fill: var(--quiet) }
.save { display: grid; flex: none; place-items: center; width: 2.75rem; height: 2.75rem; border-radius: 6px; font-size: 1.25rem }
.save:hover { background: var(--panel); text-decoration: none }
.tiles { display: grid; grid-template-columns: repeat(auto-fill, minmax(10rem, 1fr)); gap: 1rem; border: 0 }
.tiles li { position: relative; display: block; min-height: 0; padding: 0; border: 0 }
.tiles img { display: block; width: 100%; height: auto; aspect-ratio: 1; border-radius: 8px }
.tiles li span { display: -webkit-box; height: 2.5rem; margin: .375rem 2.75rem 0 0; overflow: hidden; font-size: .875rem;
  line-height: 1.25rem; color: var(--ink); overflow-wrap: anywhere; -webkit-box-orient: vertical; -webkit-line-clamp: 2 }
.tiles .play { position: absolute; left: 50%; top: calc(50% - 1.4375rem); width: 3rem; height: 3rem; margin: -1.5rem }
.tiles .save { position: absolute; right: -.75rem; bottom: .5rem }
.view img { display: block; width: 100%; height: 70vh; object-fit: contain; border-radius: 0; background: none }
.steps { display: flex; flex-wrap: wrap; gap: .75rem } .steps .main { margin-left: auto } .off { opacity: .5; color: inherit }
@media (max-width: 30rem) { .steps .button { flex: 1; text-align: center; white-space: nowrap } }
.quiet { color: var(--quiet); font-size: .875rem }
.note { max-width: 46rem; white-space: pre-line; overflow-wrap: anywhere }
.bad { color: var(--bad) }
progress { display: block; width: 8rem; accent-color: var(--main) }
#sending li { flex-wrap: wrap; gap: 0 1rem } #sending li > span:first-child { flex-basis: 12rem }
#sending .bad { flex-basis: 100%; overflow-wrap: anywhere }
form { display: flex; flex-wrap: wrap; gap: .75rem; margin: 1.5rem 0; align-items: end; max-width: 46rem }
label { flex: 1 1 14rem; min-width: 0 } input { display: block; width: 100%; margin-top: .25rem }
input, button, .button { min-height: 2.75rem; padding: .5rem 1rem; font: inherit; border: 1px solid var(--line);
  border-radius: 8px; background: var(--panel); color: inherit }
input { border-color: var(--edge); background: none } input:focus-visible { outline-offset: -1px }
.button { display: inline-block; text-decoration: none; color: var(--link) }
[type=file] { height: 2.75rem; padding: .3125rem } label:has([type=file]) { flex-basis: 20rem }
::file-selector-button { margin-right: .75rem; padding: .25rem .75rem; font: inherit; border: 1px solid var(--line);
  border-radius: 6px; background: none; color: inherit }
@media (max-width: 30rem) { form button { flex: 1 1 100% } }
button { cursor: pointer } .main { border-color: transparent; background: var(--main); color: var(--on-main); font-weight: 500 }
`

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
  title: string
  /** Elements of the head, such as those that chats read for a preview. */
  head?: Markup
  body: Markup
}

/** Renders a page of its own, beside the dashboard. */
export const pageOf = ({ title, head, body }: Page): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
${head}
<style>${{ markup: STYLE }}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`.markup

/** Returns the policy of a page, and of one script in it that talks to this server. */
const policyOf = (script: string | undefined): string =>
  script === undefined ? PAGE_POLICY : `${PAGE_POLICY}; script-src '${hashOf(script)}'; connect-src 'self'`

/**
 * Builds the response with a page. Nothing caches it, because access to what it shows may end.
 *
 * @param script Text of the script in the page; without it, none runs.
 */
export const sendPage = (status: number, page: string, script?: string) =>
  new Response(page, {
    status,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': policyOf(script),
      'Cache-Control': 'private, no-store',
      'X-Robots-Tag': 'noindex',
    },
  })

/** Adds headers to a response. */
export function withHeaders(response: Response, headers: Record<string, string> = {}): Response {
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value)
  return response
}

const FAILURES: Record<number, { title: string; advice: string }> = {
  429: {
    title: 'Too many requests',
    advice: 'Many requests come from your network now. Wait a minute, then load this page again.',
  },
  503: {
    title: 'Not available right now',
    advice: 'The server is busy, or cannot reach its data. Wait a minute, go back and try again.',
  },
}
const ANY_FAILURE = {
  title: 'Something went wrong',
  advice: 'Go back and try again. If it happens again, ask the sender of the link.',
}

/** Replaces a failure envelope by a page with its status and headers; returns any other response as it is. */
export function failureAsPage(response: Response): Response {
  const { status, headers } = response
  if (!headers.get('content-type')?.startsWith('application/json')) return response
  const { title, advice } = FAILURES[status] ?? ANY_FAILURE
  const page = sendPage(
    status,
    pageOf({
      title,
      body: html`<h1>${title}</h1>
<p>${advice}</p>`,
    }),
  )
  for (const [name, value] of headers) if (!page.headers.has(name)) page.headers.set(name, value)
  page.headers.delete('content-length')
  return page
}

/** Returns true for a browser that opens an address; programs ask for no HTML. */
export const wantsPage = ({ headers }: Request): boolean =>
  headers.get('accept')?.toLowerCase().includes('text/html') ?? false

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
