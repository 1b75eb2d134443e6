import type { Device } from '../http/exchange.ts'
import { RateLimiter } from '../platform/rate-limit.ts'
import { WriteBehind } from '../platform/write-behind.ts'
import type { Core } from '../store/core.ts'
import type { SecurityEventRow } from '../store/rows.ts'

export const SECURITY_EVENT_TYPES = [
  'account.registered',
  'sign-in.succeeded',
  'sign-in.failed',
  'sign-out',
  'session.ended',
  'password.changed',
  'password.change-failed',
  'password.reset',
  'email.changed',
  'role.changed',
  'account.created',
  'account.disabled',
  'account.enabled',
  'account.deleted',
  'invitation.created',
  'invitation.used',
  'invitation.revoked',
  'api-key.created',
  'api-key.deleted',
  'webhook.created',
  'webhook.changed',
  'webhook.deleted',
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
