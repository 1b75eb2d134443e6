import { Refusal } from '../platform/errors.ts'
import { numberedName } from '../platform/names.ts'
import type { StorageDeps } from './folder/change.ts'
import { assertFree, type Destination, type FolderPlace, findTarget } from './tree.ts'

export interface NamedItem {
  name: string
  kind: 'file' | 'folder'
}

/** Maximum names to try. */
export const MAX_NUMBER = 1000

/** Returns the name of an item to try, from 1 on. */
export const candidateName = ({ name, kind }: NamedItem, number: number): string =>
  number === 1 ? name : numberedName(name, number, kind)

/**
 * Returns `name`, or the first of `name (2)`, `name (3)` … that is not taken in a folder. The caller holds the lock of
 * the tree.
 *
 * @throws {Refusal} `conflict` when too many are taken.
 */
export async function findFreeName(deps: StorageDeps, place: FolderPlace, item: NamedItem): Promise<string> {
  for (let number = 1; ; number++) {
    const candidate = candidateName(item, number)
    try {
      await assertFree(deps, place, candidate)
      return candidate
    } catch (error) {
      if (!(error instanceof Refusal) || error.reason !== 'conflict' || number === MAX_NUMBER) throw error
    }
  }
}

/**
 * Finds the folder of a copy by its names from the root, and a free name there. Another request may take the name
 * before the copy is published.
 */
export function placeCopy(
  deps: StorageDeps,
  destination: Destination,
  item: NamedItem,
): Promise<{ folder: string[]; name: string }> {
  return deps.lock.shared(async () => {
    const target = await deps.catalog.read(() => findTarget(deps, destination))
    const isNew = target.missing.some(({ row }) => row.id === target.folderId)
    const name = isNew ? item.name : await findFreeName(deps, target, item)
    return { folder: target.key === '' ? [] : target.key.split('/'), name }
  })
}
