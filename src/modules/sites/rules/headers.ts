import {
  BadLine,
  isLike,
  isPrintable,
  type LineProblem,
  type Pattern,
  readLines,
  readPattern,
} from './lines.ts'

/** Maximum patterns of one file. */
const MAX_RULES = 100

/** Headers that describe the message or the connection, that are for the whole host, or that a site must not have. */
const REFUSED = new Set([
  ...['set-cookie', 'content-length', 'content-encoding', 'content-range', 'transfer-encoding', 'connection'],
  ...['upgrade', 'trailer', 'date', 'etag', 'last-modified', 'accept-ranges', 'location'],
  ...['strict-transport-security', 'basic-auth', 'keep-alive', 'proxy-connection', 'te'],
  ...['alt-svc', 'clear-site-data', 'set-cookie2'],
])
/**
 * Matches orders to a proxy in front: nginx and others send the file, or the internal address, that these name. Caches keep
 * what others allow, also of a site with a password.
 */
const FOR_PROXY =
  /^x-(?:accel-|sendfile|lighttpd-|litespeed-|reproxy-)|cdn-cache-control$|^(?:surrogate-control|edge-control)$/
/** Headers of ours that no rule takes away. */
const NEEDED = new Set(['content-type', 'vary'])
/** Headers of a page that belong to the file, not to the path, where that page is one of 404. */
const OF_FILE = new Set(['cache-control', 'content-type'])

/** Matches the name of a header (RFC 9110 §5.6.2). */
const TOKEN = /^[!#$%&'*+.^_`|~\w-]+$/

interface Rule {
  /** Host for which it is; `undefined` for every host of the site. */
  host: string | undefined
  pattern: Pattern
  /** Names in lower case; a header without a value is taken away. */
  headers: { name: string; value: string | undefined }[]
}

/** Response whose headers rules change. */
interface Subject {
  host: string
  /** Names of the path. */
  names: readonly string[]
  isMissing: boolean
}

/** Rules of a file `_headers`. */
export class HeaderRules {
  readonly problems: LineProblem[]
  readonly #rules: Rule[] = []

  /** @param isOwnHost Returns true for a host of the site. */
  constructor(text: string, isOwnHost: (host: string) => boolean) {
    let rule: Rule | undefined
    let isAfterPattern = false
    this.problems = readLines(text, (line) => {
      if (line.startsWith(' ') || line.startsWith('\t')) {
        if (!isAfterPattern) throw new BadLine('A header stands below a path')
        const header = readHeader(line.trim())
        rule?.headers.push(header)
        return
      }
      rule = undefined
      isAfterPattern = true
      if (this.#rules.length >= MAX_RULES) throw new BadLine(`A file has at most ${MAX_RULES} paths`)
      rule = { ...readPlace(line.trim(), isOwnHost), headers: [] }
      this.#rules.push(rule)
    })
  }

  /** Returns the headers of a response, by names in lower case: ours, changed by all rules of its path in turn. */
  apply(ours: Record<string, string>, { host, names, isMissing }: Subject): Record<string, string> {
    const headers = new Map(Object.entries(ours))
    const joined = new Set<string>()
    for (const rule of this.#rules) {
      if ((rule.host !== undefined && rule.host !== host) || !isLike(rule.pattern, names)) continue
      for (const { name, value } of rule.headers) {
        if (isMissing && OF_FILE.has(name)) continue
        if (value === undefined) headers.delete(name)
        else
          headers.set(name, joined.has(name) && headers.has(name) ? `${headers.get(name)}, ${value}` : value)
        joined.add(name)
      }
    }
    return Object.fromEntries(headers)
  }
}

function readPlace(text: string, isOwnHost: (host: string) => boolean): Pick<Rule, 'host' | 'pattern'> {
  const scheme = ['https://', 'http://'].find((start) => text.startsWith(start))
  if (scheme === undefined) return { host: undefined, pattern: readPattern(text) }
  const slash = text.indexOf('/', scheme.length)
  const host = text.slice(scheme.length, slash === -1 ? undefined : slash).toLowerCase()
  if (!isOwnHost(host)) throw new BadLine(`"${host}" is no host of this site`)
  return { host, pattern: readPattern(slash === -1 ? '/' : text.slice(slash)) }
}

function readHeader(line: string): Rule['headers'][number] {
  const isRemoved = line.startsWith('! ')
  const colon = line.indexOf(':')
  if (!isRemoved && colon === -1) throw new BadLine('A header is "Name: value" or "! Name"')
  const name = (isRemoved ? line.slice(1) : line.slice(0, colon)).trim().toLowerCase()
  if (!TOKEN.test(name)) throw new BadLine(`${JSON.stringify(name)} cannot be the name of a header`)
  if (REFUSED.has(name) || FOR_PROXY.test(name)) throw new BadLine(`"${name}" cannot be changed by rules`)
  if (isRemoved && NEEDED.has(name)) throw new BadLine(`"${name}" cannot be taken away`)
  if (isRemoved) return { name, value: undefined }
  const value = line.slice(colon + 1).trim()
  if (!isPrintable(value)) throw new BadLine('A value is printable ASCII')
  return { name, value }
}
