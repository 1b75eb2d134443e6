import type { FileRow } from '../../catalog/tree/files.ts'
import type { TrashedFile, TrashedFolder } from '../../catalog/tree/trash.ts'
import { isTooLong, joinKey, nameProblem } from '../../platform/names.ts'
import { IN_ITS_PLACE } from '../../volume/take-in.ts'
import { rowsOf } from '../batches.ts'
import type { EarlierRows, FoundObjects, ObjectChange, ObjectRepair, Rows } from './apply-repair.ts'

/** Rows that are added to a catalog, before they are in it. */
class Additions {
  /** Ids of folders by their keys. */
  readonly folders = new Map<string, string>()
  readonly files = new Set<string>()
  /** Ids of rows of any kind. */
  readonly ids = new Set<string>()
}

interface Readoption {
  options: ObjectRepair
  found: FoundObjects
  added: Additions
  source: EarlierRows
  /** Catalogs that are newer than the source: an id in one of them is not issued twice. */
  newer: readonly Rows[]
}

/**
 * Yields what earlier catalogs know of objects that no row leads to: files with the folders above them, files in the trash,
 * and versions. An object never changes, so its id proves whose bytes it has.
 */
export async function* readopt(options: ObjectRepair, found: FoundObjects): AsyncGenerator<ObjectChange> {
  const added = new Additions()
  const newer = [options.catalog]
  for (const [index, source] of options.earlier.entries()) {
    const state = { options, found, added, source, newer: [...newer] }
    if (options.isLost && index === 0) yield* addFolders(state)
    for await (const row of rowsOf(source.catalog.files.after)) yield* addFile(state, row)
    for await (const row of rowsOf(source.catalog.trash.filesAfter)) yield* addTrashed(state, row)
    for await (const row of rowsOf(source.catalog.versions.after)) {
      const { catalog } = options
      if (!(await isLoose(state, row))) continue
      const isOfFile = added.ids.has(row.fileId) || (await isKnown([catalog], row.fileId))
      if (!isOfFile) continue
      take(state, row)
      yield { kind: 'add version', key: `versions/${row.id}`, row }
    }
    newer.push(source.catalog)
  }
}

type Loose = Pick<FileRow, 'id' | 'blobId' | 'size'>

/** True for a row whose object is there, and that neither a row nor a deletion has a claim to. */
async function isLoose({ options, found, added, newer }: Readoption, row: Loose): Promise<boolean> {
  const { id, blobId, size } = row
  if (blobId === null || found.used.has(blobId) || found.sizes.get(blobId) !== size) return false
  const state = (await options.catalog.blobs.byId(blobId))?.state ?? 'kept'
  return state === 'kept' && !added.ids.has(id) && !(await isKnown(newer, id))
}

async function isKnown(catalogs: readonly Rows[], id: string): Promise<boolean> {
  for (const { files, folders, trash, versions } of catalogs)
    for (const byId of [files.byId, folders.byId, trash.file, trash.folder, versions.byId])
      if (await byId(id)) return true
  return false
}

function take({ found, added }: Readoption, { id, blobId }: Loose): void {
  added.ids.add(id)
  if (blobId !== null) found.used.add(blobId)
}

/** Yields all folders of a catalog, for those that have no files. */
async function* addFolders(state: Readoption): AsyncGenerator<ObjectChange> {
  const { folders } = state.source.catalog
  for await (const { id, parentId } of rowsOf(folders.after)) {
    const key = parentId === null ? undefined : await folders.keyOf(id)
    if (key !== undefined) yield* folderAt(state, key.split('/'))
  }
}

/** Finds or adds a folder, and returns its id; `undefined` when something else has its key. */
async function* folderAt(
  state: Readoption,
  names: readonly string[],
): AsyncGenerator<ObjectChange, string | undefined> {
  const { options, added, source, newer } = state
  const { files, folders } = options.catalog
  const name = names.at(-1)
  if (name === undefined) return await folders.root()
  const key = names.join('/')
  const planned = added.folders.get(key)
  if (planned !== undefined) return planned
  const parentId = yield* folderAt(state, names.slice(0, -1))
  if (parentId === undefined) return undefined
  const existing = await folders.byName(parentId, name)
  if (existing) return existing.id
  const isTaken = added.files.has(key) || (await files.byName(parentId, name))
  if (isTaken || nameProblem(name) !== undefined || isTooLong(key)) return undefined
  const row = await source.catalog.folders.byId((await source.catalog.folders.idAt(names)) ?? '')
  if (!row) return undefined
  const isFree = !added.ids.has(row.id) && !(await isKnown(newer, row.id))
  const id = isFree ? row.id : options.random.id()
  added.folders.set(key, id)
  added.ids.add(id)
  yield { kind: 'add folder', key, row: { ...row, id, parentId } }
  return id
}

async function* addFile(state: Readoption, row: FileRow): AsyncGenerator<ObjectChange> {
  const { options, added, source } = state
  if (!(await isLoose(state, row))) return
  const folderKey = await source.catalog.read(() => source.catalog.folders.keyOf(row.folderId))
  if (folderKey === undefined) return
  const key = joinKey(folderKey, row.name)
  const folderId = yield* folderAt(state, folderKey === '' ? [] : folderKey.split('/'))
  const { files, folders } = options.catalog
  const isTaken =
    folderId === undefined ||
    added.files.has(key) ||
    added.folders.has(key) ||
    (await files.byName(folderId, row.name)) ||
    (await folders.byName(folderId, row.name))
  const problem = nameProblem(row.name)
  if (isTaken || problem !== undefined || isTooLong(key)) {
    const why = isTaken ? IN_ITS_PLACE : problem === undefined ? 'key is too long' : `its name ${problem}`
    return yield { kind: 'leave', key, why }
  }
  added.files.add(key)
  take(state, row)
  yield { kind: 'add file', key, row: { ...row, folderId }, isDoubtful: !source.isWhole || options.deep }
}

async function* addTrashed(state: Readoption, row: TrashedFile): AsyncGenerator<ObjectChange> {
  const { trash } = state.source.catalog
  if (!(await isLoose(state, row))) return
  const item = await trash.byId(row.trashId)
  if (!item || item.purging || (await isKnown(state.newer, item.id))) return
  const above: TrashedFolder[] = []
  for (let id = row.folderId; item.kind === 'folder'; ) {
    const folder = await trash.folder(id)
    // In a damaged catalog, folders may be inside each other.
    if (!folder || above.includes(folder) || above.length > MAX_DEPTH) return
    above.unshift(folder)
    if (id === item.id) break
    id = folder.parentId
  }
  const names = [item.name, ...above.slice(1).map(({ name }) => name), row.name]
  if (names.some((name) => nameProblem(name) !== undefined) || isTooLong(names.join('/'))) return
  take(state, row)
  const key = `trash/${[item.entry, ...(item.kind === 'file' ? [item.name] : names)].join('/')}`
  yield { kind: 'add to trash', key, item, folders: above, row }
}

/** Maximum number of folders above a file: a key of the longest length has fewer. */
const MAX_DEPTH = 2000
