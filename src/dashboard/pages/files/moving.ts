import { moveFiles, moveFolder, refreshFolders } from '../../api/files.ts'
import { toast } from '../../components/toast.tsx'
import { formatItems } from '../../lib/format.ts'
import { lastSegment } from '../../lib/keys.ts'
import { texts } from '../../texts.ts'
import { inBatches } from './batches.ts'
import { countItems, type Item, isFile, isFolder } from './items.ts'

/** Moves items into the folder with the key `target`, and says what became of them. */
export async function moveInto(items: readonly Item[], target: string): Promise<void> {
  try {
    for (const { id } of items.filter(isFolder)) await moveFolder(id, target)
    const ids = items.filter(isFile).map(({ id }) => id)
    const { failed } = await inBatches(ids, (some) => moveFiles(some, target))
    const [first] = failed
    if (first) toast.error(texts.files.someNotMoved(failed.length, first.message))
    else toast.done(texts.files.moved(formatItems(countItems(items)), lastSegment(target)))
  } finally {
    await refreshFolders()
  }
}
