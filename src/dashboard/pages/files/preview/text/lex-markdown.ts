import { Lexer, type Token, type TokensList } from 'marked'

/** Maximum characters of a paragraph whose marks are read. The time for them grows with its square. */
const MAX_PARAGRAPH = 8 * 1024
/** Maximum depth of quotes, lists and marks in each other, far below the end of the call stack. */
const MAX_DEPTH = 64

class BoundedLexer extends Lexer {
  #depth = 0

  override blockTokens(text: string, tokens?: Token[], isClipped?: boolean): Token[]
  override blockTokens(text: string, tokens?: TokensList, isClipped?: boolean): TokensList
  override blockTokens(text: string, tokens?: TokensList, isClipped?: boolean) {
    return this.#nest(() => super.blockTokens(text, tokens, isClipped))
  }

  override inlineTokens(text: string, tokens: Token[] = []): Token[] {
    if (text.length <= MAX_PARAGRAPH) return this.#nest(() => super.inlineTokens(text, tokens))
    tokens.push({ type: 'text', raw: text, text, escaped: false })
    return tokens
  }

  #nest<Result>(read: () => Result): Result {
    if (this.#depth >= MAX_DEPTH) throw new RangeError('Markdown is nested too deeply')
    this.#depth += 1
    try {
      return read()
    } finally {
      this.#depth -= 1
    }
  }
}

/** Reads Markdown in bounded time, hostile Markdown too. @throws {RangeError} if it is nested too deeply */
export const lexMarkdown = (text: string): Token[] => new BoundedLexer().lex(text)

/** Ends of the elements whose content is no text. */
const ENDS = { script: /<\/script\s*>/gi, style: /<\/style\s*>/gi }
const WITHOUT_TEXT = /(script|style)\b/iy

/** Removes tags, comments, scripts and styles in one pass. A comment or script without an end reaches to the last. */
export function withoutTags(html: string): string {
  const texts: string[] = []
  let at = 0
  for (;;) {
    const start = html.indexOf('<', at)
    if (start === -1) return texts.join('') + html.slice(at)
    texts.push(html.slice(at, start))
    const end = endOfTag(html, start)
    if (end === undefined) return texts.join('') + html.slice(start)
    at = end
  }
}

/** Returns the index after what begins at a `<`; undefined if that is text. */
function endOfTag(html: string, start: number): number | undefined {
  if (html.startsWith('<!--', start)) return after(html.indexOf('-->', start), 3) ?? html.length
  WITHOUT_TEXT.lastIndex = start + 1
  const name = WITHOUT_TEXT.exec(html)?.[1]?.toLowerCase()
  if (name !== 'script' && name !== 'style') return after(html.indexOf('>', start), 1)
  const end = ENDS[name]
  end.lastIndex = start
  return end.test(html) ? end.lastIndex : html.length
}

const after = (index: number, length: number) => (index === -1 ? undefined : index + length)
