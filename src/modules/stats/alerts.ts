import { type Caller, scopeProblem } from '../../access/caller.ts'
import type { Context } from '../../access/context.ts'
import { DAY_MS } from '../../platform/time.ts'
import type { KeyRow } from '../../store/rows.ts'
import { MAX_LOG_BYTES } from '../../store/rows.ts'
import type { ActivityType } from '../activity/service.ts'
import { recordTime } from '../files/model.ts'
import type { Alert } from './model.ts'

/** How far back failures are told, and how far ahead the end of a key. */
const WEEK_MS = 7 * DAY_MS
const UNUSED_MS = 30 * DAY_MS

const FAILURES: Record<'uploads-failed' | 'deletes-failed', readonly ActivityType[]> = {
  'uploads-failed': ['upload.failed'],
  'deletes-failed': ['file.delete-failed', 'folder.delete-failed'],
}

/** What the caller should look at (spec: alerts), each only for those who may see what it is about. */
export function findAlerts(deps: Context, caller: Caller): Alert[] {
  return [
    ...(scopeProblem(caller, 'files:read') === undefined
      ? [...storageAlert(deps), ...logAlert(deps), ...integrityAlert(deps), ...unfinishedAlert(deps)]
      : []),
    ...(caller.via === 'session' ? failureAlerts(deps, caller.user.id) : []),
    ...(scopeProblem(caller, 'api-keys:manage') === undefined ? keyAlerts(deps, caller.user.id) : []),
  ]
}

function storageAlert({ store }: Context): Alert[] {
  const space = store.space()
  return space.available * 10 < space.capacity ? [{ type: 'storage-low', ...space }] : []
}

/** A log that another program keeps from being written back: such a program has the database open for reading. */
function logAlert({ store }: Context): Alert[] {
  const size = store.logSize()
  return size > MAX_LOG_BYTES ? [{ type: 'database-log', size, limit: MAX_LOG_BYTES }] : []
}

/** Files that are not what they were, as far as they were looked at. */
function integrityAlert({ store }: Context): Alert[] {
  const found = store.integrity.summary()
  return found ? [{ type: 'integrity', count: found.count, latest: recordTime(found.latest) }] : []
}

/** Changes that the disk does not let finish: the log names each. */
function unfinishedAlert({ store }: Context): Alert[] {
  const found = store.unfinished.summary()
  return found ? [{ type: 'unfinished', count: found.count, latest: recordTime(found.latest) }] : []
}

function failureAlerts({ store, clock }: Context, userId: string): Alert[] {
  const tallies = store.activities.tally(userId, Object.values(FAILURES).flat(), clock.now() - WEEK_MS)
  return (['uploads-failed', 'deletes-failed'] as const).flatMap((type) => {
    const found = tallies.filter((tally) => FAILURES[type].some((failure) => failure === tally.type))
    if (found.length === 0) return []
    const count = found.reduce((sum, tally) => sum + tally.count, 0)
    return [{ type, count, latest: recordTime(Math.max(...found.map(({ latest }) => latest))) }]
  })
}

/** A key that has expired is told as that alone; one that expires soon may be unused as well. */
function keyAlerts({ store, clock }: Context, userId: string): Alert[] {
  const now = clock.now()
  const keys = store.keys.ofUser(userId)
  const endsBy = (time: number) => (key: KeyRow) => key.expiresAt !== null && key.expiresAt <= time
  const expired = keys.filter(endsBy(now))
  const valid = keys.filter((key) => !expired.includes(key))
  const counts = {
    'keys-expired': expired.length,
    'keys-expiring': valid.filter(endsBy(now + WEEK_MS)).length,
    'keys-unused': valid.filter(({ usedAt, createdAt }) => (usedAt ?? createdAt) <= now - UNUSED_MS).length,
  }
  return (['keys-expired', 'keys-expiring', 'keys-unused'] as const)
    .map((type) => ({ type, count: counts[type] }))
    .filter(({ count }) => count > 0)
}
