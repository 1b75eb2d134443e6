import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { makeMutant } from '../support/mutant.ts'
import { describe, shorten, verdictOf } from './history.ts'
import { MUTANTS } from './mutants.ts'
import { playRound } from './round.ts'
import { startWorld, type WorldOptions } from './world.ts'

const SHORT_MS = 40_000
/** Time in which the checker must catch a mutant. Each takes about 25 rounds; a busy machine plays one in four seconds. */
const MUTANT_MS = 600_000
const MINUTE_MS = 60_000
/** Number of violations after which a run ends. */
const MAX_VIOLATIONS = 5

interface Limits {
  seed: number
  ms: number
  rounds: number
  /** Number of violations after which the run ends. */
  violations: number
}

interface Outcome {
  rounds: number
  /** Rounds with too many possible orders. */
  undecided: number
  violations: number
}

/** Plays rounds on new servers. */
async function play({ seed, ms, rounds, violations }: Limits, options: WorldOptions): Promise<Outcome> {
  const outcome: Outcome = { rounds: 0, undecided: 0, violations: 0 }
  const deadline = performance.now() + ms
  await using world = await startWorld(options)
  while (outcome.rounds < rounds && outcome.violations < violations && performance.now() < deadline) {
    const own = seed + outcome.rounds
    outcome.rounds += 1
    const history = await playRound(world, own)
    const verdict = verdictOf(history)
    if (verdict.kind === 'undecided') outcome.undecided += 1
    if (verdict.kind !== 'unexplained') continue
    outcome.violations += 1
    // For a mutant only the count matters.
    if (options.program !== undefined) continue
    const short = shorten(history)
    console.log(`violation: no order explains the round of seed ${own}:`)
    console.log(describe(short))
    console.log(errorsIn(world.output()))
  }
  return outcome
}

/** Returns the last errors of the server's log, which explain responses of 500. */
const errorsIn = (output: string): string =>
  output
    .split('\n')
    .filter((line) => line.includes('"level":"error"') || line.includes('"level":50'))
    .slice(-3)
    .join('\n')

/** Runs the checker on each mutant. @returns Names of the mutants that it does not catch. */
async function playMutants(seed: number): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-linear-'))
  const missed: string[] = []
  try {
    for (const [index, mutant] of MUTANTS.entries()) {
      const own = join(folder, String(index))
      makeMutant(mutant, own)
      const limits = { seed, ms: MUTANT_MS, rounds: Number.POSITIVE_INFINITY, violations: 1 }
      const { rounds, violations } = await play(limits, { program: join(own, 'src/main.ts'), servers: 1 })
      const fate = violations > 0 ? `noticed in round ${rounds}` : `not noticed in ${rounds} rounds`
      console.log(`linear: mutant "${mutant.name}": ${fate}`)
      if (violations === 0) missed.push(mutant.name)
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  return missed
}

const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    minutes: { type: 'string', default: '1' },
    rounds: { type: 'string', default: 'Infinity' },
    seed: { type: 'string' },
    servers: { type: 'string', default: '1' },
    mutants: { type: 'boolean', default: false },
  },
})
const seed = Number(values.seed ?? Date.now() % 2 ** 31)
console.log(`linear: seed ${seed}`)

let [pass, fail] = [0, 0]
const count = (passed: number, failed: number) => {
  pass += passed
  fail += failed
}
if (!values.mutants) {
  const ms = values.short ? SHORT_MS : Number(values.minutes) * MINUTE_MS
  const limits = { seed, ms, rounds: Number(values.rounds), violations: MAX_VIOLATIONS }
  const { rounds, undecided, violations } = await play(limits, { servers: Number(values.servers) })
  console.log(`linear: ${rounds} rounds, ${undecided} undecided, ${violations} not explained`)
  // At least one round must be decided, or the run checked nothing.
  count(rounds > undecided && violations === 0 ? 1 : 0, Math.max(violations, rounds > undecided ? 0 : 1))
}
if (values.short || values.mutants) {
  const missed = await playMutants(seed)
  count(MUTANTS.length - missed.length, missed.length)
}
console.log(` ${pass} pass\n ${fail} fail`)
process.exitCode = fail === 0 ? 0 : 1
