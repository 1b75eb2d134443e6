/** Failures an hour past which an account is throttled. */
export const FREE_FAILURES = 50
/** Time in which failures count together, in milliseconds. */
export const FAILURES_MS = 3_600_000
/** Time between two tries of a throttled account, in milliseconds. */
export const TRY_MS = 1000
/**
 * Number of slots that e-mails share by their hash. The fixed size costs a megabyte whatever is tried, and no
 * flood of other e-mails evicts one; two e-mails in one slot are throttled together.
 */
const SLOTS = 65_536

interface SignInGuardOptions {
  /** Returns milliseconds of a monotonic clock. */
  monotonic: () => number
  /** Random seed, so that attackers cannot choose e-mails of one slot. */
  seed: number
}

/**
 * Throttles sign-ins to one account after many failures in an hour, whatever the addresses they come from.
 * E-mails without an account are throttled in the same way, so that nothing tells them apart.
 */
export class SignInGuard {
  readonly #options: SignInGuardOptions
  readonly #failures = new Uint32Array(SLOTS)
  readonly #endsAt = new Float64Array(SLOTS)
  readonly #nextTryAt = new Float64Array(SLOTS)

  constructor(options: SignInGuardOptions) {
    this.#options = options
  }

  /** Returns true if `email` has had too many failures in the hour of its first one. */
  isSlowed(email: string): boolean {
    const slot = this.#slotOf(email)
    return this.#failuresIn(slot) >= FREE_FAILURES
  }

  /** Returns the whole seconds until the next try; 0 takes it now. */
  takeTry(email: string): number {
    const [slot, now] = [this.#slotOf(email), this.#options.monotonic()]
    const wait = (this.#nextTryAt[slot] ?? 0) - now
    if (wait > 0) return Math.ceil(wait / 1000)
    this.#nextTryAt[slot] = now + TRY_MS
    return 0
  }

  failed(email: string): void {
    const slot = this.#slotOf(email)
    const failures = this.#failuresIn(slot)
    if (failures === 0) this.#endsAt[slot] = this.#options.monotonic() + FAILURES_MS
    this.#failures[slot] = failures + 1
  }

  #failuresIn(slot: number): number {
    const isOver = this.#options.monotonic() >= (this.#endsAt[slot] ?? 0)
    return isOver ? 0 : (this.#failures[slot] ?? 0)
  }

  #slotOf(email: string): number {
    return Number(Bun.hash.wyhash(email, BigInt(this.#options.seed)) % BigInt(SLOTS))
  }
}
