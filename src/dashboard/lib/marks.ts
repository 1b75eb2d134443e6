/** Characters that show nothing, break lines or turn the text behind them around. Joiners are left: emoji need them. */
const HIDDEN = /[\p{Cc}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff]/gu

/** Shows hidden characters as marks such as `[U+202E]`, so that no name reads as another. */
export const withMarks = (text: string): string =>
  text.replace(
    HIDDEN,
    (character) => `[U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}]`,
  )
