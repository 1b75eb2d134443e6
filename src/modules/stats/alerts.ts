import { type Caller, scopeProblem } from '../../access/caller.ts'
import type { Context } from '../../access/context.ts'
import type { ActivityType } from '../../access/history.ts'
import { DAY_MS } from '../../platform/time.ts'
import { type KeyRow, MAX_LOG_BYTES } from '../../store/rows.ts'
import { recordTime } from '../../views/times.ts'
import type { Alert } from './model.ts'

/** Period of failures in alerts, and lead time of alerts about expiring API keys. */
const WEEK_MS = 7 * DAY_MS

const UNUSED_MS = 30 * DAY_MS

const FAILURES: Record<'uploads-failed' | 'deletes-failed', readonly ActivityType[]> = {
  'uploads-failed': ['upload.failed'],
  'deletes-failed': ['file.delete-failed', 'folder.delete-failed'],
}

/** Release to update to, if one fixes a vulnerability of this version. */
export interface UpdateNotice {
  securityRelease: () => string | undefined
}

/** Trouble with the certificate of HTTPS. */
export interface CertificateNotice {
  /** True while its files hold something that cannot be used. */
  isUnusable: () => boolean
  /** Returns when a certificate expires that should have been renewed. */
  expiring: () => number | undefined
  /** Returns the names that an authority refuses a certificate for. */
  refused: () => { name: string; reason: string }[]
}

/** Finds the alerts for the caller, each only with the scope to see its subject. */
export async function findAlerts(
  deps: Context & { updates: UpdateNotice; https: CertificateNotice | undefined },
  caller: Caller,
): Promise<Alert[]> {
  return [
    ...(scopeProblem(caller, 'users:manage') === undefined
      ? [...updateAlert(deps.updates), ...certificateAlerts(deps.https)]
      : []),
    ...(scopeProblem(caller, 'files:read') === undefined && caller.reach.isEverything
      ? [
          ...[...storageAlert(deps), ...logAlert(deps), ...(await cacheAlert(deps))],
          ...[...(await integrityAlert(deps)), ...unfinishedAlert(deps)],
        ]
      : []),
    ...(caller.via === 'session' ? await failureAlerts(deps, caller.user.id) : []),
    ...(scopeProblem(caller, 'api-keys:manage') === undefined ? await keyAlerts(deps, caller.user.id) : []),
  ]
}

function updateAlert({ securityRelease }: UpdateNotice): Alert[] {
  const version = securityRelease()
  return version === undefined ? [] : [{ type: 'security-release', version }]
}

function certificateAlerts(https: CertificateNotice | undefined): Alert[] {
  const expiresAt = https?.expiring()
  const names = https?.refused() ?? []
  return [
    ...(https?.isUnusable() ? [{ type: 'certificate-unusable' as const }] : []),
    ...(expiresAt === undefined
      ? []
      : [{ type: 'certificate-expiring' as const, expiresAt: recordTime(expiresAt) }]),
    ...(names.length > 0 ? [{ type: 'certificate-refused' as const, names }] : []),
  ]
}

function storageAlert({ store }: Context): Alert[] {
  const space = store.space()
  return space.available * 10 < space.capacity ? [{ type: 'storage-low', ...space }] : []
}

/**
 * Returns the alert about a long write-ahead log: another program has the database open for reading and
 * blocks checkpoints.
 */
function logAlert({ store }: Context): Alert[] {
  const size = store.logSize() ?? 0
  return size > MAX_LOG_BYTES ? [{ type: 'database-log', size, limit: MAX_LOG_BYTES }] : []
}

/** Returns the alert about a cache in front that has not accepted purges: it may serve files that are no longer public. */
async function cacheAlert({ store, config }: Context): Promise<Alert[]> {
  const owed = config.cdn && (await store.purges.overdue())
  return owed ? [{ type: 'cache-owed', count: owed.count, since: recordTime(owed.since) }] : []
}

/** Returns the alert about damaged files found so far, and how many of them are not in the tree. */
async function integrityAlert({ store }: Context): Promise<Alert[]> {
  const found = await store.integrity.summary()
  if (!found) return []
  const { files, trash, versions, latest } = found
  return [
    {
      type: 'integrity',
      count: files + trash + versions,
      latest: recordTime(latest),
      ...(trash > 0 && { trash }),
      ...(versions > 0 && { versions }),
    },
  ]
}

/** Returns the alert about changes that the disk does not let finish; the log names each. */
function unfinishedAlert({ store }: Context): Alert[] {
  const found = store.unfinished.summary()
  return found ? [{ type: 'unfinished', count: found.count, latest: recordTime(found.latest) }] : []
}

async function failureAlerts({ store, clock }: Context, userId: string): Promise<Alert[]> {
  const tallies = await store.activities.tally(userId, Object.values(FAILURES).flat(), clock.now() - WEEK_MS)
  return (['uploads-failed', 'deletes-failed'] as const).flatMap((type) => {
    const found = tallies.filter((tally) => FAILURES[type].some((failure) => failure === tally.type))
    if (found.length === 0) return []
    const count = found.reduce((sum, tally) => sum + tally.count, 0)
    return [{ type, count, latest: recordTime(Math.max(...found.map(({ latest }) => latest))) }]
  })
}

/**
 * Returns the alerts about API keys. An expired key has that one only; one that expires soon may be unused as
 * well.
 */
async function keyAlerts({ store, clock }: Context, userId: string): Promise<Alert[]> {
  const now = clock.now()
  const keys = await store.keys.ofUser(userId)
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
