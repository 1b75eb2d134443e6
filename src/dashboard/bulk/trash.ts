import { type Folder, type HoldfastFile, returning, showItems } from '../api/files.ts'
import { deleteFromTrash, emptyTrash, putInTrash, refreshTrash, restoreFromTrash } from '../api/trash.ts'
import { formatCount, formatItems } from '../lib/format.ts'
import { texts } from '../texts.ts'
import { batchSteps, changedItems, reportJob, runJob, type Step } from './job.ts'

/** File or folder that is, or goes, in the trash. */
export interface Trashable {
  id: string
  kind: 'file' | 'folder'
  name: string
  /** Row of a list, which an undo shows at once. */
  row?: HoldfastFile | Folder
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

/** Moves items to the trash, and offers to undo it. Lists show again what the server refused. */
export async function moveToTrash(
  items: readonly Trashable[],
  { mayUndo }: { mayUndo: boolean },
): Promise<void> {
  const trashed = new Set<string>()
  const put = async (some: readonly Trashable[]) => {
    const [fileIds, folderIds] = [idsOfKind(some, 'file'), idsOfKind(some, 'folder')]
    const moved = await putInTrash({ fileIds, folderIds })
    for (const id of moved.trashed) trashed.add(id)
    return moved
  }
  const steps = batchSteps(items, put)
  const outcome = await runJob(words.moving(describeItems(items)), steps)
  const moved = items.filter(({ id }) => trashed.has(id))
  showItems(items.filter(({ id }) => !trashed.has(id)))
  reportJob(outcome, {
    done: moved.length > 0 ? words.moved(describeItems(moved)) : '',
    notDone: words.notDeleted,
    undo: mayUndo ? () => void restoreItems(moved) : undefined,
  })
  await refreshTrash()
}

/** Restores items from the trash, and reports the result. Rows are back in their lists at once. */
export async function restoreItems(items: readonly Trashable[]): Promise<void> {
  const names = new Map<string, string>()
  showItems(items)
  const rows = new Set(items.flatMap(({ row }) => row ?? []))
  returning.set((now) => [...now, ...rows])
  const restore = async (some: readonly Trashable[]) => {
    const result = await restoreFromTrash(some.map(({ id }) => id))
    for (const { id, name } of result.restored) names.set(id, name)
    return result
  }
  const steps = batchSteps(items, restore)
  const outcome = await runJob(words.restoring(describeItems(items)), steps)
  returning.set((now) => now.filter((row) => !rows.has(row) || names.has(row.id)))
  const restored = items.filter(({ id }) => names.has(id))
  reportJob(outcome, {
    done: restored.length > 0 ? restoredText(restored, names) : '',
    notDone: words.notRestored,
  })
  await refreshTrash()
  returning.set((now) => now.filter((row) => !rows.has(row)))
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

/** Deletes items of the trash for good, and reports the result. */
export function purgeItems(items: readonly Trashable[]): Promise<void> {
  const purge = (some: readonly Trashable[]) => deleteFromTrash(some.map(({ id }) => id))
  const what = describeItems(items)
  return runPurge(words.deleting(what), batchSteps(items, purge), what)
}

/** Deletes everything in the trash for good, which is `items` in number, and reports the result. */
export const purgeAll = (items: number): Promise<void> =>
  runPurge(words.emptying, [{ items, run: emptyTrash }], formatCount(items, texts.nouns.item))

async function runPurge(title: string, steps: readonly Step[], what: string): Promise<void> {
  const outcome = await runJob(title, steps)
  await refreshTrash()
  reportJob(outcome, { done: words.deleted(changedItems(outcome, what)), notDone: words.notDeleted })
}
