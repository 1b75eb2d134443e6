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
