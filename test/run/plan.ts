import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Glob } from 'bun'
import { EMBEDDED_ONLY, SQLITE_ONLY } from '../embedded-only.ts'
import { RIGS, type Rig } from '../rigs.ts'
import type { Kind } from '../support/kind.ts'
import { nearTests } from './changed.ts'
import { batchOf, type Job } from './queue.ts'
import SECONDS from './seconds.json'

const ROOT = join(import.meta.dir, '../..')
/** Expected seconds of a batch of test files. A longer file is a batch of its own. */
const BATCH_SECONDS = 12
/** Expected seconds of a file that was never measured, by step; half a second for others. */
const UNMEASURED: Readonly<Record<string, number>> = {
  browser: 10,
  readers: 10,
  postgres: 4,
  scale: 3,
  objects: 2,
}

const secondsOf = (step: string, file: string) => MEASURED[`${step} ${file}`] ?? UNMEASURED[step] ?? 0.5

/** Test files that run the same way. */
export interface Suite {
  step: string
  files: readonly string[]
  environment?: Record<string, string>
}

const find = (pattern: string) => [...new Glob(pattern).scanSync(ROOT)].sort()
const textOf = (file: string) => readFileSync(join(ROOT, file), 'utf8')

/** Measured seconds of the files that take at least one, by step and path. */
export const MEASURED: Readonly<Record<string, number>> = SECONDS

/** Finds all unit tests. */
export const unitSuite = (): Suite => ({ step: 'unit', files: find('test/**/*.test.{ts,tsx}') })

/** Tests that need other programs: archivers and ffmpeg, PostgreSQL, browsers. */
export function checkSuites(): Suite[] {
  const files = find('test/**/*.check.ts')
  const inFolder = (...folders: string[]) =>
    files.filter((file) => folders.some((folder) => file.startsWith(`test/${folder}/`)))
  const [postgres, browser, s3] = [inFolder('catalog', 'scale'), inFolder('browser'), inFolder('s3')]
  const placed = new Set([...postgres, ...browser, ...s3])
  return [
    { step: 'readers', files: files.filter((file) => !placed.has(file)) },
    { step: 'postgres', files: postgres },
    { step: 'browser', files: browser },
    // Only where the variables lead to a store (`test/scale/README.md`).
    { step: 's3', files: process.env['S3_ENDPOINT'] ? s3 : [] },
  ]
}

/**
 * Returns the unit tests that speak to a server or run a command, on another kind of instance. On `embedded` they run
 * against the binary that `HOLDFAST_BIN` names.
 */
export function kindSuite(kind: Kind): Suite {
  if (kind === 'embedded' && !existsSync(process.env['HOLDFAST_BIN'] ?? ''))
    throw new Error('HOLDFAST_BIN must name a binary, such as dist/holdfast')
  const lists = { embedded: {}, objects: EMBEDDED_ONLY, scale: { ...EMBEDDED_ONLY, ...SQLITE_ONLY } }
  const excluded = Object.keys(lists[kind]).map((pattern) => new Glob(pattern))
  const speaks =
    /(start|with|spawn)(Holdfast|Inside|Server|WithAccount)|run(Command|Program)|createPerson|from '\.\/stats\.ts'/
  const files = unitSuite().files.filter(
    (file) => !excluded.some((glob) => glob.match(file)) && speaks.test(textOf(file)),
  )
  return { step: kind, files, environment: { HOLDFAST_KIND: kind } }
}

/** Returns the tests of the transport, to run over TLS. */
export const tlsSuite = (): Suite => ({
  step: 'tls',
  // Handshakes have tests of their own, which speak plain TCP.
  files: find('test/transport/*.test.ts').filter(
    (file) => /listenBare|Holdfast|Inside/.test(textOf(file)) && !file.includes('handshakes'),
  ),
  environment: { HOLDFAST_TLS: '1' },
})

/** Divides test files into jobs of about the same length. */
export function jobsOf({ step, files, environment = {} }: Suite): Job[] {
  const sorted = files
    .map((file) => ({ file, seconds: secondsOf(step, file) }))
    .sort((a, b) => b.seconds - a.seconds)
  const batches: { files: string[]; seconds: number }[] = []
  for (const { file, seconds } of sorted) {
    const open = batches.find((batch) => batch.seconds + seconds <= BATCH_SECONDS)
    if (open) {
      open.files.push(file)
      open.seconds += seconds
    } else batches.push({ files: [file], seconds })
  }
  return batches.map((batch) => batchOf({ step, environment, ...batch }))
}

/** Parts of `src` whose changes call for tests of each step beside the unit tests, by the beginning of the path. */
const CALLS_FOR: Readonly<Record<string, readonly string[]>> = {
  objects: ['src/blobs/', 'src/s3/', 'src/store/'],
  scale: ['src/catalog/postgres/', 'src/blobs/', 'src/s3/', 'src/store/', 'drizzle/postgres/'],
  postgres: ['src/catalog/', 'src/store/', 'drizzle/'],
  tls: ['src/transport/', 'src/modules/https/'],
}
/** Largest expected seconds of each step in a run of CI, and the part of what the change does not call for. */
const PUSH: Readonly<Record<string, { seconds: number; share: number }>> = {
  readers: { seconds: 40, share: 0.3 },
  postgres: { seconds: 60, share: 0.5 },
  browser: { seconds: 120, share: 0.2 },
  objects: { seconds: 40, share: 0.2 },
  scale: { seconds: 40, share: 0.1 },
  s3: { seconds: 0, share: 0 },
  tls: { seconds: 10, share: 1 },
  rigs: { seconds: 130, share: 0.3 },
}
/** Rigs that prove something. */
const PROOFS = RIGS.filter(({ paths }) => paths.length > 0)

interface Item {
  name: string
  seconds: number
  isNear: boolean
}

/** Chooses what the change calls for, then a share of the rest in the order of the seed, up to the step's seconds. */
function sample<Chosen extends Item>(step: string, seed: number, items: readonly Chosen[]): Chosen[] {
  const { seconds, share } = PUSH[step] ?? { seconds: 0, share: 0 }
  const rank = ({ name }: Item) =>
    Number(BigInt.asUintN(32, Bun.hash.wyhash(`${seed} ${step} ${name}`))) / 2 ** 32
  let left = seconds
  const chosen = items
    .toSorted((a, b) => Number(b.isNear) - Number(a.isNear) || rank(a) - rank(b))
    .filter((item) => {
      if ((!item.isNear && rank(item) >= share) || item.seconds > left) return false
      left -= item.seconds
      return true
    })
  const near = items.filter(({ isNear }) => isNear).length
  console.log(`sample: ${step}: ${chosen.length} of ${items.length}, of which the change calls for ${near}`)
  return chosen
}

const beginsWith = (places: readonly string[]) => (path: string) =>
  places.some((place) => path.startsWith(place))

/** Chooses what CI runs for a change: all unit tests, and samples of all other steps. */
export function jobsOfPush({ seed, changed }: { seed: number; changed: readonly string[] }): Job[] {
  const suites = [...checkSuites(), kindSuite('objects'), kindSuite('scale'), tlsSuite()].map((suite) => {
    const calls = CALLS_FOR[suite.step]
    const isCalledFor = calls === undefined || changed.some(beginsWith(calls))
    const near = new Set(isCalledFor ? nearTests(suite.files, changed) : [])
    const items = suite.files.map((file) => ({
      name: file,
      seconds: secondsOf(suite.step, file),
      isNear: near.has(file),
    }))
    return { ...suite, files: sample(suite.step, seed, items).map(({ name }) => name) }
  })
  const rigs = PROOFS.map((rig) => ({
    ...rig,
    seconds: rig.cpuSeconds * rig.share,
    isNear: changed.some(beginsWith(rig.paths)),
  }))
  return [
    ...[unitSuite(), ...suites].flatMap(jobsOf),
    ...sample('rigs', seed, rigs).map((rig) => rigJob(rig, seed, rig.share)),
  ]
}

/** Returns everything, in full. */
export const jobsOfAll = (seed: number): Job[] => [
  ...[unitSuite(), ...checkSuites(), kindSuite('objects'), kindSuite('scale'), tlsSuite()].flatMap(jobsOf),
  ...PROOFS.map((rig) => rigJob(rig, seed, 1)),
]

const rigJob = ({ name, cpuSeconds }: Rig, seed: number, share: number): Job => ({
  step: `rig ${name}`,
  command: [
    ...['test/rig.ts', name, '--seed', String(seed)],
    ...(share < 1 ? ['--share', String(share)] : []),
  ],
  seconds: cpuSeconds * share,
})
