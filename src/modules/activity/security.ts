import type { Context } from '../../access/context.ts'
import { SECURITY_EVENT_TYPES, type SecurityEventType } from '../../access/security-log.ts'
import { readTime } from '../../api/time.ts'
import { refuseInvalid } from '../../platform/errors.ts'
import { DAY_MS } from '../../platform/time.ts'
import type { LogPart, SecurityEventRow } from '../../store/rows.ts'

/** Maximum entries of one list. */
const MAX_LISTED = 200
/** Entries that an export reads at a time. */
const EXPORT_PAGE = 200
/** Minimum retention of the security log in days, however short that of activity is. */
const MIN_RETENTION_DAYS = 90

/** Page of a part of the security log. */
interface LogPage extends LogPart {
  /** Id of the entry before the page. */
  before?: string | undefined
  limit?: number | undefined
}

type LogDeps = Pick<Context, 'store' | 'securityLog' | 'log'>

/** Filter of the security log as a request has it. */
export interface SecurityFilter {
  user?: string | undefined
  types?: string | undefined
  address?: string | undefined
  after?: string | undefined
  until?: string | undefined
}

/** Parses a filter. @throws {Refusal} `invalid` for a type or a time that does not exist. */
export const readFilter = ({ user, types, address, after, until }: SecurityFilter): LogPart => {
  return {
    userId: user,
    types: types?.split(',').map(readType),
    address,
    after: readTime('after', after),
    until: readTime('until', until),
  }
}

function readType(wanted: string): SecurityEventType {
  const type = SECURITY_EVENT_TYPES.find((known) => known === wanted)
  if (type) return type
  throw refuseInvalid(`"types" must be of ${SECURITY_EVENT_TYPES.join(', ')}, not "${wanted}"`)
}

/**
 * Returns the latest entries of a part of the security log, newest first.
 *
 * @throws {Refusal} `invalid` when the entry to continue from is not in that part.
 */
export async function listSecurityEvents(
  deps: LogDeps,
  { before, limit = MAX_LISTED, ...part }: LogPage,
): Promise<SecurityEventRow[]> {
  const { store } = deps
  const { userId } = part
  await saveAll(deps)
  const last = before === undefined ? undefined : await store.securityEvents.byId(before)
  if (before !== undefined && (!last || (userId !== undefined && last.userId !== userId)))
    throw refuseInvalid('"before" is not an entry of this list')
  return store.securityEvents.newest({ ...part, before: last, limit })
}

/** Yields the entries of a part, newest first, page by page. */
export async function* securityEvents(deps: LogDeps, part: LogPart): AsyncGenerator<SecurityEventRow[]> {
  await saveAll(deps)
  for (let before: SecurityEventRow | undefined; ; ) {
    const page = await deps.store.securityEvents.newest({ ...part, before, limit: EXPORT_PAGE })
    if (page.length > 0) yield page
    before = page[EXPORT_PAGE - 1]
    if (!before) return
  }
}

/** Saves the entries in memory, so that lists have them. */
const saveAll = ({ securityLog, log }: LogDeps) =>
  securityLog.flush().catch((error) => log.error('The security log could not be saved', error))

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
