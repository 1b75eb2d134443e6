import type { ReadableCatalog } from '../../catalog/catalog.ts'
import type { Work } from '../../catalog/engine/query.ts'
import type { FileRow } from '../../catalog/tree/files.ts'
import { joinKey } from '../../platform/names.ts'
import type { Entry } from '../../volume/directory.ts'
import type { Volume } from '../../volume/volume.ts'
import { readContent, reasonToLeave } from '../adopt-entry.ts'
import { heldName } from '../held.ts'
import type { StorageDeps } from './change.ts'
import { newFileRow } from './publish.ts'
import { orUnreadable } from './verify.ts'
import { verifyVersions } from './verify-versions.ts'

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

interface PlanOptions {
  catalog: Pick<ReadableCatalog, 'trash' | 'versions' | 'intents'>
  volume: Volume
}

const NO_FOLDER =
  'it is not in a folder of its own: move it into one, such as "trash/found", and repair again'

/** Yields what is in `trash/` and `versions/` without a row, as after the loss of the database. */
export async function* planTrash(options: PlanOptions): AsyncGenerator<TrashChange> {
  const { catalog, volume } = options
  for (const entry of volume.trash.entries()) {
    if (await catalog.trash.hasEntry(entry)) continue
    const key = `trash/${entry}`
    const found = await orUnreadable(volume.trash.list(entry))
    if (found === undefined) yield { key, kind: 'leave', why: NO_FOLDER }
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
async function* planVersions({ catalog, volume }: PlanOptions): AsyncGenerator<TrashChange> {
  let count = 0
  for await (const { problem } of verifyVersions({ catalog, volume, deep: false }))
    if (problem === 'not in the catalog') count += 1
  if (count === 0) return
  const why =
    `${count} file(s) in it were replaced, and nothing says by which. Copy what you need ` +
    'to "uploads" and repair again; remove the rest'
  yield { key: 'versions', kind: 'leave', why }
}

type PrepareDeps = Pick<StorageDeps, 'catalog' | 'volume' | 'clock' | 'random'>

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
  const size = rows.reduce((sum, row) => sum + row.size, 0)
  const amount = { count: rows.length, size }
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
  }
  const make = function* (): Work<void> {
    yield* catalog.trash.insert(item)
    for (const [path, folderId] of what === 'folder' ? folderIds : [])
      yield* catalog.trash.insertFolder({
        id: folderId,
        trashId: id,
        parentId: folderIds.get(above(path)) ?? id,
        name: nameOf(path),
        createdAt: now,
        updatedAt: now,
      })
    yield* catalog.trash.insertFiles(rows.map((row) => ({ ...row, trashId: id })))
  }
  return { make, unread }
}

const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1)
const above = (path: string) => path.slice(0, Math.max(path.lastIndexOf('/'), 0))
