import type { TreeContext } from '../../access/context.ts'
import { isRefused, Refusal, refuseConflict, refuseInvalid } from '../../platform/errors.ts'
import { assertName, isTooLong, nameProblem } from '../../platform/names.ts'
import type { FileRow, FolderRow, Work } from '../../store/rows.ts'
import type { Store } from '../../store/store.ts'
import { type Located, refuseRight } from '../../store/tree.ts'
import { findTops } from '../../views/folders.ts'

/** Methods of the protocol, for `Allow`. */
export const ALLOW = 'OPTIONS, GET, HEAD, PUT, DELETE, MKCOL, COPY, MOVE, PROPFIND, PROPPATCH, LOCK, UNLOCK'

/** Path of the root. */
const ROOT = '/dav/'

/** Returns true for the paths of the protocol. */
export const isDavPath = (path: string): boolean => path === '/dav' || path.startsWith(ROOT)

/**
 * Returns the names from the root that a path leads to. A slash at the end says nothing: clients leave it out, or add it.
 *
 * @throws {Refusal} `invalid` for bytes that are not UTF-8.
 */
export function namesOf(path: string): string[] {
  const names = path
    .slice(ROOT.length)
    .split('/')
    .filter((name) => name !== '')
  try {
    return names.map(decodeURIComponent)
  } catch {
    throw refuseInvalid('The path must be percent-encoded UTF-8')
  }
}

/** Returns the path of a resource. */
export const pathOf = (names: readonly string[], kind: Resource['kind']): string =>
  `${ROOT}${names.map(encodeURIComponent).join('/')}${kind === 'folder' && names.length > 0 ? '/' : ''}`

/** @throws {Refusal} `invalid` for names that nothing can have. */
export function assertNames(names: readonly string[]): void {
  for (const name of names) assertName(name, 'Each name of the path')
  if (isTooLong(names.join('/'))) throw refuseInvalid('The path is too long')
}

export interface FileResource {
  kind: 'file'
  row: FileRow
  key: string
}

export interface FolderResource {
  kind: 'folder'
  /** Missing for a place above the folders of a caller, which shows only the way to these. */
  row: FolderRow | undefined
  key: string
  /** Folders of the caller below such a place. */
  below: readonly Located<FolderRow>[]
}

export type Resource = FileResource | FolderResource

type Tree = { store: Pick<Store, 'files' | 'folders' | 'entries'> }

/** Finds what is at a path; `undefined` for nothing, and for what the caller does not reach. */
export function* findResource(deps: Tree, names: readonly string[]): Work<Resource | undefined> {
  const { files, folders } = deps.store
  if (names.some((name) => nameProblem(name) !== undefined)) return undefined
  const key = names.join('/')
  const name = names.at(-1)
  const parent = yield* folders.idAt(names.slice(0, -1))
  const row = name === undefined || parent === undefined ? undefined : yield* files.byName(parent, name)
  if (row) return { kind: 'file', row, key }
  try {
    const { folder, tops } = yield* findTops(deps, { key })
    return { kind: 'folder', row: folder, key, below: folder ? [] : tops }
  } catch (error) {
    if (isRefused(error, 404)) return undefined
    throw error
  }
}

/** Finds what is at a path. @throws {Refusal} `not-found`. */
export function* requireResource(deps: Tree, names: readonly string[]): Work<Resource> {
  const found = yield* findResource(deps, names)
  if (!found) throw new Refusal('not-found')
  return found
}

/** Matches the names of files that macOS and Windows leave in folders. */
const LITTER = /^(?:\._.*|\.DS_Store|desktop\.ini|Thumbs\.db)$/i

/** Place of something new, in a folder that exists. */
export interface Place {
  /** Folder that it is in. */
  parent: FolderRow
  /** Names of that folder from the root. */
  folder: readonly string[]
  name: string
  /** File or folder that is there already. */
  taken: Resource | undefined
}

/** Finds the place at a path. @throws {Refusal} `invalid`, `forbidden`, `right-missing`; `conflict` without a folder. */
export function* findPlace(deps: TreeContext, names: readonly string[]): Work<Place> {
  const name = names.at(-1)
  if (name === undefined) throw refuseHere('This is the root')
  assertNames(names)
  if (deps.config.webdavLitter === 'refuse' && LITTER.test(name))
    throw new Refusal('forbidden', `This server stores no files like "${name}"`)
  const taken = yield* findResource(deps, names)
  const folder = names.slice(0, -1)
  const above = yield* findResource(deps, folder)
  if (above?.kind !== 'folder') throw refuseConflict('The folder above does not exist: create it first')
  if (above.row === undefined) throw refuseRight('write')
  return { parent: above.row, folder, name, taken }
}

/** Refuses a method that a resource does not have. */
export const refuseHere = (message: string) =>
  new Refusal('method-not-allowed', message, { headers: { Allow: ALLOW } })
