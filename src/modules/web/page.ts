import { createHash } from 'node:crypto'
import { Refusal } from '../../platform/errors.ts'
import { html, type Markup } from '../docs/html.ts'

const STYLE = `
:root { color-scheme: light dark; --quiet: light-dark(#59626c, #98a2ad); --line: light-dark(#dfe3e8, #31373e);
  --link: light-dark(#0b5cad, #7db7f2); --panel: light-dark(#f6f7f9, #1c2026); --bad: light-dark(#b3261e, #ff9b91) }
* { box-sizing: border-box }
body { margin: 0 auto; max-width: 46rem; padding: 2rem 1rem 4rem; font: 1rem/1.5 system-ui, sans-serif;
  background: light-dark(#fff, #15181c); color: light-dark(#1f2328, #d7dce2) }
h1 { margin: 0 0 .5rem; font-size: 1.5rem; overflow-wrap: anywhere } h2 { margin: 2rem 0 0; font-size: 1.125rem }
a { color: var(--link) } :focus-visible { outline: 2px solid var(--link); outline-offset: 2px }
ul { list-style: none; margin: 1rem 0; padding: 0; border-top: 1px solid var(--line) }
li { display: flex; gap: 1rem; align-items: center; min-height: 3rem; border-bottom: 1px solid var(--line) }
li > a:first-of-type, li > span:first-child:not(.icon) { flex: 1; overflow-wrap: anywhere; padding: .5rem 0 }
li img, .icon { width: 4rem; height: 4rem; flex: none; object-fit: cover; border-radius: 4px; background: var(--panel) }
.icon { height: 0 }
.quiet { color: var(--quiet); font-size: .875rem; white-space: nowrap }
.note { white-space: pre-line; overflow-wrap: anywhere }
.bad { color: var(--bad) }
progress { width: 8rem }
form { display: flex; flex-wrap: wrap; gap: .75rem; margin: 1.5rem 0; align-items: end }
label { flex: 1 1 14rem } input { display: block; width: 100%; margin-top: .25rem }
input, button, .button { min-height: 2.75rem; padding: .5rem 1rem; font: inherit; border: 1px solid var(--line);
  border-radius: 6px; background: var(--panel); color: inherit }
.button { display: inline-block; text-decoration: none; color: var(--link) }
`

/** Returns the source of a policy for text in the page (CSP Level 3 §2.3.1). */
function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`
}

/** Content security policy of such pages: its style, its forms and pictures of this server, and nothing else. */
const PAGE_POLICY = [
  "default-src 'none'",
  `style-src '${hashOf(STYLE)}'`,
  "img-src 'self'",
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
    const shown = error instanceof Refusal && wantsPage(request) ? pageFor(error) : undefined
    if (!shown) throw error
    return sendPage(shown.status, shown.page)
  }
}
