/** Source of time. */
export interface Clock {
  /** Milliseconds since 1970, UTC. */
  now: () => number
  /** Milliseconds that only grow, also while the wall clock is set back. */
  monotonic: () => number
}
