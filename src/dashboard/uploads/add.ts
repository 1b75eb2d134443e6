import { toast } from '../components/overlays/toast.tsx'
import { createStore } from '../lib/store.ts'
import { texts } from '../texts.ts'
import type { Collected } from './collect.ts'
import { findTaken, keyOf, withFreeNames } from './conflicts.ts'
import { enqueue } from './queue.ts'

export type Choice = 'skip' | 'keep-both' | 'cancel'

/** Open question about files that already exist. */
export interface Question {
  /** Names of the files that exist. */
  names: string[]
  /** Number of files to upload, including those. */
  total: number
  answer: (choice: Choice) => void
}

export const question = createStore<Question | undefined>(undefined)

/** Uploads dropped or picked files into the folder `target`. Asks first about files that already exist. */
export async function addUploads(collected: Collected, target: string): Promise<void> {
  const taken = await findTaken(collected, target)
  const there = collected.files.filter((one) => taken.has(keyOf(one, target)))
  if (there.length === 0) return enqueue(collected, target)
  const choice = await ask(
    there.map(({ file }) => file.name),
    collected.files.length,
  )
  if (choice === 'cancel') return
  const files =
    choice === 'skip'
      ? collected.files.filter((one) => !there.includes(one))
      : withFreeNames(collected.files, target, taken)
  if (files.length === 0) toast.done(texts.uploads.conflict.nothingNew)
  await enqueue({ ...collected, files }, target)
}

async function ask(names: string[], total: number): Promise<Choice> {
  const { promise, resolve } = Promise.withResolvers<Choice>()
  // An earlier question is canceled: both would stand in one place.
  question.get()?.answer('cancel')
  question.set(() => ({ names, total, answer: resolve }))
  const choice = await promise
  question.set((open) => (open?.answer === resolve ? undefined : open))
  return choice
}
