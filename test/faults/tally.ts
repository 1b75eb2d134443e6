/** What a rig was asked for. */
export interface RigOptions {
  /** Whether it is to take no longer than a build can wait. */
  short: boolean
  seed: number
  /** Names of the routes to try; all when empty. */
  routes: readonly string[]
}

/** Counts what a rig tried, and prints what went wrong as it happens. */
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

  /** One thing that was tried at several positions. */
  add(what: string, positions: number, found: readonly string[]): void {
    // As it would be if the runtime no longer made the calls that the shim sees.
    const violations = positions === 0 ? ['no position was hit', ...found] : found
    this.#positions += positions
    if (violations.length === 0) this.#passed += 1
    else this.#failed += 1
    const outcome = violations.length === 0 ? 'ok' : `${violations.length} violation(s)`
    console.log(`${this.#rig}: ${what}: ${positions} positions, ${outcome}`)
    for (const violation of violations.slice(0, 20)) console.log(`  violation: ${violation}`)
  }

  /** Something that this machine cannot do. */
  skip(why: string): void {
    console.log(`${this.#rig}: skipped: ${why}`)
  }

  /** Prints the sums, in the words in which the test runner does. */
  print(): void {
    const seconds = ((performance.now() - this.#startedAt) / 1000).toFixed(0)
    console.log(`${this.#rig}: ${this.#positions} positions in ${seconds} s`)
    console.log(` ${this.#passed} pass\n ${this.#failed} fail`)
  }
}
