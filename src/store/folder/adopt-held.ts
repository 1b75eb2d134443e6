import type { Catalog, ReadableCatalog } from '../../catalog/catalog.ts'
import type { Work } from '../../catalog/engine/query.ts'
import type { FileRow } from '../../catalog/tree/files.ts'
import type { TrashRow } from '../../catalog/tree/trash.ts'
import { count as countOf } from '../../platform/amounts.ts'
import type { Entry } from '../../platform/listing.ts'
import { isTooLong, joinKey } from '../../platform/names.ts'
import type { StoredFile } from '../../volume/stored-file.ts'
import type { Volume } from '../../volume/volume.ts'
import { type FileProblem, newFileRow, notAfter } from '../content.ts'
import { heldName, sizeOf } from '../trash/rows.ts'
import type { FolderDeps } from './change.ts'
import { orUnreadable, verifyTrash, verifyVersions } from './verify.ts'

/** Returns the reason why an entry on disk cannot be adopted under `key`; `undefined` when it can. */
export function reasonToLeave(key: string, { kind, problem }: Entry): string | undefined {
  if (kind === 'other') return 'link or special file'
  if (problem !== undefined) return problem
  return isTooLong(key) ? 'key is too long' : undefined
}

/** Returns the catalog's columns about a file's bytes, and closes it; `undefined` when they cannot be read. */
export async function readContent(opened: StoredFile | undefined, now: number) {
  if (!opened) return undefined
  const { size, mtimeMs } = opened
  try {
    return { size, ...(await opened.checksums()), changedAt: notAfter(now, mtimeMs) }
  } catch {
    return undefined
  }
}

/** Item below `trash/` on disk that the catalog does not know. Its paths begin with its own name. */
export interface TrashAddition {
  kind: 'add to trash'
  what: 'file' | 'folder'
  entry: string
  name: string
  /** Paths of the folders below a folder, parents first. */
  folders: readonly string[]
  files: readonly string[]
}

type TrashChange = { key: string } & (TrashAddition | { kind: 'leave'; why: string })

interface TrashOptions {
  catalog: Pick<ReadableCatalog, 'trash' | 'versions' | 'intents'>
  volume: Volume
}

const NO_FOLDER =
  'it is not in a folder of its own: move it into one, such as "trash/found", and repair again'

/** Yields what is in `trash/` and `versions/` without a row, as after the loss of the database. */
export async function* planTrash(options: TrashOptions): AsyncGenerator<TrashChange> {
  const { catalog, volume } = options
  for (const { name: entry, problem } of volume.trash.entries()) {
    if (await catalog.trash.hasEntry(entry)) continue
    const key = `trash/${entry}`
    const found = problem === undefined ? await orUnreadable(volume.trash.list(entry)) : undefined
    if (problem !== undefined) yield { key, kind: 'leave', why: problem }
    else if (found === undefined) yield { key, kind: 'leave', why: NO_FOLDER }
    else if (found === 'cannot be read') yield { key, kind: 'leave', why: found }
    else for (const child of found) yield* planItem(volume, entry, child)
  }
  yield* planVersions(options)
}

async function* planItem(volume: Volume, entry: string, top: Entry): AsyncGenerator<TrashChange> {
  const key = `trash/${heldName({ entry, name: top.name })}`
  const why = reasonToLeave(top.name, top)
  if (why !== undefined) return yield { key, kind: 'leave', why }
  const what = top.kind === 'file' ? 'file' : 'folder'
  const folders: string[] = []
  const files = what === 'file' ? [top.name] : []
  const waiting = what === 'file' ? [] : [top.name]
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const found = (await orUnreadable(volume.trash.list(`${entry}/${path}`))) ?? []
    if (found === 'cannot be read') yield { key: `trash/${entry}/${path}`, kind: 'leave', why: found }
    else
      for (const child of found) {
        const below = joinKey(path, child.name)
        const reason = reasonToLeave(below, child)
        if (reason !== undefined) yield { key: `trash/${entry}/${below}`, kind: 'leave', why: reason }
        else if (child.kind === 'file') files.push(below)
        else {
          folders.push(below)
          waiting.push(below)
        }
      }
  }
  yield { key, kind: 'add to trash', what, entry, name: top.name, folders, files }
}

/** Yields one line for all versions: without their rows, nothing says whose they were. */
async function* planVersions({ catalog, volume }: TrashOptions): AsyncGenerator<TrashChange> {
  let count = 0
  for await (const { problem } of verifyVersions({ catalog, volume, deep: false }))
    if (problem === 'not in the catalog') count += 1
  if (count === 0) return
  const why =
    `${countOf(count, 'file')} in it: nothing says which files they are versions of. Copy what you need ` +
    'to "uploads" and repair again; remove the rest'
  yield { key: 'versions', kind: 'leave', why }
}

type PrepareDeps = Pick<FolderDeps, 'catalog' | 'volume' | 'clock' | 'random'>

/**
 * Reads an item of the trash, and returns the steps that add it: as private, deleted now, and to be restored to the
 * root. One transaction adds it with everything below it.
 *
 * @returns Also the paths of files that cannot be read. They stay where they are.
 */
export async function prepareTrashItem(
  deps: PrepareDeps,
  { what, entry, name, folders, files }: TrashAddition,
): Promise<{ make: () => Work<void>; unread: string[] }> {
  const { catalog, volume, clock, random } = deps
  const [now, id, parentId] = [clock.now(), random.id(), await catalog.folders.root()]
  const folderIds = new Map([[name, id], ...folders.map((path): [string, string] => [path, random.id()])])
  const rows: FileRow[] = []
  const unread: string[] = []
  for (const path of files) {
    const content = await readContent(volume.trash.openFile(`${entry}/${path}`), now)
    if (!content) {
      unread.push(path)
      continue
    }
    const { changedAt, ...columns } = content
    const place =
      what === 'file'
        ? { id, folderId: parentId }
        : { id: random.id(), folderId: folderIds.get(above(path)) ?? id }
    const row = newFileRow({ ...place, name: nameOf(path), uploadedBy: null, ...columns }, changedAt)
    rows.push({ ...row, visibility: 'private' })
  }
  const amount = { count: rows.length, size: sizeOf(rows) }
  const item = {
    id,
    kind: what,
    name,
    key: name,
    parentId,
    entry,
    ...amount,
    deletedAt: now,
    deletedBy: null,
    purging: false,
    replacedBy: null,
  }
  const make = function* (): Work<void> {
    yield* catalog.trash.insert(item)
    for (const [path, folderId] of what === 'folder' ? folderIds : [])
      yield* catalog.trash.insertFolder({
        id: folderId,
        trashId: id,
        parentId: folderIds.get(above(path)) ?? id,
        name: nameOf(path),
        madeForKeys: false,
        createdAt: now,
        updatedAt: now,
      })
    yield* catalog.trash.insertFiles(rows.map((row) => ({ ...row, trashId: id })))
  }
  return { make, unread }
}

const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1)
const above = (path: string) => path.slice(0, Math.max(path.lastIndexOf('/'), 0))

/** Record of a version, or in the trash, without its bytes. */
export interface HeldDrop {
  kind: 'drop version' | 'drop trashed file' | 'drop trashed folder'
  id: string
}

type HeldChange = { key: string } & (HeldDrop | { kind: 'leave'; why: string })

interface HeldOptions extends TrashOptions {
  catalog: Pick<ReadableCatalog, 'trash' | 'versions' | 'intents' | 'read'>
  /** Only true reads every file. */
  deep: boolean | 'changed'
}

/** Items in memory at once. */
const PAGE_ITEMS = 1000

/** Yields the versions and the items of the trash whose bytes are missing, and those that are damaged. */
export async function* planHeld({ catalog, volume, deep }: HeldOptions): AsyncGenerator<HeldChange> {
  const options = { catalog, volume, deep: deep === true }
  for await (const { key, problem, id } of verifyVersions(options))
    if (problem !== 'not in the catalog')
      yield await change({ key, problem, drop: { kind: 'drop version', id } }, () => volume.versions.has(id))
  for await (const difference of verifyTrash(options)) {
    const { key, problem } = difference
    if (!('file' in difference) || problem === 'not in the catalog') continue
    const { file, path } = difference
    const drop = { kind: 'drop trashed file' as const, id: file.id }
    yield await change({ key, problem, drop }, () => path !== undefined && isThere(volume, path))
  }
  for (const item of await missingFolders({ catalog, volume }))
    yield { key: `trash/${heldName(item)}`, kind: 'drop trashed folder', id: item.id }
}

interface Problem {
  key: string
  problem: FileProblem
  drop: HeldDrop
}

/** Drops only what is gone: something that cannot be opened may be the bytes. */
async function change({ key, problem, drop }: Problem, isThere: () => boolean): Promise<HeldChange> {
  const isGone = problem === 'bytes are missing' && (await orUnreadable(attempt(isThere))) === false
  if (isGone) return { key, ...drop }
  return { key, kind: 'leave', why: problem === 'bytes are missing' ? 'cannot be read' : problem }
}

const attempt = async <Value>(work: () => Value): Promise<Value> => work()

const isThere = (volume: Volume, path: string) => volume.trash.identify(path) !== undefined

async function missingFolders({ catalog, volume }: Omit<HeldOptions, 'deep'>): Promise<TrashRow[]> {
  const missing: TrashRow[] = []
  for (let offset = 0; ; offset += PAGE_ITEMS) {
    const page = await catalog.trash.page({ limit: PAGE_ITEMS, offset })
    for (const item of page) {
      const found =
        item.kind === 'file' || (await orUnreadable(attempt(() => isThere(volume, heldName(item)))))
      if (found === false) missing.push(item)
    }
    if (page.length < PAGE_ITEMS) return missing
  }
}

/** Removes the empty folders of the trash that outlived their items. */
export async function tidyTrash({ catalog, volume }: Pick<HeldOptions, 'catalog' | 'volume'>): Promise<void> {
  for (const { name: entry } of volume.trash.entries())
    if (
      !(await catalog.trash.hasEntry(entry)) &&
      (await orUnreadable(volume.trash.list(entry)))?.length === 0
    )
      await volume.trash.tidy(entry)
}

/**
 * Removes a record without bytes. The versions of a file in the trash stay for their days, as those of a file in the
 * tree do.
 */
export function* dropHeld({ trash, versions }: Catalog, { kind, id }: HeldDrop): Work<void> {
  if (kind === 'drop version') return yield* versions.remove([id])
  if (kind === 'drop trashed folder') return yield* trash.removeItem(id)
  const file = yield* trash.file(id)
  if (!file) return
  const item = yield* trash.byId(file.trashId)
  yield* trash.removeFiles([id])
  if (item?.kind === 'file') yield* trash.remove(item.id)
  else yield* trash.add(file.trashId, { count: -1, size: -file.size })
}
