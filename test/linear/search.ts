/** Operation of a client, between two moments of one logical clock. */
export interface Event<State> {
  begin: number
  end: number
  /** True when the order may omit it, because it had not ended when the history was cut. */
  isPending?: boolean
  /** Returns the state after the operation; `undefined` when its response is wrong for `state`. */
  apply: (state: State) => State | undefined
}

export interface Digestible {
  /** Text that is equal for states that no later response can distinguish. */
  readonly digest: string
}

export type Verdict =
  | { kind: 'explained' }
  /** Longest order found, as indices of events. */
  | { kind: 'unexplained'; longest: readonly number[] }
  /** Too many orders to try them all. */
  | { kind: 'undecided' }

/** Limit of the operations applied for one history. */
const MAX_STEPS = 200_000

/**
 * Searches for an order of the events in which each response is right and each event precedes all that began after its
 * end: linearizability (Herlihy and Wing 1990). Depth-first (Wing and Gong 1993), with each pair of state and set of
 * placed events tried once (Lowe 2017).
 */
export function explain<State extends Digestible>(
  initial: State,
  events: readonly Event<State>[],
  maxSteps = MAX_STEPS,
): Verdict {
  const search = new Search(events, maxSteps)
  if (search.place(initial)) return { kind: 'explained' }
  return search.isExhausted ? { kind: 'undecided' } : { kind: 'unexplained', longest: search.longest }
}

class Search<State extends Digestible> {
  longest: number[] = []
  readonly #events: readonly Event<State>[]
  readonly #byEnd: readonly number[]
  readonly #isPlaced: boolean[]
  readonly #order: number[] = []
  readonly #tried = new Set<string>()
  #stepsLeft: number

  constructor(events: readonly Event<State>[], maxSteps: number) {
    this.#events = events
    // Pending events have the latest ends.
    this.#byEnd = [...events.keys()].sort((a, b) => (events[a]?.end ?? 0) - (events[b]?.end ?? 0))
    this.#isPlaced = events.map(() => false)
    this.#stepsLeft = maxSteps
  }

  get isExhausted(): boolean {
    return this.#stepsLeft <= 0
  }

  /** Returns true when all remaining events can be placed after `state`. */
  place(state: State): boolean {
    const left = this.#byEnd.filter((index) => !this.#isPlaced[index])
    const first = left.find((index) => !this.#events[index]?.isPending)
    if (first === undefined) return true
    const position = `${left.join()} ${state.digest}`
    if (this.#tried.has(position)) return false
    this.#tried.add(position)
    // Events that began after the earliest end must follow that event.
    const earliestEnd = this.#events[first]?.end ?? 0
    return left.some((index) => {
      const event = this.#events[index]
      return event !== undefined && event.begin < earliestEnd && this.#tryNext(index, event, state)
    })
  }

  #tryNext(index: number, event: Event<State>, state: State): boolean {
    if (this.isExhausted) return false
    this.#stepsLeft -= 1
    const next = event.apply(state)
    if (next === undefined) return false
    this.#isPlaced[index] = true
    this.#order.push(index)
    if (this.#order.length > this.longest.length) this.longest = [...this.#order]
    if (this.place(next)) return true
    this.#isPlaced[index] = false
    this.#order.pop()
    return false
  }
}
