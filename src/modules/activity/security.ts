import type { Context } from '../../access/context.ts'
import { SECURITY_EVENT_TYPES } from '../../access/security-log.ts'
import { refuseInvalid } from '../../platform/errors.ts'
import { DAY_MS } from '../../platform/time.ts'
import type { SecurityEventRow } from '../../store/rows.ts'

/** Maximum entries of one list. */
const MAX_LISTED = 200
/** Minimum retention of the security log in days, however short that of activity is. */
const MIN_RETENTION_DAYS = 90

/** Filter of the security log. */
interface LogPart {
  userId?: string | undefined
  before?: string | undefined
  types?: readonly string[] | undefined
  limit?: number | undefined
}

/**
 * Returns the latest entries of the security log, newest first: of one account, or of all.
 *
 * @throws {Refusal} `invalid` when the entry to continue from is not in that part.
 */
export async function listSecurityEvents(
  { store, securityLog, log }: Pick<Context, 'store' | 'securityLog' | 'log'>,
  { userId, before, types, limit = MAX_LISTED }: LogPart,
): Promise<SecurityEventRow[]> {
  await securityLog.flush().catch((error) => log.error('The security log could not be saved', error))
  const last = before === undefined ? undefined : await store.securityEvents.byId(before)
  if (before !== undefined && (!last || (userId !== undefined && last.userId !== userId)))
    throw refuseInvalid('"before" is not an entry of this list')
  const known = types && SECURITY_EVENT_TYPES.filter((type) => types.includes(type))
  return store.securityEvents.newest({ userId, before: last, types: known, limit })
}

/**
 * Parses the maximum length of a list.
 *
 * @throws {Refusal} `invalid` when `text` is not a number in range.
 */
export function readLimit(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const limit = /^\d{1,3}$/.test(text) ? Number(text) : 0
  if (limit >= 1 && limit <= MAX_LISTED) return limit
  throw refuseInvalid(`"limit" must be a whole number from 1 to ${MAX_LISTED}`)
}

/** Removes entries past the retention of activity, and older than 90 days. */
export async function pruneSecurityLog({ store, clock }: Pick<Context, 'store' | 'clock'>): Promise<void> {
  const days = Math.max(store.settings.current().activityRetentionDays, MIN_RETENTION_DAYS)
  const before = clock.now() - days * DAY_MS
  await store.removeInSlices((limit) => store.securityEvents.removeBefore(before, limit))
}
