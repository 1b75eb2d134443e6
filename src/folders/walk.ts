import type { Snapshot } from '../catalog/lists.ts'
import { joinKey } from '../volume/names.ts'

/** A folder, and where it is: a key, or a path in an archive. */
export interface PlacedFolder {
  id: string
  path: string
  updatedAt: number
}

/**
 * A folder and all below it, each before those in it, by name. What is in a folder is read when the next one is
 * asked for. Not by recursion: each folder would pass through a generator for every folder above it.
 */
export function* foldersFrom(
  snapshot: Pick<Snapshot<unknown>, 'foldersIn'>,
  top: PlacedFolder,
): Generator<PlacedFolder, void> {
  const waiting = [top]
  for (let folder = waiting.pop(); folder; folder = waiting.pop()) {
    yield folder
    const { path } = folder
    for (const { id, name, updatedAt } of snapshot.foldersIn(folder.id).reverse())
      waiting.push({ id, path: joinKey(path, name), updatedAt })
  }
}
