/** Where time comes from. */
export interface Clock {
  /** Milliseconds since 1970, UTC. */
  now: () => number
  /** Milliseconds that only ever grow, whatever happens to the wall clock. */
  monotonic: () => number
}
