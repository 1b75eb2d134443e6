import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { isKind } from '../support/kind.ts'
import { startPostgres } from '../support/postgres.ts'
import { fastFolder, temporaryFolder } from '../support/temporary.ts'
import { changedSince, commitSeed, nearBase, nearTests, pushBase } from './changed.ts'
import {
  checkSuites,
  jobsOf,
  jobsOfAll,
  jobsOfPush,
  kindSuite,
  MEASURED,
  type Suite,
  unitSuite,
} from './plan.ts'
import { type Job, type Outcome, Queue } from './queue.ts'

/**
 * Runs tests, as `CONTRIBUTING.md` describes: without words the unit tests; `near` those of the changed files; `push`
 * what CI runs; `all` everything in full; else the test files whose paths begin with the words.
 */

/** Number of files that may fail by chance in a run. */
const MAX_FLAKY = 2

/** Room for the temporary files of a run. */
const TEMPORARY_BYTES = 4 * 1024 ** 3

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    kind: { type: 'string' },
    base: { type: 'string' },
    seed: { type: 'string' },
    record: { type: 'boolean', default: false },
    changed: { type: 'string', multiple: true },
    unchecked: { type: 'boolean', default: false },
    bail: { type: 'boolean', default: false },
    'job-limit': { type: 'string' },
  },
})

/** Returns the suites with only some of their files. */
const only = (suites: readonly Suite[], choose: (files: readonly string[]) => readonly string[]): Suite[] =>
  suites.map((suite) => ({ ...suite, files: choose(suite.files) }))

const startingWith = (places: readonly string[]) => (files: readonly string[]) =>
  places.length === 0
    ? files
    : files.filter((file) => places.some((place) => file.startsWith(place.replace(/^\.\//, ''))))

/** Modes that check format, lint and types before any test. */
const CHECKED = ['unit', 'near', 'push', 'all']
const [mode = 'unit', ...others] = positionals

/** Checks format, lint and types. */
function check(): void {
  const { exitCode } = Bun.spawnSync([process.execPath, 'run', 'check'], {
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  if (exitCode !== 0) process.exit(1)
}

function plan(): Job[] {
  if (values.kind !== undefined) {
    if (!isKind(values.kind))
      throw new Error('The kind must be embedded (with HOLDFAST_BIN), objects or scale')
    return only([kindSuite(values.kind)], startingWith(positionals)).flatMap(jobsOf)
  }
  const { commit, seed: ofCommit } = commitSeed()
  const seed = Number(values.seed ?? ofCommit)
  switch (mode) {
    case 'unit':
      return jobsOf(unitSuite())
    case 'near': {
      const changed = values.changed ?? changedSince(values.base ?? nearBase())
      return only([unitSuite(), ...checkSuites()], (files) => nearTests(files, changed)).flatMap(jobsOf)
    }
    case 'push': {
      const base = values.base ?? pushBase()
      const changed = base === undefined ? [] : changedSince(base)
      console.log(
        `sample: seed ${seed} of commit ${commit}, ${changed.length} files changed since ${base ?? '-'}`,
      )
      return jobsOfPush({ seed, changed })
    }
    case 'all':
      return jobsOfAll(seed)
    default:
      return only([unitSuite(), ...checkSuites()], startingWith([mode, ...others])).flatMap(jobsOf)
  }
}

/** Prints the sums of all steps. */
function printSteps({ steps }: Outcome): void {
  const row = (name: string, ...figures: (string | number)[]) =>
    console.log(name.padEnd(14) + figures.map((figure) => String(figure).padStart(9)).join(''))
  row('step', 'jobs', 'passed', 'CPU s')
  let cpu = 0
  for (const [name, sum] of steps) {
    row(name, sum.jobs, sum.passed, sum.cpuSeconds.toFixed(0))
    cpu += sum.cpuSeconds
  }
  row('in all', '', '', cpu.toFixed(0))
}

/** Keeps the measured seconds of files that take long, so that the next runs begin with them. */
function record({ seconds }: Outcome): void {
  const entries = [...Object.entries(MEASURED), ...seconds]
    .map(([name, value]) => [name, Math.round(value * 10) / 10] as const)
    .filter(([, value]) => value >= 1)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  writeFileSync(
    join(import.meta.dir, 'seconds.json'),
    `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`,
  )
}

const began = performance.now()
if (values.kind === undefined && !values.unchecked && CHECKED.includes(mode)) check()
const planned = plan()
using temporary = temporaryFolder(process.env['TMPDIR'] ?? fastFolder(TEMPORARY_BYTES))
// PostgreSQL runs as its own user.
chmodSync(temporary.path, 0o711)
process.env['TMPDIR'] = temporary.path
const isShared = ({ environment }: Job) => environment?.['HOLDFAST_KIND'] === 'scale'
// One database server for all instances of several servers.
using postgres = planned.some(isShared) && !process.env['DATABASE_URL'] ? await startPostgres() : undefined
const database: Record<string, string> = postgres ? { DATABASE_URL: postgres.createDatabase() } : {}
const jobs = planned.map((job) =>
  isShared(job) ? { ...job, environment: { ...job.environment, ...database } } : job,
)
const limit = values['job-limit']
const queue = new Queue(jobs, {
  bails: values.bail,
  ...(limit !== undefined && { jobLimitMs: Number(limit) * 1000 }),
})
const outcome = await queue.run()
if (values.record) record(outcome)
printSteps(outcome)
const isTooFlaky = outcome.flaky.length > MAX_FLAKY
for (const name of outcome.failed) console.log(`failed: ${name}`)
if (isTooFlaky) console.log(`${outcome.flaky.length} flaky files: at most ${MAX_FLAKY} may be`)
const passed = [...outcome.steps.values()].reduce((all, step) => all + step.passed, 0)
const failed = outcome.failedTests + (isTooFlaky ? 1 : 0)
console.log(`${((performance.now() - began) / 1000).toFixed(0)} s`)
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
