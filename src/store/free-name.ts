import { Refusal } from '../platform/errors.ts'
import { numberedName } from '../platform/names.ts'
import type { StorageDeps } from './parts.ts'
import { assertFree, type FolderPlace } from './target.ts'

/** Maximum names to try. */
const MAX_NUMBER = 1000

/**
 * Returns `name`, or the first of `name (2)`, `name (3)` … that is not taken in a folder. The caller holds the lock of
 * the tree.
 *
 * @throws {Refusal} `conflict` when too many are taken.
 */
export async function findFreeName(
  deps: StorageDeps,
  place: FolderPlace,
  { name, kind }: { name: string; kind: 'file' | 'folder' },
): Promise<string> {
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? name : numberedName(name, number, kind)
    try {
      await assertFree(deps, place, candidate)
      return candidate
    } catch (error) {
      if (!(error instanceof Refusal) || error.reason !== 'conflict' || number === MAX_NUMBER) throw error
    }
  }
}
