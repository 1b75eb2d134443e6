import type { Catalog, ReadableCatalog } from '../catalog/catalog.ts'
import type { Work } from '../catalog/engine/query.ts'
import type { Reach, Right } from '../catalog/engine/reach.ts'
import type { FileRow } from '../catalog/tree/files.ts'
import type { FolderRow } from '../catalog/tree/folders.ts'
import { type Entry, entriesOf, isAtEntry, reachedKey } from '../catalog/tree/within.ts'
import type { Clock } from '../platform/clock.ts'
import { Refusal, refuseInvalid } from '../platform/errors.ts'
import { joinKey, MAX_KEY_BYTES, MAX_NAME_BYTES } from '../platform/names.ts'
import type { Random } from '../platform/random.ts'

/** Services of rules about rows alone. */
export interface TreeDeps {
  catalog: Catalog
  clock: Clock
  random: Random
  /** Id of the root folder. */
  rootId: string
  /** Part of the tree that the caller reaches: what is outside does not exist. */
  reach: Reach
}

type ReachDeps = Pick<TreeDeps, 'catalog' | 'reach'>

/** Returns the key of a folder that the caller reaches; else `undefined`, as without an id. */
export const keyReached = ({ catalog: { folders }, reach }: ReachDeps, id: string | undefined) =>
  reachedKey(folders, reach, id)

/** Returns true if the caller has a right in a folder. */
export function* hasRight(
  { catalog: { folders }, reach }: ReachDeps,
  id: string,
  right: Right,
): Work<boolean> {
  return reach.isEverything || (yield* folders.keyWithin(id, reach.part(right))) !== undefined
}

export const refuseRight = (right: Right, which = 'this folder') =>
  new Refusal('right-missing', `Missing right "${right}" in ${which}`)

/** @throws {Refusal} `right-missing` when the caller lacks a right in a folder, also for one outside its reach. */
export function* assertRight(deps: ReachDeps, id: string, right: Right, which?: string): Work<void> {
  if (!(yield* hasRight(deps, id, right))) throw refuseRight(right, which)
}

/** @throws {Refusal} `right-missing` when the caller may not set the visibility of files in a folder. */
export function* assertVisibility(
  deps: ReachDeps,
  folderId: string,
  visibility: FileRow['visibility'] | undefined,
): Work<void> {
  yield* assertRight(deps, folderId, 'write')
  if (visibility === 'public') yield* assertRight(deps, folderId, 'share')
}

/** Asserts a right in the folder above: a change of a folder's name or place is one there. @throws {Refusal} `right-missing`. */
export const assertRightAbove = (deps: ReachDeps, { parentId }: FolderRow, right: Right) =>
  assertRight(deps, parentId ?? '', right, 'the folder above')

/** Returns the id of the target, or of the nearest folder above it that exists. */
const nearestOf = ({ folderId, missing }: Target) => missing[0]?.row.parentId ?? folderId

/**
 * Returns true when something that moves from one folder to another leaves the topmost folder that it was granted by, or
 * comes to where the caller may delete.
 */
export function* leavesGrant(deps: ReachDeps, from: string, target: Target): Work<boolean> {
  const { folders } = deps.catalog
  const { reach } = deps
  if (reach.isEverything) return false
  const to = nearestOf(target)
  if (yield* hasRight(deps, to, 'delete')) return true
  for (const part of reach.territories)
    if (
      (yield* folders.keyWithin(from, part)) !== undefined &&
      (yield* folders.keyWithin(to, part)) !== undefined
    )
      return false
  return true
}

/** Target folder: by its id, or by names from the root, created when missing. */
export type Destination = { folderId: string } | { folder: readonly string[] }

/** Folder in the catalog, or one to create. */
export interface FolderPlace {
  key: string
  folderId: string
}

/** Folder to create. */
export interface NewFolder {
  key: string
  row: FolderRow
}

/** Finds a file's key; `undefined` when its folder is not in the tree, or not any more. */
export function* findKey(
  { folders }: { folders: Pick<ReadableCatalog['folders'], 'keyOf'> },
  { folderId, name }: FileRow,
): Work<string | undefined> {
  const folderKey = yield* folders.keyOf(folderId)
  return folderKey === undefined ? undefined : joinKey(folderKey, name)
}

/** Returns the keys without a folder. One that was refused at first may have been created since. */
export async function unknownFolders(
  { catalog }: { catalog: Pick<ReadableCatalog, 'folders'> },
  keys: readonly string[],
) {
  const unknown: string[] = []
  for (const key of keys) if ((await catalog.folders.idAt(key.split('/'))) === undefined) unknown.push(key)
  return unknown
}

/** Target in the catalog: the existing folder, and the folders to create. */
export interface Target extends FolderPlace {
  /** Missing folders, parents first. */
  missing: NewFolder[]
}

/**
 * Finds the target folder and plans its missing ancestors.
 *
 * @param visibility Visibility of what comes there, as far as it is requested.
 * @throws {Refusal} `not-found` for an unknown id, `right-missing`, `conflict` when a file is in the place of a folder.
 */
export function* findTarget(
  deps: TreeDeps,
  destination: Destination,
  visibility?: FileRow['visibility'],
): Work<Target> {
  const target = yield* placeOf(deps, destination)
  if (visibility === 'public') yield* assertRight(deps, nearestOf(target), 'share')
  return target
}

function* placeOf(deps: TreeDeps, destination: Destination): Work<Target> {
  if ('folder' in destination) {
    const folders = new FolderPlan(deps)
    const place = yield* folders.add(destination.folder)
    return { ...place, missing: folders.missing }
  }
  const key = yield* keyReached(deps, destination.folderId)
  if (key === undefined) throw new Refusal('folder-not-found')
  yield* assertRight(deps, destination.folderId, 'write')
  return { key, folderId: destination.folderId, missing: [] }
}

/** Row with the key that it has now. */
export interface Located<Row> {
  row: Row
  key: string
}

/** Returns the id of the folder that a file or folder is in; `null` for the root. */
export const parentIdOf = (row: FileRow | FolderRow) => ('folderId' in row ? row.folderId : row.parentId)

/** Finds a file in the tree, its key and its folder. @throws {Refusal} `not-found`. */
export function* locateFile(deps: ReachDeps, id: string): Work<Located<FileRow> & { folder: Target }> {
  const row = yield* deps.catalog.files.byId(id)
  const key = yield* keyReached(deps, row?.folderId)
  if (!row || key === undefined) throw new Refusal('file-not-found')
  return { row, key: joinKey(key, row.name), folder: { key, folderId: row.folderId, missing: [] } }
}

/** Finds a file that the caller may move to a folder. @throws {Refusal} `not-found`, `right-missing`. */
export function* locateMovable(deps: ReachDeps, id: string, target: Target): Work<Located<FileRow>> {
  const located = yield* locateFile(deps, id)
  const { folderId } = located.row
  yield* assertRight(deps, folderId, 'write')
  if (yield* leavesGrant(deps, folderId, target)) yield* assertRight(deps, folderId, 'delete')
  return located
}

/** Finds a folder in the tree and its key. @throws {Refusal} `not-found`. */
export function* locateFolder(deps: ReachDeps, id: string): Work<Located<FolderRow>> {
  const key = yield* keyReached(deps, id)
  if (key === undefined) throw new Refusal('folder-not-found')
  return { row: yield* requireFolder(deps, id), key }
}

/** Finds a file that the caller may delete; `undefined` when there is none. @throws {Refusal} `right-missing`. */
export function* findRemovable(deps: ReachDeps, id: string): Work<Located<FileRow> | undefined> {
  const row = yield* deps.catalog.files.byId(id)
  const key = yield* keyReached(deps, row?.folderId)
  if (!row || key === undefined) return undefined
  yield* assertRight(deps, row.folderId, 'delete')
  return { row, key: joinKey(key, row.name) }
}

export function* requireFile({ catalog }: Pick<TreeDeps, 'catalog'>, id: string): Work<FileRow> {
  const row = yield* catalog.files.byId(id)
  if (!row) throw new Refusal('file-not-found')
  return row
}

export function* requireFolder({ catalog }: Pick<TreeDeps, 'catalog'>, id: string): Work<FolderRow> {
  const row = yield* catalog.folders.byId(id)
  if (!row) throw new Refusal('folder-not-found')
  return row
}

/** Finds folders by their names from the root, and plans the missing ones, each once. */
export class FolderPlan {
  /** Folders to create, parents first. */
  readonly missing: NewFolder[] = []
  readonly #deps: TreeDeps
  readonly #forKeys: boolean
  readonly #now: number
  readonly #found = new Map<string, FolderPlace>()
  /** Ids of the folders to create. */
  readonly #made = new Set<string>()
  /** Ids of the existing folders that something is added to. */
  readonly #existing = new Set<string>()
  /** Topmost folders that a limited caller reaches. */
  #entries: readonly Entry[] | undefined

  /** @param forKeys True when its folders are made only because an object key has slashes. */
  constructor(deps: TreeDeps, forKeys = false) {
    this.#deps = deps
    this.#forKeys = forKeys
    this.#now = deps.clock.now()
  }

  /**
   * Finds or plans a folder to write to.
   *
   * @throws {Refusal} `not-found` outside the reach, `right-missing`, `conflict` when a file is in the place of a folder.
   */
  *add(segments: readonly string[]): Work<FolderPlace> {
    const { catalog, reach } = this.#deps
    if (!reach.isEverything) {
      this.#entries ??= yield* entriesOf(catalog.folders, reach)
      // Before anything on the way to a key outside is looked up.
      if (!isAtEntry(this.#entries, segments)) throw new Refusal('folder-not-found')
    }
    const place = yield* this.#place(segments)
    if (!this.#made.has(place.folderId)) yield* this.#addTo(place.folderId)
    return place
  }

  /** Returns true if the caller has a right in each folder that something is added to. */
  *hasRight(right: Right): Work<boolean> {
    for (const id of this.#existing) if (!(yield* hasRight(this.#deps, id, right))) return false
    return true
  }

  *#addTo(id: string): Work<void> {
    yield* assertRight(this.#deps, id, 'write')
    this.#existing.add(id)
  }

  *#place(segments: readonly string[]): Work<FolderPlace> {
    const key = segments.join('/')
    const known = this.#found.get(key)
    if (known) return known
    const place = { key, folderId: yield* this.#find(key, segments) }
    this.#found.set(key, place)
    return place
  }

  /** Returns a folder that was added. */
  at(segments: readonly string[]): FolderPlace {
    const place = this.#found.get(segments.join('/'))
    if (!place) throw new Error('A folder is not part of the plan')
    return place
  }

  *#find(key: string, segments: readonly string[]): Work<string> {
    const { folders, files } = this.#deps.catalog
    const name = segments.at(-1)
    if (name === undefined) return this.#deps.rootId
    const parent = yield* this.#place(segments.slice(0, -1))
    if (this.#made.has(parent.folderId)) return this.#plan(key, parent, name)
    const existing = yield* folders.byName(parent.folderId, name)
    if (existing) return existing.id
    yield* this.#addTo(parent.folderId)
    assertNoFile(yield* files.byName(parent.folderId, name))
    return this.#plan(key, parent, name)
  }

  #plan(key: string, parent: FolderPlace, name: string): string {
    const id = this.#deps.random.id()
    const times = { createdAt: this.#now, updatedAt: this.#now }
    const row = { id, parentId: parent.folderId, name, madeForKeys: this.#forKeys, ...times }
    this.missing.push({ key, row })
    this.#made.add(id)
    return id
  }
}

function assertNoFile(file: FileRow | undefined): void {
  if (file) throw new Refusal('name-taken', `A file named "${file.name}" is in the place of a folder`)
}

/** Refuses a name that is taken in a folder of the catalog. @throws {Refusal} `conflict`. */
export function* assertNameFree(
  { catalog }: Pick<TreeDeps, 'catalog'>,
  folderId: string,
  name: string,
): Work<void> {
  const holder = yield* catalog.names.holderOf(folderId, name)
  if (holder) throw refuseTaken(`A ${holder}`, name)
}

/** @param what `A file`, `A folder`, or `Something` when it may be either. */
export const refuseTaken = (what: string, name: string) =>
  new Refusal('name-taken', `${what} named "${name}" exists in this folder already`)

/** Returns the folder that is to be created. @throws {Refusal} `conflict` when it exists. */
export function folderToCreate({ key, missing }: Target): NewFolder {
  const created = missing.at(-1)
  if (created) return created
  if (key === '')
    throw new Refusal('name-taken', 'The root folder exists already: send the path of the folder to create')
  throw new Refusal('name-taken', `The folder "${key}" exists already`)
}

export const refuseTooLong = (what: string) =>
  refuseInvalid(`${what} would have more than ${MAX_KEY_BYTES} bytes: choose a shorter name or folder`)

/** @throws {Refusal} `invalid` when a key below the folder is too long once the folder is at `key`. */
export function* assertFitsBelow(
  { folders }: Pick<Catalog, 'folders'>,
  { id, key }: { id: string; key: string },
): Work<void> {
  const left = MAX_KEY_BYTES - Buffer.byteLength(key)
  if (left < 0 || (yield* folders.hasPathBelow(id, left, MAX_NAME_BYTES)))
    throw refuseTooLong('A key in the folder')
}
