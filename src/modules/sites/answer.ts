import { isRuleFile, isTooLong, nameProblem } from '../../platform/names.ts'
import type { FileAccess, SiteRow, Steps, Work } from '../../store/rows.ts'
import type { Effect, RedirectRules } from './rules/redirects.ts'

/** Public file of a site, with its key. */
export interface FoundFile {
  key: string
  file: FileAccess
}

/** Finds the public file at a path, by its names from the folder of the site. */
export type Lookup = (names: readonly string[]) => Steps<FoundFile | undefined>

/** Address on a site that a request asks for. */
export interface Asked {
  /** Path as sent, which begins with a slash. */
  path: string
  /** Query as sent, with its question mark; empty for none. */
  query: string
  /** True for a browser that wants to show a page. */
  wantsPage: boolean
  /** Rules of the site for redirects and other pages. */
  redirects?: RedirectRules | undefined
}

/** Answer of a site at an address. `isByAccept` is true where one to another `Accept` may be another. */
export type Answer = { isByAccept?: boolean } & Result

type Result =
  /** File, and what decides that it is this one: it is there; others are not; or the request besides. */
  | ({ kind: 'file'; status: 200 | 404; decidedBy: 'file' | 'files' | 'request' } & FoundFile)
  | { kind: 'redirect'; status: 301 | 302 | 303 | 307 | 308; to: string }
  | { kind: 'none' }

/** Path of a request, decoded. */
export interface Path {
  names: string[]
  /** True for one with a slash at its end. */
  isFolder: boolean
}

/** Folders in which a page of 404 is looked for. */
const MAX_DEPTH = 32
const NONE: Answer = { kind: 'none' }

/** Returns true for a file that a site shows: a public one, or any to visitors that know its password. */
export const isShownAt = (
  { passwordHash }: Pick<SiteRow, 'passwordHash'>,
  { visibility }: Pick<FileAccess, 'visibility'>,
): boolean => visibility === 'public' || passwordHash !== null

/** Finds the answer of a site: the file at the path, a redirect to it, what a rule says, the start page of an app, or its page of 404. */
export function* answerAt(site: Pick<SiteRow, 'spa'>, asked: Asked, lookup: Lookup): Work<Answer> {
  const path = pathOf(asked.path)
  if (!path) return yield* notFound([], lookup)
  const { names, isFolder } = path
  const effect = asked.redirects?.effectOn(path, asked.query)
  const forced = effect?.isForced ? yield* ruled(effect, lookup) : undefined
  if (forced) return forced
  const direct = isFolder
    ? yield* pageOfFolder(names, asked, lookup)
    : yield* fileOrPage(names, asked, lookup)
  const found = direct ?? (effect && (yield* ruled(effect, lookup)))
  if (found) return found
  const mayBePage = !asked.path.slice(asked.path.lastIndexOf('/')).includes('.')
  const app = mayBePage
    ? ((yield* lookup(['200.html'])) ?? (site.spa ? yield* lookup(['index.html']) : undefined))
    : undefined
  const isByAccept = app !== undefined
  if (app && asked.wantsPage) return { kind: 'file', status: 200, decidedBy: 'request', isByAccept, ...app }
  return { ...(yield* notFound(isFolder ? names : names.slice(0, -1), lookup)), isByAccept }
}

/** Finds the answer at a path without a slash at its end. */
function* fileOrPage(names: readonly string[], { query }: Asked, lookup: Lookup): Work<Answer | undefined> {
  const file = yield* lookup(names)
  if (file) return { kind: 'file', status: 200, decidedBy: 'file', ...file }
  const page = yield* lookup(withEnding(names))
  if (page) return { kind: 'file', status: 200, decidedBy: 'files', ...page }
  const isFolder = (yield* lookup([...names, 'index.html'])) !== undefined
  return isFolder ? { kind: 'redirect', status: 301, to: `${encoded(names)}/${query}` } : undefined
}

/** Finds the answer at a path with a slash at its end. */
function* pageOfFolder(names: readonly string[], { query }: Asked, lookup: Lookup): Work<Answer | undefined> {
  const page = yield* lookup([...names, 'index.html'])
  if (page) return { kind: 'file', status: 200, decidedBy: 'file', ...page }
  // With the slash, relative links of the page would lead elsewhere.
  const isPage = names.length > 0 && (yield* lookup(withEnding(names))) !== undefined
  return isPage ? { kind: 'redirect', status: 301, to: `${encoded(names)}${query}` } : undefined
}

/** Finds the answer that a rule has; `undefined` for a page that is not there. */
function* ruled(effect: Effect, lookup: Lookup): Work<Answer | undefined> {
  if ('to' in effect) return { kind: 'redirect', status: effect.status, to: effect.to }
  const path = pathOf(effect.page)
  if (!path) return undefined
  const { names, isFolder } = path
  const page =
    (isFolder ? undefined : yield* lookup(names)) ??
    (names.length > 0 ? yield* lookup(withEnding(names)) : undefined) ??
    (yield* lookup([...names, 'index.html']))
  return page && { kind: 'file', status: effect.status, decidedBy: 'files', ...page }
}

/** Finds the page of 404 of the nearest folder that has one. */
function* notFound(folder: readonly string[], lookup: Lookup): Work<Answer> {
  for (let depth = Math.min(folder.length, MAX_DEPTH); depth >= 0; depth -= 1) {
    const page = yield* lookup([...folder.slice(0, depth), '404.html'])
    if (page) return { kind: 'file', status: 404, decidedBy: 'request', ...page }
  }
  return NONE
}

const withEnding = (names: readonly string[]) => [...names.slice(0, -1), `${names.at(-1)}.html`]

/** Returns a path for `Location`. It has no empty name, so it never begins with two slashes. */
const encoded = (names: readonly string[]) => `/${names.map(encodeURIComponent).join('/')}`

/**
 * Decodes a path once. Returns `undefined` for one that no file can have, and for one of a hidden file: a name that begins with
 * a dot, except `.well-known`, and the files with the rules of the site.
 */
export function pathOf(path: string): Path | undefined {
  const names = path.slice(1).split('/')
  const isFolder = names.at(-1) === ''
  if (isFolder) names.pop()
  const decoded = decodeAll(names)
  if (!decoded || isTooLong(decoded.join('/')) || decoded.some((name) => nameProblem(name) !== undefined))
    return undefined
  const isHidden = decoded.some((name, at) => name.startsWith('.') && !(at === 0 && name === '.well-known'))
  if (isHidden || (decoded.length === 1 && isRuleFile(decoded[0] ?? ''))) return undefined
  return { names: decoded, isFolder }
}

function decodeAll(names: readonly string[]): string[] | undefined {
  try {
    return names.map(decodeURIComponent)
  } catch {
    return undefined
  }
}
