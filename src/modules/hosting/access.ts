import { type Caller, scopeProblem } from '../../access/caller.ts'
import type { Context } from '../../access/context.ts'
import { lacksFactor } from '../../access/factors.ts'
import { within } from '../../access/reach.ts'
import { verifyLink } from '../../access/signature.ts'
import { isAtOrBelow, parseExactKey } from '../../platform/names.ts'
import { done, type FileAccess, type Steps } from '../../store/rows.ts'
import type { Door } from '../../store/store.ts'

/** Request for a hosted file, and the file that it names, if there is one. */
export interface HostedTarget {
  /** Encoded key and query as they stand in the URL. */
  address: string
  key: string
  query: URLSearchParams
  file: FileAccess | undefined
  /** Version of the response cache before `file` was looked up. */
  version: number
}

/** Reason for which a request may read a file: anyone may, its signed link opens it, or its credentials do. */
export type Grant = 'public' | 'link' | 'member'

/** Grants that depend on the URL alone. A response for a `member` depends on credentials, so no cache may have it. */
export type CacheableGrant = Exclude<Grant, 'member'>

/** Stands in for a file that does not exist, so that a request for one costs as much as for a private one. */
const NO_FILE = { id: '00000000-0000-7000-8000-000000000000', visibility: 'private' as const }

/**
 * Looks up the file that the part of a request target behind the hosting prefix names. A database in this process is
 * asked within the call, because the file at a key on disk must be opened in the turn in which its row was read.
 */
export function resolve(
  { store, responseCache }: { store: Door; responseCache: { readonly version: number } },
  address: string,
): HostedTarget | Promise<HostedTarget> {
  const queryAt = address.indexOf('?')
  const key = withoutDots(decodeKey(queryAt === -1 ? address : address.slice(0, queryAt)))
  const query = new URLSearchParams(queryAt === -1 ? '' : address.slice(queryAt))
  const { version } = responseCache
  if (!store.isShared) return { address, key, query, file: store.now(findHosted(store, key)), version }
  return store.read(() => findHosted(store, key)).then((file) => ({ address, key, query, file, version }))
}

/**
 * Returns what decides the access to the file at exactly this key. It is the only read of the file's row, and takes
 * as long for a missing file.
 */
export function findHosted({ accessAt }: Pick<Door, 'accessAt'>, key: string): Steps<FileAccess | undefined> {
  const segments = parseExactKey(key)
  const name = segments?.pop()
  return segments === undefined || name === undefined ? done(undefined) : accessAt(segments, name)
}

/** Decodes exactly once; what cannot be decoded is the empty key, which no file has. */
function decodeKey(encoded: string): string {
  try {
    return decodeURIComponent(encoded)
  } catch {
    return ''
  }
}

/**
 * Drops the segments of a path that lead nowhere: `.` (RFC 3986 §5.2.4) and empty ones. Clients that join texts send them,
 * such as apt and yum. One at the end stays, because it names a folder.
 */
function withoutDots(path: string): string {
  if (!/(^|\/)\.?\//.test(path)) return path
  const segments = path.split('/')
  return segments
    .filter((segment, at) => at === segments.length - 1 || (segment !== '' && segment !== '.'))
    .join('/')
}

/** File that a request may read, and the reason for that. */
export interface Granted<Reason extends Grant> {
  grant: Reason
  file: FileAccess
}

/**
 * Authorizes a request for hosted bytes; no other function does. A private file and a missing one cost the
 * same work.
 *
 * @param caller `undefined` for a visitor.
 */
export function authorize(
  deps: Context,
  target: HostedTarget,
  caller: undefined,
): Granted<CacheableGrant> | 'denied'
export function authorize(
  deps: Context,
  target: HostedTarget,
  caller: Reader | undefined,
): Granted<Grant> | 'denied'
export function authorize(
  deps: Context,
  target: HostedTarget,
  caller: Reader | undefined,
): Granted<Grant> | 'denied' {
  const { file } = target
  const { id, visibility } = file ?? NO_FILE
  if (visibility === 'public' && file) return { grant: 'public', file }
  const grant = hasLink(deps, id, target)
    ? 'link'
    : caller && reads(caller, target.key)
      ? 'member'
      : undefined
  return file && grant ? { grant, file } : 'denied'
}

function hasLink({ secrets, clock }: Context, fileId: string, { key, query }: HostedTarget): boolean {
  const [expires, signature] = [query.get('exp'), query.get('sig')]
  if (expires === null || signature === null) return false
  return verifyLink(secrets.link, { fileId, key, expires }, { signature, now: clock.now() })
}

/** Caller that may read files, with the keys of the topmost folders that it reaches. */
export interface Reader {
  folders: readonly string[]
}

/** Returns a caller as a reader; `undefined` for one that may not read files. */
export async function readerOf(deps: Context, caller: Caller | undefined): Promise<Reader | undefined> {
  if (!caller || lacksFactor(caller, deps.store) || scopeProblem(caller, 'files:read') !== undefined)
    return undefined
  if (caller.reach.isEverything) return { folders: [''] }
  return { folders: (await within(deps, caller).store.entries()).map(({ key }) => key) }
}

const reads = ({ folders }: Reader, key: string) => folders.some((folder) => isAtOrBelow(key, folder))
