import { toast } from '../components/overlays/toast.tsx'
import { formatCount } from '../lib/format.ts'
import { texts } from '../texts.ts'
import type { JobOutcome, Step } from './job.ts'

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

/** Shows that items failed, with the first reason. Returns true if none did. */
export function reportFailures(
  { failed, left, reason }: JobOutcome,
  notDone: (what: string, reason: string) => string,
): boolean {
  const missed = failed + left
  if (missed > 0) toast.error(notDone(formatCount(missed, texts.nouns.item), reason ?? texts.bulk.canceled))
  return missed === 0
}
