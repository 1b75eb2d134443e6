import type { Outcome } from '../../api/files.ts'

/** Ids in one request: the server's default limits. */
const BATCH = 500

/** Does something to many files, as many at once as the server takes. */
export async function inBatches(ids: string[], act: (some: string[]) => Promise<Outcome>): Promise<Outcome> {
  const failed: Outcome['failed'] = []
  for (let first = 0; first < ids.length; first += BATCH) {
    failed.push(...(await act(ids.slice(first, first + BATCH))).failed)
  }
  return { failed }
}
