import { eventually, rounds } from './eventually.ts'
import type { Holdfast } from './holdfast.ts'
import { KIND } from './kind.ts'
import { openRows } from './rows.ts'

/** Waits until requests that were sent wait for the transaction of a second connection. */
export async function parked(holdfast: Holdfast, requests = 1): Promise<void> {
  if (KIND === 'scale') {
    using database = openRows(holdfast)
    const waiting = database.query(
      "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()",
    )
    return eventually(() => waiting.all().length >= requests)
  }
  // Before its transaction a change only reads rows, so it asks for the lock before a later request is answered.
  await holdfast.fetch('/api/health')
  await rounds()
}
