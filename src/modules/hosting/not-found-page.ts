import { html } from '../../api/html.ts'
import { pageOf } from '../../api/page.ts'

/**
 * Renders the page for a file that is missing or private. It depends on the address alone, so both are the same page:
 * the end of a link is in its address.
 */
export function notFoundPage({ url }: Request, now: number): string {
  const expires = new URL(url).searchParams.get('exp')
  const isExpired = expires !== null && Number(expires) * 1000 <= now
  return isExpired
    ? pageOf({
        title: 'Link expired',
        body: html`<h1>This link has expired</h1>
<p>Ask the sender for a new link.</p>`,
      })
    : pageOf({
        title: 'Not found',
        body: html`<h1>There is nothing here</h1>
<p>The link may be incomplete, or the file is not here any more. Ask the sender for a new link.</p>`,
      })
}
