import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Bench, inLanes } from './bench.ts'
import { MUTATIONS, type Mutation } from './mutations.ts'
import type { RigOptions, Tally } from './tally.ts'

const ROOT = join(import.meta.dir, '../..')
/** What a rig needs of the project. */
const PARTS = ['src', 'drizzle', 'test', 'package.json', 'tsconfig.json', 'bunfig.toml']

/** Breaks the server in each of the known ways, and runs the rig that must notice it. */
export async function rigMutants(bench: Bench, tally: Tally, { seed, routes }: RigOptions): Promise<void> {
  const chosen = MUTATIONS.filter(({ name }) => routes.length === 0 || routes.includes(name))
  await inLanes(2, chosen, async (mutation) => {
    const folder = join(bench.folder, mutation.name.replaceAll(' ', '-'))
    const escaped = await escapes(mutation, folder, seed)
    if (escaped === 'skipped') tally.skip(`${mutation.name}: its rig does not run here`)
    else tally.add(mutation.name, 1, escaped)
  })
}

/** Why a mutant is not caught; empty when it is. */
async function escapes(mutation: Mutation, folder: string, seed: number): Promise<string[] | 'skipped'> {
  mkdirSync(folder)
  for (const part of PARTS) cpSync(join(ROOT, part), join(folder, part), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  mutate(mutation, folder)
  const rig = Bun.spawn([process.execPath, 'test/faults/main.ts', ...mutation.rig, '--seed', String(seed)], {
    cwd: folder,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [output, complaint, exitCode] = await Promise.all([rig.stdout.text(), rig.stderr.text(), rig.exited])
  // A rig that breaks, or finds the server not even to start, has caught nothing.
  if (exitCode === 1 && output.includes('violation: ')) return []
  if (exitCode === 0 && output.includes('skipped: ')) return 'skipped'
  return [`not caught: exit code ${exitCode}\n${output}${complaint}`]
}

function mutate({ name, file, text, replacement }: Mutation, folder: string): void {
  const path = join(folder, file)
  const source = readFileSync(path, 'utf8')
  const found = source.split(text).length - 1
  if (found !== 1) throw new Error(`Mutant "${name}": its text is ${found} times in ${file}, not once`)
  writeFileSync(
    path,
    source.replace(text, () => replacement),
  )
}
