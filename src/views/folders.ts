import { joinKey } from '../platform/names.ts'
import type { FolderRow, Snapshot } from '../store/rows.ts'

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
