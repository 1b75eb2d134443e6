/** Options of a rig. */
export interface RigOptions {
  /** True for a run that is short enough for CI. */
  short: boolean
  seed: number
  /** Names of the routes to try; empty for all. */
  routes: readonly string[]
}

/** Returns all that a rig tries. A short run of all routes tries one of `parts` equal shares, which the seed chooses. */
export const shareOf = <Item>(
  all: readonly Item[],
  parts: number,
  { short, seed, routes }: RigOptions,
): readonly Item[] =>
  short && routes.length === 0 ? all.filter((_, index) => index % parts === seed % parts) : all

/** Counts the runs of a rig and prints violations as they happen. */
export class Tally {
  readonly #rig: string
  #passed = 0
  #failed = 0
  #positions = 0
  readonly #startedAt = performance.now()

  constructor(rig: string) {
    this.#rig = rig
  }

  get failed(): number {
    return this.#failed
  }

  /** Adds the outcome of a fault at several positions. */
  add(what: string, positions: number, found: readonly string[]): void {
    // A change of the runtime could bypass the shim without notice.
    const violations = positions === 0 ? ['no position was hit', ...found] : found
    this.#positions += positions
    if (violations.length === 0) this.#passed += 1
    else this.#failed += 1
    const outcome = violations.length === 0 ? 'ok' : `${violations.length} violation(s)`
    console.log(`${this.#rig}: ${what}: ${positions} positions, ${outcome}`)
    for (const violation of violations.slice(0, 20)) console.log(`  violation: ${violation}`)
  }

  /** Reports a part that this machine cannot run. */
  skip(why: string): void {
    console.log(`${this.#rig}: skipped: ${why}`)
  }

  /** Prints the sums in the format of the test runner. */
  print(): void {
    const seconds = ((performance.now() - this.#startedAt) / 1000).toFixed(0)
    console.log(`${this.#rig}: ${this.#positions} positions in ${seconds} s`)
    console.log(` ${this.#passed} pass\n ${this.#failed} fail`)
  }
}
