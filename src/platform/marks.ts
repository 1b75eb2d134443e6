/**
 * Characters that are invisible, break lines or reverse the text behind them. The dashboard has the same marks.
 * Joiners are not among them, because emoji need them.
 */
const HIDDEN = /[\p{Cc}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff]/gu

/** Replaces hidden characters by marks such as `[U+202E]`, so that no name looks like another. */
export const withMarks = (text: string): string =>
  text.replace(
    HIDDEN,
    (character) => `[U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}]`,
  )
