import type { ReadableCatalog } from '../catalog/catalog.ts'
import type { Work } from '../catalog/engine/query.ts'
import type { TrashedFile, TrashRow } from '../catalog/tree/trash.ts'
import { refuseConflict } from '../platform/errors.ts'
import { isTooLong, joinKey, nameProblem } from '../platform/names.ts'

/** Returns the name of an item below `trash/` on the volume. */
export const heldName = ({ entry, name }: Pick<TrashRow, 'entry' | 'name'>) => `${entry}/${name}`

/** Finds the path of a file below `trash/`; `undefined` when the rows above it are missing. */
export function* heldPath(
  { trash }: Pick<ReadableCatalog, 'trash'>,
  file: TrashedFile,
): Work<string | undefined> {
  const item = yield* trash.byId(file.trashId)
  if (!item) return undefined
  if (item.kind === 'file') return heldName(item)
  let path = file.name
  for (let id = file.folderId; id !== item.id; ) {
    const folder = yield* trash.folder(id)
    // In a damaged catalog, folders may be inside each other.
    if (!folder || isTooLong(path)) return undefined
    path = joinKey(folder.name, path)
    id = folder.parentId
  }
  return joinKey(heldName(item), path)
}

/**
 * Asserts that rows of the trash have valid names: one such as `../x` in a tampered catalog leads out of `trash/`.
 *
 * @throws {Refusal} `conflict`.
 */
export function assertNames(rows: readonly { name: string }[]): void {
  for (const { name } of rows) {
    const problem = nameProblem(name)
    if (problem !== undefined)
      throw refuseConflict(`The name ${JSON.stringify(name)} in the trash ${problem}`)
  }
}
