import {
  copyAll,
  deleteAll,
  moveAll,
  refreshFolders,
  setVisibilityOfAll,
  type Visibility,
} from '../../api/files.ts'
import { readReach } from '../../api/reach.ts'
import { batchSteps, changedItems, reportJob, runJob, type Step } from '../../bulk/job.ts'
import { formatItems } from '../../lib/format.ts'
import { lastSegment, parentKey } from '../../lib/paths.ts'
import { browseTexts } from '../../texts/browse.ts'
import { texts } from '../../texts.ts'
import { countItems, type Item, isFile, isFolder, releaseCut } from './items.ts'

/** Deletes items permanently and reports the result. */
export async function deleteItems(items: readonly Item[]): Promise<void> {
  const what = formatItems(countItems(items))
  const remove = (some: Item[]) => deleteAll(idsOf(some))
  const outcome = await runJob(texts.files.deleting(what), batchSteps(items, remove))
  await refreshFolders()
  reportJob(outcome, {
    done: texts.files.deleted(changedItems(outcome, what)),
    notDone: texts.files.notDeleted,
  })
}

/** Sets the visibility of files and of everything below folders, and reports the result. */
export async function setVisibility(items: readonly Item[], visibility: Visibility): Promise<void> {
  const what = formatItems(countItems(items))
  const word = texts.visibility[visibility].toLowerCase()
  const changed = items.filter((item) => isFolder(item) || item.visibility !== visibility)
  const set = (some: Item[]) => setVisibilityOfAll(idsOf(some), visibility)
  const steps = batchSteps(changed, set)
  const outcome = await runJob(texts.files.settingVisibility(what, word), steps)
  if (changed.some(isFolder) || outcome.failed + outcome.left > 0) await refreshFolders()
  reportJob(outcome, {
    done: texts.files.visibilitySet(changedItems(outcome, what), word),
    notDone: texts.files.visibilityFailed,
  })
}

/** Moves items into the folder at the object key `target`, reports the result, and offers to undo it. */
export async function moveItems(items: readonly Item[], target: string): Promise<void> {
  const moved = new Set<string>()
  const outcome = await runJob(
    texts.files.moving(formatItems(countItems(items))),
    moveSteps(items, target, moved),
  )
  releaseCut(items)
  await refreshFolders()
  const done = items.filter(({ id }) => moved.has(id))
  const what = formatItems(countItems(done))
  reportJob(outcome, {
    done: texts.files.moved(what, lastSegment(target)),
    notDone: texts.files.someNotMoved,
    undo: mayReturn(done, target) ? () => void moveBack(done) : undefined,
  })
}

/** Returns true if items may return from a folder to those of their keys. */
function mayReturn(items: readonly Item[], from: string): boolean {
  const { missingToMove } = readReach()
  return items.every(({ key }) => missingToMove(from, parentKey(key)) === undefined)
}

/** Moves items back to the folders of their keys before the move. */
async function moveBack(items: readonly Item[]): Promise<void> {
  const what = formatItems(countItems(items))
  const places = Map.groupBy(items, ({ key }) => parentKey(key))
  const steps = [...places].flatMap(([folder, some]) => moveSteps(some, folder))
  const outcome = await runJob(texts.files.moving(what), steps)
  releaseCut(items)
  await refreshFolders()
  reportJob(outcome, {
    done: browseTexts.movedBack(changedItems(outcome, what)),
    notDone: texts.files.someNotMoved,
  })
}

/** @param moved Receives the ids of moved items. */
const moveSteps = (items: readonly Item[], target: string, moved = new Set<string>()): Step[] => {
  const move = async (some: Item[]) => {
    const outcome = await moveAll(idsOf(some), target)
    for (const id of outcome.moved) moved.add(id)
    return outcome
  }
  return batchSteps(items, move)
}

/** Copies items into the folder at the object key `target`, and reports the result. */
export async function copyItems(items: readonly Item[], target: string): Promise<void> {
  const what = formatItems(countItems(items))
  const copy = (some: Item[]) => copyAll(idsOf(some), target)
  const outcome = await runJob(browseTexts.copying(what), batchSteps(items, copy))
  await refreshFolders()
  reportJob(outcome, {
    done: browseTexts.copied(changedItems(outcome, what), lastSegment(target)),
    notDone: browseTexts.notCopied,
  })
}

/** Returns the ids of items as requests send them. */
export const idsOf = (items: readonly Item[]) => ({
  fileIds: items.filter(isFile).map(({ id }) => id),
  folderIds: items.filter(isFolder).map(({ id }) => id),
})
