import { chmodSync, cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Chance } from '../support/chance.ts'
import { EQUIVALENT } from './equivalent.ts'
import { findMutations, type Mutation } from './places.ts'

/**
 * Changes places of the source one at a time and expects that tests fail: the near ones, else all unit tests, and with
 * `--all` everything.
 */

const ROOT = join(import.meta.dir, '../..')
/** Part of the mutants that the near tests and the unit tests must catch. */
const WANTED = 0.9
/** Seconds after which a process of tests counts as hanging: a mutant may loop forever. */
const JOB_LIMIT_S = 150

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '60' },
    all: { type: 'boolean', default: false },
  },
})

const isEquivalent = ({ file, what }: Mutation) =>
  EQUIVALENT.some((known) => known.file === file && known.what === what)

/** Chooses places, at most one of a file, so that each line of `src` is equally likely. */
async function choose(seed: number, count: number): Promise<Mutation[]> {
  const chance = new Chance(seed)
  const all = (await findMutations()).flat().filter((mutation) => !isEquivalent(mutation))
  const chosen = new Map<string, Mutation>()
  while (chosen.size < count && all.length > 0) {
    const [mutation] = all.splice(chance.below(all.length), 1)
    if (mutation && !chosen.has(mutation.file)) chosen.set(mutation.file, mutation)
  }
  return [...chosen.values()]
}

/** Copies the project to a new folder with one place changed, and without the test that compares texts of `src`. */
function makeCopy({ file, start, end, replacement }: Mutation): string {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-mutant-'))
  // Tests of root start the program as another user, which fails in a closed folder and would catch every mutant.
  chmodSync(folder, 0o755)
  const left = new Set(
    ['node_modules', '.git', 'data', 'test/mutants.test.ts'].map((name) => join(ROOT, name)),
  )
  cpSync(ROOT, folder, { recursive: true, filter: (path) => !left.has(path) })
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  const text = readFileSync(join(ROOT, file), 'utf8')
  writeFileSync(join(folder, file), text.slice(0, start) + replacement + text.slice(end))
  return folder
}

function run(folder: string, ...words: string[]): boolean {
  const { exitCode } = Bun.spawnSync([process.execPath, ...words], {
    cwd: folder,
    stdout: 'ignore',
    stderr: 'ignore',
  })
  return exitCode === 0
}

/** Returns the first stage of tests that catches a mutant; `undefined` when it lives. */
function catches(mutation: Mutation, folder: string): string | undefined {
  const ofDashboard = mutation.file.startsWith('src/dashboard/') || mutation.file.startsWith('src/client/')
  if (ofDashboard && !run(folder, 'src/build/dashboard.ts')) return 'build'
  const bail = ['--bail', '--job-limit', String(JOB_LIMIT_S), '--unchecked']
  const stages: [name: string, ...words: string[]][] = [
    ['near', 'near', '--changed', mutation.file],
    ['unit', 'unit'],
    ...(values.all ? [['all', 'all'] as [string, string]] : []),
  ]
  return stages.find(([, ...words]) => !run(folder, 'test/run/main.ts', ...words, ...bail))?.[0]
}

const seed = Number(values.seed)
const mutations = await choose(seed, Number(values.count))
console.log(`mutants: seed ${seed}, ${mutations.length} places`)
const lived: Mutation[] = []
for (const mutation of mutations) {
  const folder = makeCopy(mutation)
  try {
    const stage = catches(mutation, folder)
    if (stage === undefined) lived.push(mutation)
    console.log(`${stage ?? 'LIVES'}: ${mutation.file}:${mutation.line}: ${mutation.what}`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
const caught = mutations.length - lived.length
console.log(`${caught} passed, ${lived.length} failed`)
process.exitCode = caught >= mutations.length * (values.all ? 1 : WANTED) ? 0 : 1
