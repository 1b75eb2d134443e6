import type { Clock } from '../platform/clock.ts'
import { RateLimiter } from '../platform/rate-limit.ts'
import type { Throttles } from '../store/rows.ts'
import type { SignInGuard } from './sign-in-guard.ts'

/** Functions that need no wait where one server counts alone. */
type MayWait<Functions> = {
  [Name in keyof Functions]: Functions[Name] extends (...values: infer Values) => infer Result
    ? (...values: Values) => Result | Promise<Result>
    : never
}

/** Limiter of failed sign-ins by address and e-mail. */
export type SignInLimiter = MayWait<Pick<RateLimiter, 'take' | 'peek' | 'forget'>>
/** Throttle of sign-ins to one account, whatever the addresses they come from. */
export type AccountGuard = MayWait<Pick<SignInGuard, 'isSlowed' | 'takeTry' | 'failed'>>

/** Returns the hash of a bucket: the e-mail addresses of tries do not enter the database. */
const hashOf = (text: string) => new Bun.CryptoHasher('sha256').update(text).digest('hex')

interface SharedLimit {
  /** Name that no other limit has. */
  name: string
  limit: number
  windowMs: number
}

/** Limiter with a fixed window for each bucket, whose counts all servers share exactly. */
export class SharedLimiter implements SignInLimiter {
  readonly #throttles: Throttles
  readonly #shared: SharedLimit

  constructor(throttles: Throttles, shared: SharedLimit) {
    this.#throttles = throttles
    this.#shared = shared
  }

  async take(bucket: string): Promise<number> {
    const { limit, windowMs } = this.#shared
    const key = this.#keyOf(bucket)
    const sum = (await this.#throttles.add(new Map([[key, 1]]), windowMs)).get(key)
    return sum === undefined || sum.count <= limit ? 0 : secondsOf(sum.endsInMs)
  }

  async peek(bucket: string): Promise<number> {
    const sum = await this.#throttles.of(this.#keyOf(bucket))
    return sum === undefined || sum.count < this.#shared.limit ? 0 : secondsOf(sum.endsInMs)
  }

  async forget(bucket: string): Promise<void> {
    await this.#throttles.forget(this.#keyOf(bucket))
  }

  #keyOf(bucket: string): string {
    return `${this.#shared.name} ${hashOf(bucket)}`
  }
}

/** Creates a limiter, which several servers count together. */
export const limiterOf = (
  {
    store: { throttles },
    clock: { monotonic },
  }: { store: { throttles?: Throttles | undefined }; clock: Clock },
  shared: SharedLimit,
): SignInLimiter =>
  throttles
    ? new SharedLimiter(throttles, shared)
    : new RateLimiter({ limit: shared.limit, windowMs: shared.windowMs, monotonic })

const secondsOf = (ms: number) => Math.max(1, Math.ceil(ms / 1000))

/** Throttle of sign-ins to one account by all servers together. */
export class SharedSignInGuard implements AccountGuard {
  readonly #failures: SharedLimiter
  readonly #tries: SharedLimiter

  constructor(throttles: Throttles, limits: { failures: number; windowMs: number; tryMs: number }) {
    const { failures, windowMs, tryMs } = limits
    this.#failures = new SharedLimiter(throttles, { name: 'failures', limit: failures, windowMs })
    this.#tries = new SharedLimiter(throttles, { name: 'tries', limit: 1, windowMs: tryMs })
  }

  async isSlowed(email: string): Promise<boolean> {
    return (await this.#failures.peek(email)) > 0
  }

  takeTry(email: string): Promise<number> {
    return this.#tries.take(email)
  }

  async failed(email: string): Promise<void> {
    await this.#failures.take(email)
  }
}
