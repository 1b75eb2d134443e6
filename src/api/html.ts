/** HTML that is escaped already. */
export interface Markup {
  readonly markup: string
}

type Content = Markup | string | number | undefined | readonly Content[]

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Escapes text for HTML and its attributes in double quotes. */
export const escapeHtml = (text: string) =>
  text.replace(/[&<>"]/g, (character) => ESCAPES[character] ?? character)

/** Escapes text that stands between tags, where a quotation mark is itself. */
export const textOf = (text: string): Markup => ({
  markup: text.replace(/[&<>]/g, (character) => ESCAPES[character] ?? character),
})

/**
 * Builds HTML from a template. Values are escaped unless they are markup; `undefined` is nothing, a list its
 * items.
 */
export function html(texts: TemplateStringsArray, ...values: readonly Content[]): Markup {
  return { markup: String.raw({ raw: texts }, ...values.map(render)) }
}

function render(content: Content): string {
  if (content === undefined) return ''
  if (typeof content === 'string' || typeof content === 'number') return escapeHtml(String(content))
  return 'markup' in content ? content.markup : content.map(render).join('')
}

/** Renders paragraphs, with code between backticks: the part of CommonMark that our descriptions use. */
export const prose = (text: string): Markup[] =>
  text.split('\n\n').map((paragraph) => html`<p>${words(paragraph)}</p>`)

/** Renders a line of such a text. */
export const words = (text: string): Content[] =>
  text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))
