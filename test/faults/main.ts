import { parseArgs } from 'node:util'
import { type Bench, openBench } from './bench.ts'
import { rigErrors } from './errors.ts'
import { rigKill } from './kill.ts'
import { rigMutants } from './mutants.ts'
import { rigPower } from './power.ts'
import { type RigOptions, Tally } from './tally.ts'

/** Tries faults at many positions and counts the outcomes in `tally`. */
type Rig = (bench: Bench, tally: Tally, options: RigOptions) => Promise<void>

const RIGS = new Map<string, Rig>([
  ['kill', rigKill],
  ['errors', rigErrors],
  ['power', rigPower],
  ['mutants', rigMutants],
])

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      short: { type: 'boolean', default: false },
      seed: { type: 'string' },
      route: { type: 'string', multiple: true, default: [] },
    },
  })
  const name = positionals[0] ?? ''
  const rig = RIGS.get(name)
  if (!rig) {
    console.log(`Usage: bun run faults ${[...RIGS.keys()].join('|')} [--short] [--seed N] [--route NAME]`)
    return 2
  }
  const seed = Number(values.seed ?? Date.now() % 2 ** 31)
  const tally = new Tally(name)
  await using bench = await openBench()
  await rig(bench, tally, { short: values.short, seed, routes: values.route })
  tally.print()
  return tally.failed === 0 ? 0 : 1
}

// The exit runs the registered clean-ups.
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => process.exit(2))

try {
  process.exitCode = await main()
} catch (error) {
  console.error('The rig failed:', error)
  process.exitCode = 2
}
