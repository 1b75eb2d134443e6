/** Part of a page of the documentation that a search can find. */
export type Entry = [
  /** URL path with the anchor of its heading or row. */
  path: string,
  /** Name of its page. */
  page: string,
  /** Heading; empty for the beginning of a page. */
  heading: string,
  text: string,
]

/** Parts of a text: every second one is a match. */
export type Marked = string[]

export interface Found {
  entry: Entry
  /** Part of the text around the first match. */
  excerpt: Marked
}

/** Characters of an excerpt before its first match, and in total. */
const BEFORE = 40
const LENGTH = 150

const folded = (text: string) => text.toLowerCase()

/** Returns an entry's rank for words: lower is better. */
function rankOf([, page, heading, text]: Entry, words: readonly string[]): number {
  const [name, title] = [folded(heading), folded(page)]
  const query = words.join(' ')
  if (name === query) return 0
  if (name === '' && title === query) return 1
  if (words.every((word) => name.includes(word))) return name.startsWith(query) ? 2 : 3
  if (words.every((word) => `${title} ${name}`.includes(word))) return 4
  return folded(text).includes(query) ? 5 : 6
}

/** Finds entries with all words of a query, those with the words in their headings first. */
export function findEntries(entries: readonly Entry[], query: string, limit: number): Found[] {
  const words = folded(query)
    .split(/\s+/)
    .filter((word) => word !== '')
  if (words.length === 0) return []
  return entries
    .filter((entry) => words.every((word) => folded(entry.slice(1).join(' ')).includes(word)))
    .map((entry) => ({ entry, rank: rankOf(entry, words) }))
    .sort((a, b) => a.rank - b.rank)
    .slice(0, limit)
    .map(({ entry }) => ({ entry, excerpt: excerptOf(entry[3], words) }))
}

function excerptOf(text: string, words: readonly string[]): Marked {
  const places = words.map((word) => folded(text).indexOf(word)).filter((place) => place >= 0)
  const first = Math.max(0, Math.min(...places, text.length) - BEFORE)
  const begin = places.length === 0 || first === 0 ? 0 : text.indexOf(' ', first) + 1
  const rest = text.slice(begin)
  const part = rest.length > LENGTH ? rest.slice(0, rest.lastIndexOf(' ', LENGTH)) : rest
  const whole = `${begin > 0 ? '… ' : ''}${part}${part === rest ? '' : ' …'}`
  return whole.split(new RegExp(`(${words.map((word) => RegExp.escape(word)).join('|')})`, 'gi'))
}
