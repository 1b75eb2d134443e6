/** Marks that belong to no script, such as accents: they combine with letters of any. */
const MARKS = /\p{Script=Inherited}/gu
/** Letters in lower case that Unicode does not decompose, with the letters that people type instead. */
const LETTERS: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ħ: 'h',
  ı: 'i',
  ł: 'l',
  ŧ: 't',
  ς: 'σ',
}
const UNDECOMPOSED = new RegExp(`[${Object.keys(LETTERS).join('')}]`, 'g')
const IS_ASCII = /^[\0-\x7f]*$/

/** Folds text for comparisons that ignore case, accents and the forms of a letter. */
export function fold(text: string): string {
  if (IS_ASCII.test(text)) return text.toLowerCase()
  return text
    .normalize('NFKD')
    .replace(MARKS, '')
    .toLowerCase()
    .replace(UNDECOMPOSED, (letter) => LETTERS[letter] ?? letter)
}

/** Returns true when a name contains a text, whatever their case, accents and forms of letters. */
export const matches = (name: string, text: string): boolean => fold(name).includes(fold(text))

/** Places of a text within a name, the best first. */
export const RANK = { exact: 0, prefix: 1, word: 2, inside: 3 } as const
export type Rank = (typeof RANK)[keyof typeof RANK]

/** Returns the place of a text within a name, both folded; `undefined` when it is not there. */
export function rankOf(name: string, text: string): Rank | undefined {
  if (name === text) return RANK.exact
  if (name.startsWith(text)) return RANK.prefix
  const at = indexOfWord(name, text)
  if (at === -1) return undefined
  return isWordStart(name, at) ? RANK.word : RANK.inside
}

/** Returns the first index of a text at the start of a word, else its first index, else -1. */
function indexOfWord(name: string, text: string): number {
  const first = name.indexOf(text)
  for (let at = first; at !== -1; at = name.indexOf(text, at + 1)) if (isWordStart(name, at)) return at
  return first
}

const isWordStart = (name: string, at: number) =>
  at === 0 || isSign(name.charAt(at - 1)) || isSign(name.charAt(at))

/** Letters and digits continue a word, and so does every character beyond ASCII. */
const isSign = (character: string) => /[^a-z0-9\x80-\uffff]/.test(character)

/** Returns true when a folded text is at the start of a word wherever it is, because it begins with a sign. */
export const breaksWords = (text: string): boolean => isSign(text.charAt(0))

/**
 * Returns the offsets in UTF-16 of the start and end of the part of a name that folds to `text`; `undefined` when there
 * is none. One at the start of a word wins.
 */
export function findFolded(name: string, text: string): [start: number, end: number] | undefined {
  const first = indexOfWord([...name].map(fold).join(''), text)
  if (first === -1) return undefined
  const last = first + text.length
  let [start, end, offset, position] = [0, 0, 0, 0]
  for (const point of name) {
    const { length } = fold(point)
    if (offset <= first) start = position
    position += point.length
    // A mark has no length: it belongs to the letter before it.
    if (offset < last || (length === 0 && offset === last)) end = position
    offset += length
  }
  return [start, end]
}
