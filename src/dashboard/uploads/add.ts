import { toast } from '../components/overlays/toast.tsx'
import { createStore } from '../lib/store.ts'
import { conflictTexts } from '../texts/conflicts.ts'
import { type Collected, type Picked, withName } from './collect.ts'
import { findTaken, findUnchanged } from './conflicts.ts'
import { type Conflict, findConflicts, isReplaceable, withFreeNames } from './names.ts'
import { discardEnded, enqueue, hasEnded, uploads } from './queue.ts'

export const CHOICES = ['skip', 'keep-both', 'replace'] as const
export type Choice = (typeof CHOICES)[number]

/** Returns the choices for some conflicts: a file cannot replace a folder, nor another file to upload. */
export const choicesFor = (conflicts: readonly Conflict[]): readonly Choice[] =>
  conflicts.every(isReplaceable) ? CHOICES : CHOICES.filter((choice) => choice !== 'replace')

/** Open question about files that already exist. */
export interface Question {
  /** Files that exist, with other bytes, and those whose name a folder or an earlier file to upload has. */
  conflicts: readonly Conflict[]
  /** Number of files to upload, including those. */
  total: number
  /** Continues with a choice for each conflict, or cancels with none. */
  answer: (choices: readonly Choice[] | undefined) => void
}

export const question = createStore<Question | undefined>(undefined)

/**
 * Uploads dropped or picked files into the folder `target`. Skips those that are there already with the same bytes,
 * and asks first about those with others.
 *
 * @param repeated Failed uploads that these repeat. They are discarded with the answer.
 * @returns False when the question was canceled.
 */
export async function addUploads(
  collected: Collected,
  target: string,
  repeated?: ReadonlySet<number>,
): Promise<boolean> {
  const folders = collected.files.map(({ folder }) => folder)
  const taken = await findTaken(folders, target, { isFresh: repeated !== undefined })
  const there = findConflicts(collected.files, target, taken)
  const unchanged = await findUnchanged(there, target)
  const conflicts = there.filter(({ picked }) => !unchanged.has(picked))
  const choices = conflicts.length > 0 ? await ask(conflicts, collected.files.length - unchanged.size) : []
  if (!choices || (repeated && !discardEnded(repeated))) return false
  const files = applyChoices(
    collected.files.filter((picked) => !unchanged.has(picked)),
    new Map(conflicts.map((conflict, index) => [conflict.picked, { ...conflict, choice: choices[index] }])),
  )
  if (unchanged.size > 0) toast.done(conflictTexts.unchanged(unchanged.size))
  const renamed = new Set(
    conflicts.flatMap(({ picked }, at) => (choices[at] === 'keep-both' ? [picked] : [])),
  )
  await enqueue(
    { ...collected, files: withFreeNames(files, target, { taken: taken.keys(), renamed }) },
    target,
  )
  return true
}

/** Repeats uploads that failed or were canceled. Asks about names that are taken by now, once for each folder. */
export async function retry(ids: ReadonlySet<number>): Promise<void> {
  const ended = uploads.get().filter((upload) => ids.has(upload.id) && hasEnded(upload))
  for (const target of new Set(ended.map(({ folder }) => folder))) {
    const some = ended.filter(({ folder }) => folder === target)
    const files = some.map(({ file, replaces, visibility }) => ({
      ...{ file, folder: '', visibility },
      ...(replaces !== undefined && { replaces }),
    }))
    const repeated = new Set(some.map(({ id }) => id))
    if (!(await addUploads({ files, emptyFolders: [] }, target, repeated))) return
  }
}

type Decided = Conflict & { choice: Choice | undefined }

/** Leaves out the files to skip, and notes which files others replace. */
const applyChoices = (files: readonly Picked[], decided: ReadonlyMap<Picked, Decided>): Picked[] =>
  files.flatMap((picked) => {
    const { choice, existing } = decided.get(picked) ?? {}
    if (choice === 'skip') return []
    return [
      choice === 'replace' && existing?.id !== undefined ? { ...picked, replaces: existing.id } : picked,
    ]
  })

/** Uploads a picked file in place of an existing one, whose name stays. */
export const addReplacement = ({ id, name }: { id: string; name: string }, folder: string, file: File) =>
  enqueue({ files: [{ file: withName(file, name), folder: '', replaces: id }], emptyFolders: [] }, folder)

async function ask(conflicts: readonly Conflict[], total: number): Promise<readonly Choice[] | undefined> {
  const { promise, resolve } = Promise.withResolvers<readonly Choice[] | undefined>()
  // An earlier question is canceled: both would stand in one place.
  question.get()?.answer(undefined)
  question.set(() => ({ conflicts, total, answer: resolve }))
  const choices = await promise
  question.set((open) => (open?.answer === resolve ? undefined : open))
  return choices
}
