export const DAY_MS = 86_400_000

/** Formats a time as ISO 8601, in UTC and with milliseconds. */
export const iso = (epochMs: number): string => new Date(epochMs).toISOString()

/** Formats a time as `iso` does; `null` for an event that has not happened. */
export const isoOrNull = (epochMs: number | null): string | null => (epochMs === null ? null : iso(epochMs))

/** Returns the UTC day of a time, `YYYY-MM-DD`. */
export const utcDay = (epochMs: number): string => iso(epochMs).slice(0, 10)

/**
 * Returns a function that yields to the event loop. Long work awaits it between its slices. Each call resolves in a
 * tick of its own, in the order of the calls, so that requests run between two slices of any work.
 */
export function createTurns(): () => Promise<void> {
  const waiting: (() => void)[] = []
  function takeNext(): void {
    waiting.shift()?.()
    if (waiting.length > 0) setImmediate(takeNext)
  }
  return () =>
    new Promise((resolve) => {
      if (waiting.push(resolve) === 1) setImmediate(takeNext)
    })
}

/** Items of a loop in memory, such as files of an archive, in one time slice: some milliseconds. */
const SLICE_ITEMS = 1000

/** Yields to the event loop when a time slice ends with the item at `index`. */
export async function endOfSlice(index: number): Promise<void> {
  if (index % SLICE_ITEMS === SLICE_ITEMS - 1) await new Promise(setImmediate)
}

/** Resolves as `work` does, and rejects when the signal is aborted first. */
export function orAborted<Value>(signal: AbortSignal, work: Promise<Value>): Promise<Value> {
  const { promise, reject } = Promise.withResolvers<never>()
  const leave = () => reject(signal.reason)
  signal.addEventListener('abort', leave)
  if (signal.aborted) leave()
  return Promise.race([work, promise]).finally(() => signal.removeEventListener('abort', leave))
}

/** Runs pieces of work that have the same key one after another, in the order of the calls. */
export class InTurn {
  readonly #last = new Map<string, Promise<unknown>>()

  run<Value>(key: string, work: () => Promise<Value>): Promise<Value> {
    const turn = (this.#last.get(key) ?? Promise.resolve()).then(work)
    const settled: Promise<void> = turn.then(
      () => this.#forget(key, settled),
      () => this.#forget(key, settled),
    )
    this.#last.set(key, settled)
    return turn
  }

  #forget(key: string, settled: Promise<void>): void {
    if (this.#last.get(key) === settled) this.#last.delete(key)
  }
}

/** Work that all calls share which come while it runs: it runs once more for them, so that it began after each call. */
export class NextRun<Value> {
  readonly #work: () => Promise<Value>
  #running: Promise<unknown> = Promise.resolve()
  #next: Promise<Value> | undefined

  constructor(work: () => Promise<Value>) {
    this.#work = work
  }

  readonly run = (): Promise<Value> => {
    const start = () => {
      this.#next = undefined
      const running = this.#work()
      this.#running = running
      return running
    }
    this.#next ??= this.#running.then(start, start)
    return this.#next
  }
}
