import { assertStillAllowed, type Caller } from '../access/caller.ts'
import type { Context } from '../access/context.ts'
import { refuseOverQuota, type Work } from '../store/rows.ts'

const MIB = 1024 ** 2
/** Maximum bytes of a body that are admitted ahead of their arrival. */
const MAX_AHEAD_BYTES = 4 * MIB
/** Part of a budget's room that a body may be admitted ahead. */
const AHEAD_PART = 16
/** Time after which a body is admitted again although it needs no more bytes: what it arrives for may have ended. */
const ADMISSION_MS = 15_000

/** Limit of the bytes that arrive for an account, a share, or all visitors. */
export interface Budget {
  /** Name under which arriving bytes are counted. */
  of: string
  /** Bytes that have room beside those in rows. */
  left: number
  /** Returns the refusal of a body of so many bytes. */
  refuse: (bytes: number, left: number) => Error
}

/** Conditions on which a body may go on arriving. */
export interface Admission {
  /** Names under which its bytes are counted. */
  of: readonly string[]
  /** Bytes that are admitted without a look at the budgets. */
  unchecked: number
  /** Authorizes its sender again, and returns the budgets. @throws {Refusal} */
  budgets: () => Work<readonly Budget[]>
}

/**
 * Counts a body while it arrives, and cuts it when its sender has lost the right or a budget is spent. Bytes are admitted
 * before they are passed on, so concurrent bodies never exceed a budget together on one server.
 */
export class Arriving {
  readonly #deps: Context
  readonly #admission: Admission
  /** Length of the body, as far as it is known. */
  readonly #length: number
  #arrived = 0
  #admitted = 0
  #inRows = 0
  #admittedAt: number

  constructor(deps: Context, admission: Admission, length: number) {
    this.#deps = deps
    this.#admission = admission
    this.#length = length || Number.POSITIVE_INFINITY
    this.#admittedAt = deps.clock.monotonic()
  }

  /** Passes on bytes that have room. @throws {Refusal} */
  async *through(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of bytes) {
      await this.#admit(chunk.length)
      yield chunk
    }
  }

  /** Leaves the first `bytes` to rows. It must be called before these count them, so that no byte counts twice. */
  countedByRows(bytes: number): void {
    const more = Math.max(bytes - this.#inRows, 0)
    this.#inRows += more
    this.#deps.heldBytes.add(this.#admission.of, -more)
  }

  /** Stops counting: the body has ended. */
  end(): void {
    this.countedByRows(this.#admitted)
  }

  async #admit(bytes: number): Promise<void> {
    const { clock } = this.#deps
    const isDue = clock.monotonic() - this.#admittedAt > ADMISSION_MS
    const isKnown = this.#arrived + bytes <= Math.max(this.#admission.unchecked, this.#admitted)
    if (isKnown && !isDue) this.#grow(bytes, 0)
    else await this.#check(bytes)
  }

  /** Admits the next bytes if each budget has room for them. */
  async #check(bytes: number): Promise<void> {
    const { clock, heldBytes, store } = this.#deps
    const budgets = await store.read(this.#admission.budgets)
    // From here on nothing waits: of concurrent bodies, each sees what the others were admitted.
    const arrived = this.#arrived + bytes
    let ahead = Math.min(arrived, MAX_AHEAD_BYTES, this.#length - arrived)
    for (const { of, left, refuse } of budgets) {
      const free = left - heldBytes.of(of) + this.#admitted - this.#arrived
      if (free < bytes) throw refuse(arrived, free + this.#arrived)
      ahead = Math.min(ahead, Math.floor((free - bytes) / AHEAD_PART))
    }
    this.#admittedAt = clock.monotonic()
    this.#grow(bytes, ahead)
  }

  /** @param ahead Bytes to admit beyond these. A small body, or one near a limit, takes little of what others need. */
  #grow(bytes: number, ahead: number): void {
    this.#arrived += bytes
    const more = Math.max(this.#arrived + ahead - this.#admitted, 0)
    this.#admitted += more
    this.#deps.heldBytes.add(this.#admission.of, more)
  }
}

/**
 * Runs `receive` with the count of a body, which ends with it.
 *
 * @param admission With the length of the body; 0 for an unknown one.
 */
export async function whileArriving<Answer>(
  deps: Context,
  { length, ...admission }: Admission & { length: number },
  receive: (arriving: Arriving) => Promise<Answer>,
): Promise<Answer> {
  const arriving = new Arriving(deps, admission, length)
  try {
    return await receive(arriving)
  } finally {
    arriving.end()
  }
}

/**
 * Returns the admission of bytes that an account sends.
 *
 * @param freed Stored bytes that they may replace.
 */
export const admissionOf = (deps: Context, caller: Caller, freed: () => number = () => 0): Admission => ({
  of: [caller.user.id],
  // Most bodies are smaller, and their publication is checked anyway.
  unchecked: MAX_AHEAD_BYTES,
  *budgets() {
    yield* assertStillAllowed(deps, caller, 'files:write')
    return [yield* quotaBudget(deps, { userId: caller.user.id, freed: freed() })]
  },
})

/** Returns what the quota of an account leaves to bytes that arrive. */
export function* quotaBudget(
  { store }: Pick<Context, 'store'>,
  { userId, freed = 0, isOfVisitors = false }: { userId: string; freed?: number; isOfVisitors?: boolean },
): Work<Budget> {
  const { quota, usedBytes } = yield* store.quotas.of(userId)
  const unfinished = yield* store.quotas.unfinishedOf(userId)
  return {
    of: userId,
    left: (quota ?? Number.POSITIVE_INFINITY) - Math.max(usedBytes - freed, 0) - unfinished,
    refuse: (bytes, left) => refuseOverQuota({ bytes, isOfVisitors }, left),
  }
}
