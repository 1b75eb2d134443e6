import { pruneApiRequests } from '../../access/key-usage.ts'
import type { Deps } from '../../deps.ts'
import { pruneActivity } from '../activity/service.ts'

/** Removes the activity and the API request records that are past their retention (spec: Limits). */
export async function pruneHistory(deps: Pick<Deps, 'store' | 'settings' | 'clock'>): Promise<void> {
  await pruneActivity(deps)
  await pruneApiRequests(deps)
}
