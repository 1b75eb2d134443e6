import type { FileRow } from '../catalog/files.ts'
import type { Deps } from '../deps.ts'

/**
 * Gives every file in a folder and below it one visibility, in one transaction.
 *
 * @returns How many files changed.
 */
export function applyVisibility(
  { catalog, clock }: Pick<Deps, 'catalog' | 'clock'>,
  folderId: string,
  visibility: FileRow['visibility'],
): Promise<number> {
  return catalog.setVisibilityBelow({ folderId, visibility, updatedAt: clock.now() })
}
