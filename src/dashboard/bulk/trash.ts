import { deleteFromTrash, oldestInTrash, putInTrash, refreshTrash, restoreFromTrash } from '../api/trash.ts'
import { toast } from '../components/overlays/toast.tsx'
import { formatCount, formatItems } from '../lib/format.ts'
import { texts } from '../texts.ts'
import { batchSteps, type JobOutcome, reportJob, runJob } from './job.ts'

/** File or folder that is, or goes, in the trash. */
export interface Trashable {
  id: string
  kind: 'file' | 'folder'
  name: string
}

const words = texts.trash

/** Returns the name of a single item, and the number of several. */
export function describeItems(items: readonly Trashable[]): string {
  const [only, ...others] = items
  if (only && others.length === 0) return texts.files.quoted(only.name)
  const idsOf = (kind: Trashable['kind']) => idsOfKind(items, kind).length
  return formatItems({ files: idsOf('file'), folders: idsOf('folder') })
}

const idsOfKind = (items: readonly Trashable[], kind: Trashable['kind']) =>
  items.filter((item) => item.kind === kind).map(({ id }) => id)

/** Maximum items that the server moves to the trash, or restores, in one request: it finishes without the page. */
const TRASH_BATCH = 5000

/** Moves items to the trash, and offers to undo it. */
export async function moveToTrash(
  items: readonly Trashable[],
  { mayUndo }: { mayUndo: boolean },
): Promise<void> {
  const trashed = new Set<string>()
  const put = async (some: readonly Trashable[]) => {
    const [fileIds, folderIds] = [idsOfKind(some, 'file'), idsOfKind(some, 'folder')]
    const moved = await putInTrash({
      ...(fileIds.length > 0 && { fileIds }),
      ...(folderIds.length > 0 && { folderIds }),
    })
    for (const id of moved.trashed) trashed.add(id)
    return moved
  }
  const steps = batchSteps(items, put, TRASH_BATCH)
  const outcome = await runJob(words.moving(describeItems(items)), steps)
  await refreshTrash()
  const moved = items.filter(({ id }) => trashed.has(id))
  reportJob(outcome, {
    done: moved.length > 0 ? words.moved(describeItems(moved)) : '',
    notDone: words.notDeleted,
    undo: mayUndo ? () => void restoreItems(moved) : undefined,
  })
}

/** Restores items from the trash, and reports the result. */
export async function restoreItems(items: readonly Trashable[]): Promise<void> {
  const names = new Map<string, string>()
  const restore = async (some: readonly Trashable[]) => {
    const result = await restoreFromTrash(some.map(({ id }) => id))
    for (const { id, name } of result.restored) names.set(id, name)
    return result
  }
  const steps = batchSteps(items, restore, TRASH_BATCH)
  const outcome = await runJob(words.restoring(describeItems(items)), steps)
  await refreshTrash()
  const restored = items.filter(({ id }) => names.has(id))
  reportJob(outcome, {
    done: restored.length > 0 ? restoredText(restored, names) : '',
    notDone: words.notRestored,
  })
}

/** Returns the message about restored items. It names the new name of a single one. */
function restoredText(items: readonly Trashable[], names: ReadonlyMap<string, string>): string {
  const [first] = items
  const name = first && names.get(first.id)
  const what = describeItems(items)
  return items.length === 1 && name !== undefined && name !== first?.name
    ? words.restoredAs(what, texts.files.quoted(name))
    : words.restored(what)
}

/** Items of one request that deletes for good: few, so that a stop takes effect soon. */
const PURGE_BATCH = 25

/** Deletes items of the trash for good, and reports the result. */
export async function purgeItems(items: readonly Trashable[]): Promise<void> {
  const what = describeItems(items)
  let deleted = 0
  const purge = async (some: readonly Trashable[]) => {
    const result = await deleteFromTrash(some.map(({ id }) => id))
    deleted += result.deleted
    return result
  }
  const outcome = await runJob(words.deleting(what), batchSteps(items, purge, PURGE_BATCH), words.stop)
  await refreshTrash()
  reportPurge(outcome, deleted, what)
}

/** Deletes the `count` items that are in the trash now for good, the oldest first, and reports the result. */
export async function purgeAll(count: number): Promise<void> {
  const failed = new Set<string>()
  let deleted = 0
  const purge = async ({ length }: readonly unknown[]) => {
    const oldest = await oldestInTrash(length + failed.size)
    const ids = oldest.filter((id) => !failed.has(id)).slice(0, length)
    if (ids.length === 0) return { failed: [] }
    const result = await deleteFromTrash(ids)
    deleted += result.deleted
    for (const { id } of result.failed) failed.add(id)
    return result
  }
  const steps = batchSteps(Array.from({ length: count }), purge, PURGE_BATCH)
  const outcome = await runJob(words.emptying, steps, words.stop)
  await refreshTrash()
  reportPurge(outcome, deleted, formatCount(count, texts.nouns.item))
}

/** Reports how many items were deleted for good, how many stay after a stop, and what failed. */
function reportPurge({ left, failed, reason, isCanceled }: JobOutcome, deleted: number, what: string): void {
  const item = texts.nouns.item
  const stopped = isCanceled ? left : 0
  const missed = failed + left - stopped
  if (stopped > 0) toast.done(words.stopped(formatCount(deleted, item), stopped))
  else if (deleted > 0) toast.done(words.deleted(missed > 0 ? formatCount(deleted, item) : what))
  if (missed > 0) toast.error(words.notDeleted(formatCount(missed, item), reason ?? texts.errors.title))
}
