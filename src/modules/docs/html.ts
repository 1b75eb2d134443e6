/** HTML that needs no escaping any more. */
export interface Markup {
  readonly markup: string
}

type Content = Markup | string | number | undefined | readonly Content[]

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

const escapeHtml = (text: string) => text.replace(/[&<>"]/g, (character) => ESCAPES[character] ?? character)

/** A template whose values are escaped unless they are markup; `undefined` is nothing, a list its items. */
export function html(texts: TemplateStringsArray, ...values: readonly Content[]): Markup {
  return { markup: String.raw({ raw: texts }, ...values.map(render)) }
}

function render(content: Content): string {
  if (content === undefined) return ''
  if (typeof content === 'string' || typeof content === 'number') return escapeHtml(String(content))
  return 'markup' in content ? content.markup : content.map(render).join('')
}

/** Paragraphs, with code between backticks: as much of CommonMark as our descriptions use. */
export const prose = (text: string): Markup[] =>
  text.split('\n\n').map((paragraph) => html`<p>${words(paragraph)}</p>`)

/** A line of such a text. */
export const words = (text: string): Content[] =>
  text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))
