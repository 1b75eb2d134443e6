import {
  deleteFiles,
  deleteFolder,
  moveFiles,
  moveFolder,
  type Outcome,
  refreshFolders,
  setFilesVisibility,
  setFolderVisibility,
  type Visibility,
} from '../../api/files.ts'
import { batchSteps, reportFailures } from '../../bulk/batches.ts'
import { type JobOutcome, runJob, type Step } from '../../bulk/job.ts'
import { toast } from '../../components/overlays/toast.tsx'
import { formatItems } from '../../lib/format.ts'
import { lastSegment } from '../../lib/keys.ts'
import { texts } from '../../texts.ts'
import { countItems, type Item, isFile, isFolder } from './items.ts'

/** Deletes items permanently and reports the result. */
export async function deleteItems(items: readonly Item[]): Promise<void> {
  const what = formatItems(countItems(items))
  const outcome = await runJob(texts.files.deleting(what), [
    ...folderSteps(items, deleteFolder),
    ...fileSteps(items, deleteFiles),
  ])
  await refreshFolders()
  report(outcome, texts.files.deleted(what), texts.files.notDeleted)
}

/** Sets the visibility of files and of everything below folders, and reports the result. */
export async function setVisibility(items: readonly Item[], visibility: Visibility): Promise<void> {
  const what = formatItems(countItems(items))
  const word = texts.visibility[visibility].toLowerCase()
  const changed = items.filter((item) => isFolder(item) || item.visibility !== visibility)
  const outcome = await runJob(texts.files.settingVisibility(what, word), [
    ...folderSteps(changed, (id) => setFolderVisibility(id, visibility)),
    ...fileSteps(changed, (ids) => setFilesVisibility(ids, visibility)),
  ])
  if (changed.some(isFolder) || outcome.failed + outcome.left > 0) await refreshFolders()
  report(outcome, texts.files.visibilitySet(what, word), texts.files.visibilityFailed)
}

/** Moves items into the folder at the object key `target`, and reports the result. */
export async function moveItems(items: readonly Item[], target: string): Promise<void> {
  const what = formatItems(countItems(items))
  const outcome = await runJob(texts.files.moving(what), [
    ...folderSteps(items, (id) => moveFolder(id, target)),
    ...fileSteps(items, (ids) => moveFiles(ids, target)),
  ])
  await refreshFolders()
  report(outcome, texts.files.moved(what, lastSegment(target)), texts.files.someNotMoved)
}

const folderSteps = (items: readonly Item[], act: (id: string) => Promise<unknown>): Step[] =>
  items.filter(isFolder).map(({ id }) => ({
    items: 1,
    run: async () => {
      await act(id)
      return { failed: [] }
    },
  }))

const fileSteps = (items: readonly Item[], act: (ids: string[]) => Promise<Outcome>): Step[] =>
  batchSteps(items.filter(isFile), (some) => act(some.map(({ id }) => id)))

function report(outcome: JobOutcome, done: string, notDone: (what: string, reason: string) => string): void {
  if (reportFailures(outcome, notDone)) toast.done(done)
}
