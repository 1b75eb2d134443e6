import { join } from 'node:path'
import { makeMutant } from '../support/mutant.ts'
import { chosenFrom, type RigOptions, type Tally } from '../support/tally.ts'
import { inLanes, openBench } from './bench.ts'
import { MUTATIONS, type Mutation } from './mutations.ts'

/** Applies each mutation to the server and runs the rig that must catch it. */
export async function rigMutants(tally: Tally, options: RigOptions): Promise<void> {
  await using bench = await openBench()
  await inLanes(2, chosenFrom(MUTATIONS, options), async (mutation) => {
    const folder = join(bench.folder, mutation.name.replaceAll(' ', '-'))
    const escaped = await escapes(mutation, folder)
    if (escaped === 'skipped') tally.skip(`${mutation.name}: its rig does not run here`)
    else tally.add(mutation.name, 1, escaped)
  })
}

/** Seed of mutations that every seed catches. */
const SEED = ['--seed', '1']
/** Number of runs in which the same seed must catch a mutation: schedules differ from run to run. */
const RUNS = 3

/** Runs the rig on a mutant. Returns the reason why it was not caught; empty when it was. */
async function escapes(mutation: Mutation, folder: string): Promise<string[] | 'skipped'> {
  makeMutant(mutation, folder)
  let escaped: string[] | 'skipped' = []
  for (let run = 0; run < RUNS; run += 1) {
    escaped = await escapesOnce(mutation, folder)
    if (escaped === 'skipped' || escaped.length === 0) break
  }
  return escaped
}

async function escapesOnce({ rig: words }: Mutation, folder: string): Promise<string[] | 'skipped'> {
  const seed = words.includes('--seed') ? [] : SEED
  const rig = Bun.spawn([process.execPath, 'test/rig.ts', ...words, ...seed], {
    cwd: folder,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [output, complaint, exitCode] = await Promise.all([rig.stdout.text(), rig.stderr.text(), rig.exited])
  // A rig that itself fails, or whose server does not start, has caught nothing.
  if (exitCode === 1 && output.includes('violation: ')) return []
  if (exitCode === 0 && output.includes('skipped: ')) return 'skipped'
  return [`not caught: exit code ${exitCode}\n${output}${complaint}`]
}
