import { readTime } from '../api/time.ts'
import type { Device } from '../http/exchange.ts'
import { refuseInvalid } from '../platform/errors.ts'
import { RateLimiter } from '../platform/rate-limit.ts'
import { DAY_MS } from '../platform/time.ts'
import { WriteBehind } from '../platform/write-behind.ts'
import type { LogPart, SecurityEventRow } from '../store/rows.ts'
import type { Core } from '../store/store.ts'

export const SECURITY_EVENT_TYPES = [
  'account.registered',
  'sign-in.succeeded',
  'sign-in.failed',
  'sign-out',
  'session.ended',
  'second-factor.failed',
  'second-factor.enabled',
  'second-factor.disabled',
  'second-factor.reset',
  'second-factor.locked',
  'backup-codes.made',
  'backup-codes.used',
  'password.set',
  'password.changed',
  'password.change-failed',
  'password.reset',
  'email.changed',
  'role.changed',
  'quota.changed',
  'folders.changed',
  'account.created',
  'account.provisioned',
  'account.disabled',
  'account.enabled',
  'account.deleted',
  'invitation.created',
  'invitation.used',
  'invitation.revoked',
  'passkey.added',
  'passkey.removed',
  'device.approved',
  'identity.linked',
  'identity.unlinked',
  'sign-in-link.made',
  'sign-in-link.used',
  'api-key.created',
  'api-key.deleted',
  'webhook.created',
  'webhook.changed',
  'webhook.deleted',
  'site.created',
  'site.changed',
  'site.deleted',
  'share.created',
  'share.changed',
  'share.ended',
] as const
export type SecurityEventType = (typeof SECURITY_EVENT_TYPES)[number]

/** Event to record; `account` is missing when the e-mail belongs to none. */
export interface SecurityEvent {
  type: SecurityEventType
  account: { id: string; email: string } | undefined
  /** Account that made the change, if it is another one. */
  actorId?: string
  device: Device
  detail?: string
}

/** Builds the entry of a change by the machine's operator; it has no address. */
export const operatorEntry = (
  { clock, random }: Pick<Core, 'clock' | 'random'>,
  type: SecurityEventType,
  account: { id: string; email: string },
): SecurityEventRow => ({
  id: random.id(),
  type,
  userId: account.id,
  email: account.email,
  actorId: null,
  ipAddress: '',
  userAgent: 'command line',
  detail: null,
  createdAt: clock.now(),
})

/** Maximum entries in memory while the database cannot be written; the log has all of them. */
const MAX_WAITING = 1000
/**
 * Maximum failures an hour recorded for one account, and for all unknown e-mails together, so that guessing
 * cannot fill the disk.
 */
const MAX_FAILURES = 60
/**
 * Maximum other entries an hour recorded for the account that causes them, so that endless sign-ins cannot
 * fill the disk.
 */
const MAX_OTHERS = 1000
const HOUR_MS = 3_600_000

type SecurityLogDeps = Pick<Core, 'store' | 'clock' | 'random' | 'log'>

/**
 * Security log. Each event is a log line at once, and a row of the database with the next `flush`: a write
 * within the request would reveal by its time if an account exists.
 */
export class SecurityLog {
  readonly #deps: SecurityLogDeps
  readonly #failures: RateLimiter
  readonly #others: RateLimiter
  readonly #entries: WriteBehind<SecurityEventRow>

  constructor(deps: SecurityLogDeps) {
    this.#deps = deps
    const { store, clock } = deps
    const { monotonic } = clock
    this.#failures = new RateLimiter({ limit: MAX_FAILURES, windowMs: HOUR_MS, monotonic })
    this.#others = new RateLimiter({ limit: MAX_OTHERS, windowMs: HOUR_MS, monotonic })
    this.#entries = new WriteBehind<SecurityEventRow>({
      merge: () => {},
      save: (entries) =>
        store.transact(function* () {
          for (const entry of entries) yield* store.securityEvents.insert(entry)
        }),
      compare: (one, other) => one.createdAt - other.createdAt,
    })
  }

  record({ type, account, actorId, device, detail }: SecurityEvent): void {
    const { log, random, clock } = this.#deps
    const by = actorId === undefined ? {} : { by: actorId }
    log.notice(`Security: ${type}`, { address: device.ipAddress, account: account?.id ?? 'unknown', ...by })
    const limiter = type.endsWith('failed') ? this.#failures : this.#others
    if (limiter.take(actorId ?? account?.id ?? 'unknown') > 0 || this.#entries.size >= MAX_WAITING) return
    const id = random.id()
    this.#entries.add(id, {
      id,
      type,
      userId: account?.id ?? null,
      email: account?.email ?? null,
      actorId: actorId ?? null,
      ...device,
      detail: detail ?? null,
      createdAt: clock.now(),
    })
  }

  flush(): Promise<void> {
    return this.#entries.flush()
  }
}

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

type LogDeps = Pick<Core, 'store' | 'log'> & { securityLog: SecurityLog }

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
export async function pruneSecurityLog({ store, clock }: Pick<Core, 'store' | 'clock'>): Promise<void> {
  const days = Math.max(store.settings.current().activityRetentionDays, MIN_RETENTION_DAYS)
  const before = clock.now() - days * DAY_MS
  await store.removeInSlices((limit) => store.securityEvents.removeBefore(before, limit))
}
