import { explain } from '../../api/client.ts'
import { deleteFiles, deleteFolder, refreshFolders } from '../../api/files.ts'
import { noteAccess } from '../../api/query.ts'
import { beforeSignOut } from '../../api/session.ts'
import { TOAST_MS, toast } from '../../components/toast.tsx'
import { formatItems } from '../../lib/format.ts'
import { createStore } from '../../lib/store.ts'
import { texts } from '../../texts.ts'
import { inBatches } from './batches.ts'
import { countItems, type Item, isFile, isFolder } from './items.ts'

/** Ids that are hidden because their delete can still be taken back. */
export const hiddenIds = createStore<ReadonlySet<string>>(new Set())

const hide = (items: readonly Item[]) =>
  hiddenIds.set((ids) => new Set([...ids, ...items.map(({ id }) => id)]))

const show = (items: readonly Item[]) => {
  const shown = new Set(items.map(({ id }) => id))
  hiddenIds.set((ids) => new Set([...ids].filter((id) => !shown.has(id))))
}

/** Deletes when the time to take it back is over, or at once when the page is left or the account signs out. */
export function deleteSoon(items: readonly Item[]): void {
  hide(items)
  const end = () => {
    clearTimeout(timer)
    removeEventListener('pagehide', commit)
    stay()
  }
  const commit = () => {
    end()
    return deleteNow(items)
  }
  const timer = setTimeout(commit, TOAST_MS)
  addEventListener('pagehide', commit)
  const stay = beforeSignOut(commit)
  const undo = () => {
    end()
    show(items)
  }
  toast.done(texts.files.deleted(formatItems(countItems(items))), { label: texts.actions.undo, run: undo })
}

async function deleteNow(items: readonly Item[]): Promise<void> {
  try {
    const { failed } = await inBatches(
      items.filter(isFile).map(({ id }) => id),
      deleteFiles,
    )
    for (const { id } of items.filter(isFolder)) await deleteFolder(id)
    const [first] = failed
    if (first) toast.error(first.message)
  } catch (error) {
    noteAccess(error)
    toast.error(explain(error))
  }
  await refreshFolders()
  show(items)
}
