/** An operation that a client made: its answer arrived between two moments of one logical clock. */
export interface Event<State> {
  begin: number
  end: number
  /** Whether the order may leave it out: it had not ended when the history was cut. */
  isPending?: boolean
  /** The state after the operation, or `undefined` when its answer is wrong for `state`. */
  apply: (state: State) => State | undefined
}

export interface Digestible {
  /** Equal for states that no later answer can tell apart. */
  readonly digest: string
}

export type Verdict =
  | { kind: 'explained' }
  /** The longest order that was found, as indices of events. */
  | { kind: 'unexplained'; longest: readonly number[] }
  /** Too many orders to try them all. */
  | { kind: 'undecided' }

/** Applications of operations that are tried for one history. */
const MAX_STEPS = 200_000

/**
 * Searches for an order of the events in which each answer is right and none comes before another that had
 * ended when it began: linearizability (Herlihy and Wing 1990). Depth-first as by Wing and Gong (1993); a pair
 * of state and set of placed events is tried once (Lowe 2017).
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

  /** Whether all events that are left can be placed after `state`. */
  place(state: State): boolean {
    const left = this.#byEnd.filter((index) => !this.#isPlaced[index])
    const first = left.find((index) => !this.#events[index]?.isPending)
    if (first === undefined) return true
    const position = `${left.join()} ${state.digest}`
    if (this.#tried.has(position)) return false
    this.#tried.add(position)
    // Whatever began after the first end comes after that event.
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
