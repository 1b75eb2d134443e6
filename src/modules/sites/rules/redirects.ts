import {
  BadLine,
  decoded,
  isLike,
  isPrintable,
  type LineProblem,
  type Pattern,
  readLines,
  readPattern,
} from './lines.ts'

const MAX_RULES = 2000
/** Maximum length of a line in characters. */
const MAX_LINE = 1000
/** Maximum length of an address that placeholders are put into, in characters. */
const MAX_ADDRESS = 8192

const REDIRECTS = [301, 302, 303, 307, 308] as const
type RedirectStatus = (typeof REDIRECTS)[number]
/** Stands in for the host of the site, where an address that has one leads elsewhere. */
const HERE = 'http://here.invalid'

/** Address of a rule, as a browser reads it, with its placeholders. */
interface Target {
  /** Scheme and host; empty for a path on the site. */
  origin: string
  path: string
  search: string
  hash: string
}

/** Rule for a path. */
interface Rule {
  at: number
  pattern: Pattern
  target: Target
  status: RedirectStatus | 200 | 404
  /** True when it comes before the files. */
  isForced: boolean
}

/** Path of a request. */
interface Path {
  names: readonly string[]
  /** True for one with a slash at its end. */
  isFolder: boolean
}

/** Effect of a rule on a request. */
export type Effect = { isForced: boolean } & (
  | { status: RedirectStatus; to: string }
  /** Page of the site that is shown at the path. */
  | { status: 200 | 404; page: string }
)

/** Rules of a file `_redirects`. */
export class RedirectRules {
  readonly problems: LineProblem[]
  /** Rules without placeholders, by path. */
  readonly #exact = new Map<string, Rule>()
  readonly #patterns: Rule[] = []

  constructor(text: string) {
    let count = 0
    this.problems = readLines(text, (line) => {
      if (count >= MAX_RULES) throw new BadLine(`A file has at most ${MAX_RULES} rules`)
      const rule = { at: count, ...readRule(line) }
      count += 1
      const { parts, hasRest } = rule.pattern
      const names = parts.filter((part) => typeof part === 'string')
      if (hasRest || names.length < parts.length) this.#patterns.push(rule)
      else this.#exact.getOrInsert(names.join('/'), rule)
    })
  }

  /** Returns the effect of the first rule for a path. */
  effectOn(path: Path, query: string): Effect | undefined {
    const exact = this.#exact.get(path.names.join('/'))
    const like = this.#patterns.find(({ pattern }) => isLike(pattern, path.names))
    const rule = exact && (!like || exact.at < like.at) ? exact : like
    return rule && effectOf(rule, path, query)
  }
}

function readRule(line: string): Omit<Rule, 'at'> {
  if (line.length > MAX_LINE) throw new BadLine(`A line has at most ${MAX_LINE} characters`)
  if (/\p{Cc}/u.test(line.replaceAll('\t', ' '))) throw new BadLine('A line has no control characters')
  const words = line.split(/[ \t]+/).filter((word) => word !== '')
  const comment = words.findIndex((word) => word.startsWith('#'))
  const [from = '', to, status = '301', ...others] = comment === -1 ? words : words.slice(0, comment)
  const pattern = readPattern(from)
  if (to === undefined) throw new BadLine('A rule is "from to", and a status')
  const target = readTarget(to)
  if (others.length > 0 || status.includes('=')) throw new BadLine('Conditions are not supported')
  const isForced = status.endsWith('!')
  const code = isForced ? status.slice(0, -1) : status
  const known = [...REDIRECTS, 200 as const, 404 as const].find((number) => String(number) === code)
  if (known === undefined) throw new BadLine(`The status cannot be "${status}"`)
  if ((known === 200 || known === 404) && target.origin !== '')
    throw new BadLine(`A page that is shown with ${known} is one of this site`)
  return { pattern, target, status: known, isForced }
}

/** Reads an address as a browser does, so that what looks like a path and has a host is found. @throws {BadLine} */
function readTarget(text: string): Target {
  const isPath = text.startsWith('/')
  if (!isPath && !text.startsWith('https://') && !text.startsWith('http://'))
    throw new BadLine(
      'The address begins with "/", "https://" or "http://"; query patterns are not supported',
    )
  const url = text.includes('\\') ? null : URL.parse(text, HERE)
  if (!url || (isPath && url.origin !== HERE) || url.username !== '' || url.password !== '')
    throw new BadLine(`"${text}" is no address`)
  const { origin, pathname, search, hash } = url
  if (isPath) for (const name of namesOf(pathname)) decoded(name)
  return { origin: isPath ? '' : origin, path: pathname, search, hash }
}

function effectOf(
  { pattern, target, status, isForced }: Rule,
  path: Path,
  query: string,
): Effect | undefined {
  const values = valuesOf(pattern, path)
  const filled = fill(target.path, values)
  const address = target.origin === '' ? encodedAgain(filled) : `${target.origin}${filled}`
  if (status === 200 || status === 404) return { isForced, status, page: address }
  const search = target.search === '' ? query : fill(target.search, values)
  const to = `${address}${search}${fill(target.hash, values)}`
  const own = `/${[...path.names.map(encodeURIComponent), ...(path.isFolder ? [''] : [])].join('/')}${query}`
  // One that leads to itself would never end.
  return to.length > MAX_ADDRESS || to === own || !isPrintable(to) ? undefined : { isForced, status, to }
}

/** Returns the encoded values of the placeholders. */
function valuesOf({ parts, hasRest }: Pattern, { names, isFolder }: Path): Map<string, string> {
  const encoded = names.map(encodeURIComponent)
  const values = new Map<string, string>()
  for (const [at, part] of parts.entries())
    if (typeof part !== 'string') values.set(part.placeholder, encoded[at] ?? '')
  const rest = encoded.slice(parts.length)
  if (hasRest) values.set('splat', rest.length > 0 && isFolder ? `${rest.join('/')}/` : rest.join('/'))
  return values
}

/** Puts values into a text. A colon with any other word stays as it is. */
const fill = (text: string, values: ReadonlyMap<string, string>): string =>
  text.includes(':') ? text.replaceAll(/:([a-z]\w*)/gi, (whole, name) => values.get(name) ?? whole) : text

const namesOf = (path: string) => path.split('/').filter((name) => name !== '')

/** Returns a path that begins with one slash, so that no value in it becomes a host. */
function encodedAgain(path: string): string {
  const names = namesOf(path).map((name) => encodeURIComponent(decodeURIComponent(name)))
  return names.length > 0 && path.endsWith('/') ? `/${names.join('/')}/` : `/${names.join('/')}`
}
