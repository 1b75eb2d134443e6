import * as T from 'typebox'
import { EXAMPLE_ID, FOLDER } from '../api/openapi/samples.ts'
import { named, nullable } from '../api/schema.ts'
import { Refusal } from '../platform/errors.ts'
import { isAtOrBelow, joinKey, nameProblem } from '../platform/names.ts'
import type { FolderRow, Snapshot, Work } from '../store/rows.ts'
import type { TreeCore } from '../store/store.ts'
import type { Located } from '../store/tree.ts'
import { RecordTime, recordTime } from './times.ts'

/** Schema of a folder. The root's `parentId` is null. */
export const FolderView = named(
  'Folder',
  T.Object({
    id: T.String(),
    name: T.String(),
    key: T.String({ description: 'Path from the root, which has the empty key.' }),
    parentId: nullable(T.String()),
    createdAt: RecordTime,
    updatedAt: RecordTime,
  }),
  FOLDER,
)

export type FolderView = T.Static<typeof FolderView>

/** Fields that name a folder. */
export const OneFolder = {
  id: T.Optional(T.String({ description: 'The folder with this id.', examples: [EXAMPLE_ID] })),
  key: T.Optional(T.String({ description: 'The folder at this key.', examples: ['photos'] })),
  path: T.Optional(T.String({ description: 'Alias of `key`.', examples: ['photos'] })),
}

/** Folder named by a caller. */
export type NamedFolder = T.Static<T.TObject<typeof OneFolder>>

export const folderView = (folder: FolderRow, key: string): FolderView => ({
  id: folder.id,
  name: folder.name,
  key,
  parentId: folder.parentId,
  createdAt: recordTime(folder.createdAt),
  updatedAt: recordTime(folder.updatedAt),
})

/** Returns the parent that a caller sees of a folder: the root for a topmost one, because the folder above is outside. */
export const seenParent = (
  { id, parentId }: Pick<FolderRow, 'id' | 'parentId'>,
  topIds: readonly string[],
  rootId: string,
): string | null => (topIds.includes(id) ? rootId : parentId)

/** Folder with its place: a key, or a path in an archive. */
export interface PlacedFolder {
  id: string
  path: string
  updatedAt: number
}

/** Folder on the way down, with its subfolders that are read but not walked yet, the next one last. */
interface Level {
  folder: PlacedFolder
  children: FolderRow[]
}

/** Yields the folders directly in another by name, in time slices. */
export async function* foldersIn(
  snapshot: Pick<Snapshot, 'foldersAfter'>,
  parentId: string,
): AsyncGenerator<FolderRow[], void> {
  for (let name: string | undefined = ''; name !== undefined; ) {
    const slice: FolderRow[] = await snapshot.foldersAfter(parentId, name)
    if (slice.length > 0) yield slice
    name = slice.at(-1)?.name
  }
}

/**
 * Yields a folder and all below it, parents first, by name. The subfolders of a folder are read in time
 * slices, the first of them when the next folder is pulled. Iterative, because recursion would pass each
 * folder through one generator per level.
 */
export async function* foldersFrom(
  snapshot: Pick<Snapshot, 'foldersAfter'>,
  top: PlacedFolder,
): AsyncGenerator<PlacedFolder, void> {
  const readAfter = async (id: string, name: string) => (await snapshot.foldersAfter(id, name)).reverse()
  yield top
  const levels: Level[] = [{ folder: top, children: await readAfter(top.id, '') }]
  for (let level = levels.at(-1); level; level = levels.at(-1)) {
    const child = level.children.pop()
    if (!child) {
      levels.pop()
      continue
    }
    const folder = { id: child.id, path: joinKey(level.folder.path, child.name), updatedAt: child.updatedAt }
    yield folder
    if (level.children.length === 0) level.children = await readAfter(level.folder.id, child.name)
    levels.push({ folder, children: await readAfter(child.id, '') })
  }
}

export const folderNotFound = () => new Refusal('folder-not-found')

/**
 * Finds the folder that a caller names by id or key; the root when neither is given. The id wins. Outer and
 * doubled slashes of a key are ignored.
 *
 * @throws {Refusal} `not-found`.
 */
export function* requireFolder(
  { store }: { store: Pick<Snapshot, 'folders'> },
  { id, key, path = '' }: NamedFolder,
): Work<FolderRow> {
  const { folders } = store
  const found = id ?? (yield* folders.idAt(segmentsOf(key ?? path)))
  const isThere = found !== undefined && (yield* folders.keyOf(found)) !== undefined
  const folder = isThere ? yield* folders.byId(found) : undefined
  if (!folder) throw folderNotFound()
  return folder
}

/** Folders at the top of what a request for a folder shows, each with its key. */
interface Tops {
  /** The folder itself; missing for a place above the folders of a caller, which shows those of them that are below it. */
  folder?: FolderRow
  tops: Located<FolderRow>[]
}

/**
 * Finds the folder that a caller names as `requireFolder` does. The root, and a key above the folders that the caller reaches,
 * is a view of these.
 *
 * @throws {Refusal} `not-found`.
 */
export function* findTops(
  deps: { store: Pick<Snapshot, 'folders' | 'entries'> },
  named: NamedFolder,
): Work<Tops> {
  const { folders, entries } = deps.store
  const tops: Located<FolderRow>[] = []
  const above = yield* keyAbove(deps, named)
  if (above === undefined) {
    const folder = yield* requireFolder(deps, named)
    return { folder, tops: [{ row: folder, key: (yield* folders.keyOf(folder.id)) ?? '' }] }
  }
  const parentId = yield* folders.root()
  for (const { folderId, key } of yield* entries.call(deps.store)) {
    const row = isAtOrBelow(key, above) ? yield* folders.byId(folderId) : undefined
    if (row) tops.push({ row: { ...row, parentId }, key })
  }
  if (tops.length === 0 && above !== '') throw folderNotFound()
  return { tops }
}

/** Returns the key of a place that only its folders below show; `undefined` for one that the caller reaches itself, or by id. */
function* keyAbove(
  { store: { folders } }: { store: Pick<Snapshot, 'folders'> },
  { id, key, path = '' }: NamedFolder,
): Work<string | undefined> {
  const root = yield* folders.root()
  if ((yield* folders.keyOf(root)) !== undefined || (id !== undefined && id !== root)) return undefined
  const segments = id === undefined ? segmentsOf(key ?? path) : []
  return segments.length > 0 && (yield* folders.idAt(segments)) !== undefined ? undefined : segments.join('/')
}

/** Splits a key. An invalid key names no folder. */
function segmentsOf(key: string): string[] {
  const segments = key.split('/').filter((segment) => segment !== '')
  if (segments.some((segment) => nameProblem(segment) !== undefined)) throw folderNotFound()
  return segments
}

/** Returns a folder as the API shows it, at the key that its change gave it. */
export const viewAt = ({ row, key }: Located<FolderRow>): FolderView => folderView(row, key)

/** Finds a folder as `requireFolder` does. Returns it as the API shows it. */
export function* findView(deps: Pick<TreeCore, 'store'>, named: NamedFolder): Work<FolderView> {
  const row = yield* requireFolder(deps, named)
  return viewAt({ row, key: (yield* deps.store.folders.keyOf(row.id)) ?? '' })
}
