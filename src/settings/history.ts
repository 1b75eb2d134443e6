import type { Deps } from '../deps.ts'

const DAY_MS = 86_400_000
/** Rows removed in one transaction, so that other requests wait no longer than for these. */
const SLICE_ROWS = 200

/**
 * Removes the activity and the API request records that are past their retention (spec: Limits). Requests
 * are counted by UTC day: a day's records are older once all of the day is.
 */
export async function pruneHistory({
  catalog,
  settings,
  clock,
}: Pick<Deps, 'catalog' | 'settings' | 'clock'>): Promise<void> {
  const { activityRetentionDays, apiRequestRetentionDays } = settings.current()
  const daysAgo = (days: number) => clock.now() - days * DAY_MS
  const oldest = daysAgo(activityRetentionDays)
  while (catalog.activities.anyBefore(oldest)) {
    await catalog.transact(() => catalog.activities.removeBefore(oldest, SLICE_ROWS))
  }
  const oldestDay = new Date(daysAgo(apiRequestRetentionDays)).toISOString().slice(0, 10)
  while (catalog.apiRequests.anyBefore(oldestDay)) {
    await catalog.transact(() => catalog.apiRequests.removeBefore(oldestDay, SLICE_ROWS))
  }
}
