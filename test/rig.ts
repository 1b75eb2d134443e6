/** Runs one of the rigs in `rigs.ts`: `bun test/rig.ts <name> [options]`. Without a name it lists them. */
import { parseArgs } from 'node:util'
import { RIGS, type Rig } from './rigs.ts'
import { Tally } from './support/tally.ts'

const USAGE = `Usage: bun test/rig.ts <name> [options]

  --seed N      repeats the choices of an earlier run; random by default
  --share 0.25  runs this part of the rows, which the seed chooses
  --rows a,b    runs these rows, whatever the share; without a share only these
  --deep        tries every position and repetition, which takes up to hours
  --count N     number of rounds (linear) or changes (crossings)
  --same        plays the round of the seed again and again (linear)
  --servers N   number of servers (linear, scale)
`

function list(): void {
  console.log(USAGE)
  const width = Math.max(...RIGS.map(({ name }) => name.length)) + 2
  for (const { name, about } of RIGS) console.log(`  ${name.padEnd(width)}${about}`)
}

const numberOf = (text: string | undefined) => (text === undefined ? undefined : Number(text))

async function runRig({ name, run }: Rig, args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seed: { type: 'string' },
      share: { type: 'string' },
      rows: { type: 'string' },
      deep: { type: 'boolean', default: false },
      same: { type: 'boolean', default: false },
      count: { type: 'string' },
      servers: { type: 'string' },
    },
  })
  const rows = values.rows?.split(/,(?! )/).filter((row) => row !== '') ?? []
  const share = numberOf(values.share) ?? (rows.length > 0 ? 0 : 1)
  const seed = numberOf(values.seed) ?? Date.now() % 2 ** 31
  console.log(`${name}: seed ${seed}`)
  const { count, servers, deep, same } = values
  const tally = new Tally(name)
  let outcome = 0
  try {
    await run(tally, {
      ...{ seed, share, rows, isDeep: deep, isSame: same },
      ...{ count: numberOf(count), servers: numberOf(servers) },
    })
    tally.print()
    outcome = tally.failed === 0 ? 0 : 1
  } catch (error) {
    console.error('The rig failed:', error)
    outcome = 2
  }
  const words = args.map((word) => (/^[\w.:/-]+$/.test(word) ? word : `'${word}'`))
  const again = [`bun test/rig.ts ${name}`, ...words, ...(values.seed ? [] : [`--seed ${seed}`])]
  if (outcome !== 0) console.log(`repeat: ${again.join(' ')}`)
  return outcome
}

// The exit runs the registered clean-ups.
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => process.exit(2))

const [name, ...args] = process.argv.slice(2)
const rig = RIGS.find((one) => one.name === name)
if (name !== undefined && !rig) console.error(`There is no rig "${name}".\n`)
if (!rig) list()
process.exit(rig ? await runRig(rig, args) : name === undefined ? 0 : 2)
