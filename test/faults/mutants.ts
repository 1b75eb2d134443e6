import { join } from 'node:path'
import { makeMutant } from '../support/mutant.ts'
import { type Bench, inLanes } from './bench.ts'
import { MUTATIONS, type Mutation } from './mutations.ts'
import { type RigOptions, shareOf, type Tally } from './tally.ts'

/** Applies each mutation to the server and runs the rig that must catch it. */
export async function rigMutants(bench: Bench, tally: Tally, options: RigOptions): Promise<void> {
  const { seed, routes } = options
  const chosen = shareOf(MUTATIONS, 3, options).filter(
    ({ name }) => routes.length === 0 || routes.includes(name),
  )
  await inLanes(2, chosen, async (mutation) => {
    const folder = join(bench.folder, mutation.name.replaceAll(' ', '-'))
    const escaped = await escapes(mutation, folder, seed)
    if (escaped === 'skipped') tally.skip(`${mutation.name}: its rig does not run here`)
    else tally.add(mutation.name, 1, escaped)
  })
}

/** Runs the rig on a mutant. Returns the reason why it was not caught; empty when it was. */
async function escapes(mutation: Mutation, folder: string, seed: number): Promise<string[] | 'skipped'> {
  makeMutant(mutation, folder)
  const rig = Bun.spawn([process.execPath, 'test/faults/main.ts', ...mutation.rig, '--seed', String(seed)], {
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
