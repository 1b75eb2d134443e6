import { Chance } from './chance.ts'

/** Options of a rig. */
export interface RigOptions {
  seed: number
  /** Part of the rows to run, from 0 to 1. The seed chooses it. */
  share: number
  /** Names of rows that run whatever the share. */
  rows: readonly string[]
  /** True to try every position and repetition, which takes hours. */
  isDeep: boolean
  /** True to play the round of the seed again and again, for rigs with rounds. */
  isSame: boolean
  /** Number of rounds or changes, for rigs that count them. */
  count: number | undefined
  /** Number of servers, for rigs that start several. */
  servers: number | undefined
}

/** Returns the rows to run: the named ones, and a share of all that the seed chooses. */
export function chosenFrom<Row extends { name: string }>(
  all: readonly Row[],
  { seed, share, rows }: Pick<RigOptions, 'seed' | 'share' | 'rows'>,
): Row[] {
  const unknown = rows.find((wanted) => !all.some(({ name }) => name === wanted))
  if (unknown !== undefined)
    throw new Error(`There is no row "${unknown}". Rows: ${all.map(({ name }) => name).join(', ')}`)
  const chance = new Chance(seed)
  const drawn = all.map((row) => ({ row, rank: chance.below(2 ** 32) })).sort((a, b) => a.rank - b.rank)
  const sample = new Set(drawn.slice(0, Math.ceil(share * all.length)).map(({ row }) => row))
  return all.filter((row) => sample.has(row) || rows.includes(row.name))
}

/** Counts the outcomes of a rig and prints violations as they happen. */
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
    this.#positions += positions
    // A change of the runtime could bypass the shim without notice.
    const violations = positions === 0 ? ['no position was hit', ...found] : found
    this.judge(`${what}: ${positions} positions`, violations)
  }

  /** Adds the outcome of one check. */
  judge(what: string, violations: readonly string[]): void {
    if (violations.length === 0) this.#passed += 1
    else this.#failed += 1
    const outcome = violations.length === 0 ? 'ok' : `${violations.length} violations`
    console.log(`${this.#rig}: ${what}: ${outcome}`)
    for (const violation of violations.slice(0, 20)) console.log(`  violation: ${violation}`)
  }

  /** Reports a part that this machine cannot run. */
  skip(why: string): void {
    console.log(`${this.#rig}: skipped: ${why}`)
  }

  /** Prints the sums in the format of the test runner. */
  print(): void {
    const seconds = ((performance.now() - this.#startedAt) / 1000).toFixed(0)
    const positions = this.#positions === 0 ? '' : `${this.#positions} positions in `
    console.log(`${this.#rig}: ${positions}${seconds} s`)
    console.log(` ${this.#passed} pass\n ${this.#failed} fail`)
  }
}
