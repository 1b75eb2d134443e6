import { pruneApiRequests } from '../../access/caller.ts'
import type { Context } from '../../access/context.ts'
import { pruneActivity } from '../../access/history.ts'

/** Prunes the activity and the API request records past their retention. */
export async function pruneHistory(deps: Pick<Context, 'store' | 'clock'>): Promise<void> {
  await pruneActivity(deps)
  await pruneApiRequests(deps)
}
