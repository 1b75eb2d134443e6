import type { Context } from '../../access/context.ts'
import { pruneApiRequests } from '../../access/key-usage.ts'
import { pruneActivity } from '../activity/service.ts'

/** Removes the activity and the API request records that are past their retention (spec: Limits). */
export async function pruneHistory(deps: Pick<Context, 'store' | 'clock'>): Promise<void> {
  await pruneActivity(deps)
  await pruneApiRequests(deps)
}
