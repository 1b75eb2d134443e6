import { toast } from '../components/overlays/toast.tsx'
import { formatCount } from '../lib/format.ts'
import { texts } from '../texts.ts'
import type { JobOutcome, Step } from './job.ts'
import { offerUndo } from './undo.ts'

/** Maximum ids in one request, within the server's default limits. */
const BATCH = 500

/** Returns one request for each batch of `items`. */
export function batchSteps<Item>(
  items: readonly Item[],
  run: (some: Item[]) => ReturnType<Step['run']>,
  batch = BATCH,
): Step[] {
  const steps: Step[] = []
  for (let first = 0; first < items.length; first += batch) {
    const some = items.slice(first, first + batch)
    steps.push({ items: some.length, run: () => run(some) })
  }
  return steps
}

/** Returns the items that a job changed in words: `all` if none is missing, or their number. */
export const changedItems = ({ done, failed, left }: JobOutcome, all: string): string =>
  failed + left === 0 ? all : formatCount(done, texts.nouns.item)

interface Report {
  /** Message about what was done; empty if it was nothing. */
  done: string
  /** Returns the message about items that failed, with the first reason. */
  notDone: (what: string, reason: string) => string
  undo?: (() => void) | undefined
}

/** Reports what a job did, what a cancel left, and what failed. */
export function reportJob(outcome: JobOutcome, { done, notDone, undo }: Report): void {
  const { failed, left, reason, isCanceled } = outcome
  const stopped = isCanceled ? left : 0
  const missed = failed + left - stopped
  const isAny = done !== '' && (outcome.done > 0 || failed + left === 0)
  const message = stopped > 0 ? texts.bulk.canceled(isAny ? done : '', stopped) : done
  if (isAny && undo) offerUndo(message, undo)
  else if (isAny || stopped > 0) toast.done(message)
  if (missed > 0) toast.error(notDone(formatCount(missed, texts.nouns.item), reason ?? texts.errors.title))
}
