import type { TreeContext } from '../../access/context.ts'
import { Slices } from '../../api/json-stream.ts'
import { joinKey } from '../../platform/names.ts'
import { assertConnected } from '../../platform/slots.ts'
import type { FolderRow, Snapshot } from '../../store/rows.ts'
import type { Located } from '../../store/tree.ts'
import { findTops, foldersFrom, foldersIn, type NamedFolder } from '../../views/folders.ts'
import { streamResponse } from '../../views/lists.ts'
import type { FileChecksum, FolderSize, FolderTotals } from './model.ts'

/** Folders whose files are summed up in one time slice. */
const SLICE_FOLDERS = 50
/** Folders that are read at once; more are read parent by parent, in slices. */
const MANY_CHILDREN = 1000

/**
 * Counts the files and folders below a folder, and the bytes of the files. Yields to the event loop between slices.
 *
 * @throws {Refusal} `not-found`, `unavailable`.
 */
export async function countBelow(
  { store, nextTurn }: Pick<TreeContext, 'store' | 'nextTurn'>,
  which: NamedFolder,
  leaving: AbortSignal,
): Promise<FolderTotals> {
  using snapshot = await store.readers.snapshot(leaving)
  const { folder, tops } = await snapshot.read(() => findTops({ store: snapshot }, which))
  const totals = { ...noFiles(), folders: folder ? 0 : tops.length }
  for await (const _ of sumUp(snapshot, new Map(tops.map(({ row }) => [row.id, totals])))) {
    await nextTurn()
    assertConnected(leaving)
  }
  return totals
}

/**
 * Streams the totals of each folder directly in another, by name.
 *
 * @throws {Refusal} `not-found`, `unavailable`.
 */
export const sizesResponse = (
  deps: Pick<TreeContext, 'store' | 'nextTurn'>,
  request: Request,
  which: NamedFolder,
): Promise<Response> =>
  streamResponse(deps, request, async (snapshot) => {
    const { folder, tops } = await snapshot.read(() => findTops({ store: snapshot }, which))
    const slices = folder ? foldersIn(snapshot, folder.id) : [tops.map(({ row }) => row)]
    return { folders: new Slices(sizesOf(snapshot, slices)) }
  })

async function* sizesOf(
  snapshot: Snapshot,
  slices: Iterable<FolderRow[]> | AsyncIterable<FolderRow[]>,
): AsyncGenerator<FolderSize[]> {
  for await (const folders of slices) {
    const totals = new Map(folders.map((folder) => [folder.id, noFiles()]))
    // Ends a time slice.
    for await (const _ of sumUp(snapshot, totals)) yield []
    yield folders.map(({ id, name }) => ({ id, name, ...(totals.get(id) ?? noFiles()) }))
  }
}

const noFiles = (): FolderTotals => ({ files: 0, folders: 0, size: 0 })

/**
 * Adds what is in some folders and below them to their totals. What is directly in a folder is kept, so its files are
 * not read. Yields after each time slice.
 *
 * @param totals Totals to add to, by the ids of the folders.
 */
async function* sumUp(
  snapshot: Snapshot,
  totals: ReadonlyMap<string, FolderTotals>,
): AsyncGenerator<void, void> {
  const waiting = [...totals]
  while (waiting.length > 0) {
    // The last ones are the deepest, so few wait.
    const totalsOf = new Map(waiting.splice(-SLICE_FOLDERS))
    const ids = [...totalsOf.keys()]
    for (const { folderId, count, size } of await snapshot.totals.inFolders(ids)) {
      const total = totalsOf.get(folderId)
      if (!total) continue
      total.files += count
      total.size += size
    }
    for await (const children of childrenOf(snapshot, ids)) {
      for (const { id, parentId } of children) {
        const total = totalsOf.get(parentId ?? '')
        if (!total) continue
        total.folders += 1
        waiting.push([id, total])
      }
      yield
    }
  }
}

/** Yields the folders directly in some others, in time slices. */
async function* childrenOf(
  snapshot: Snapshot,
  ids: readonly string[],
): AsyncGenerator<{ id: string; parentId: string | null }[], void> {
  const children = await snapshot.folders.inFolders(ids, MANY_CHILDREN)
  if (children.length < MANY_CHILDREN) yield children
  else for (const id of ids) yield* foldersIn(snapshot, id)
}

/**
 * Streams the checksum of every file below a folder, by key, from one snapshot, for clients that mirror it.
 *
 * @throws {Refusal} `not-found`, `unavailable`.
 */
export function checksumsResponse(
  deps: Pick<TreeContext, 'store' | 'nextTurn'>,
  request: Request,
  which: NamedFolder,
): Promise<Response> {
  return streamResponse(deps, request, async (snapshot) => {
    const { tops } = await snapshot.read(() => findTops({ store: snapshot }, which))
    return { files: new Slices(checksums(snapshot, tops)) }
  })
}

const COLUMNS = ['id', 'name', 'size', 'sha256', 'visibility'] as const

async function* checksums(
  snapshot: Snapshot,
  tops: readonly Located<FolderRow>[],
): AsyncGenerator<FileChecksum[]> {
  const filesIn = snapshot.filesIn(COLUMNS)
  for (const { row, key } of tops)
    for await (const folder of foldersFrom(snapshot, { ...row, path: key })) {
      // Ends a time slice, also between empty folders.
      yield []
      for await (const slice of filesIn(folder.id))
        yield slice.map(({ id, name, ...content }) => ({ id, key: joinKey(folder.path, name), ...content }))
    }
}
