import { type BatchOutcome, distinctIds } from '../../access/batch.ts'
import { assertStillAllowed, type Caller } from '../../access/caller.ts'
import type { Context } from '../../access/context.ts'
import type { FileRow } from '../../store/rows.ts'
import { type FileView, fileNotFound, viewRows } from '../../views/files.ts'

/**
 * Sets the visibility of several files, in one transaction.
 *
 * @throws {Refusal} `invalid` for too many ids, `not_found` when none of them exist.
 */
export async function setVisibility(
  deps: Context,
  caller: Caller,
  { ids, visibility }: { ids: readonly string[]; visibility: FileRow['visibility'] },
): Promise<BatchOutcome<FileView>> {
  const { store, clock, config } = deps
  const distinct = distinctIds(ids, config.maxMoveIds)
  const done = await store.transact(function* () {
    yield* assertStillAllowed(deps, caller, 'files:write')
    // Without files of a folder that left the tree: it may return from the trash.
    const ids = (yield* viewRows(store, yield* store.files.byIds(distinct))).map(({ id }) => id)
    yield* store.files.setVisibility(ids, { visibility, updatedAt: clock.now() })
    return yield* viewRows(store, yield* store.files.byIds(ids))
  })
  if (done.length === 0) throw fileNotFound()
  const found = new Set(done.map(({ id }) => id))
  const { message } = fileNotFound()
  return { done, failed: distinct.filter((id) => !found.has(id)).map((id) => ({ id, message })) }
}
