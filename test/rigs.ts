import type { RigOptions, Tally } from './support/tally.ts'

/** Program that proves a promise which single tests cannot, or prints figures. */
export interface Rig {
  name: string
  /** Description in one line. */
  about: string
  /**
   * Beginnings of the paths whose change makes a run necessary, relative to the root of the project; empty for figures
   * and engines, which prove nothing.
   */
  paths: readonly string[]
  /** Estimate of the processor time of a run in full, in seconds. */
  cpuSeconds: number
  /** Share of its rows that CI runs; 1 where only all of them are a useful run. */
  share: number
  run: (tally: Tally, options: RigOptions) => Promise<void>
}

/** Source that makes changes durable: what the fault rigs break. */
const DURABLE = ['src/store/', 'src/volume/', 'src/catalog/', 'src/blobs/', 'src/platform/']
const FAULTS = ['test/faults/', 'test/rig', 'test/support/tally.ts', 'test/support/chance.ts']

/** Rigs by name. Each is loaded by its run only. */
export const RIGS: readonly Rig[] = [
  {
    name: 'kill',
    about: 'kills the server at each durability call of every write, in recovery and under load',
    paths: [...DURABLE, 'src/modules/', ...FAULTS],
    cpuSeconds: 190,
    share: 0.25,
    run: async (...args) => (await import('./faults/kill.ts')).rigKill(...args),
  },
  {
    name: 'errors',
    about: 'fails each durability call of every write with errors of the disk',
    paths: [...DURABLE, 'src/modules/', ...FAULTS],
    cpuSeconds: 200,
    share: 0.25,
    run: async (...args) => (await import('./faults/errors.ts')).rigErrors(...args),
  },
  {
    name: 'power',
    about: 'cuts the power of a disk after each write, and after failed syncs (needs root)',
    paths: [...DURABLE, ...FAULTS],
    cpuSeconds: 60,
    share: 0.25,
    run: async (...args) => (await import('./faults/power.ts')).rigPower(...args),
  },
  {
    name: 'mutants',
    about: 'expects that the rigs catch mutations of the server',
    paths: ['test/faults/', 'test/linear/', 'test/cost/', 'test/rig'],
    cpuSeconds: 300,
    share: 0.25,
    run: async (...args) => (await import('./faults/mutants.ts')).rigMutants(...args),
  },
  {
    name: 'guards',
    about: 'expects that a test fails without each guard of the rights in folders',
    paths: ['src/access/reach.ts', 'src/catalog/tree/within.ts', 'src/store/tree.ts', 'test/rights/'],
    cpuSeconds: 800,
    share: 0.1,
    run: async (...args) => (await import('./rights/guards.ts')).rigGuards(...args),
  },
  {
    name: 'people',
    about: 'compares the pages of a family and of a team with a model of their rights in folders',
    paths: ['src/access/', 'src/catalog/tree/within.ts', 'src/dashboard/', 'test/people/'],
    cpuSeconds: 250,
    share: 1,
    run: async (...args) => (await import('./people/main.ts')).rigPeople(...args),
  },
  {
    name: 'linear',
    about: 'searches for an order that explains all responses to concurrent clients',
    paths: ['src/store/', 'src/catalog/', 'src/modules/', 'test/linear/'],
    cpuSeconds: 8,
    share: 1,
    run: async (...args) => (await import('./linear/main.ts')).rigLinear(...args),
  },
  {
    name: 'load',
    about: 'checks that many and slow clients are served within bounds of memory (--deep: also large ones)',
    paths: ['src/transport/', 'src/http/', 'src/multipart/', 'src/modules/hosting/', 'test/load/'],
    cpuSeconds: 18,
    share: 0.25,
    run: async (...args) => (await import('./load/main.ts')).rigLoad(...args),
  },
  {
    name: 'cost',
    about: 'compares the cost of each element of HTTP with a plain body',
    paths: ['src/transport/', 'src/multipart/', 'test/cost/'],
    cpuSeconds: 16,
    share: 0.25,
    run: async (...args) => (await import('./cost/main.ts')).rigCost(...args),
  },
  {
    name: 'scale',
    about: 'breaks servers that share PostgreSQL and an object store, and these engines',
    paths: ['src/catalog/', 'src/blobs/', 'src/store/', 'test/scale/faults/', 'test/faults/'],
    cpuSeconds: 40,
    share: 0.25,
    run: async (...args) => (await import('./scale/faults/main.ts')).rigScale(...args),
  },
  {
    name: 's3-tours',
    about:
      'lets aws-cli, rclone, s3cmd, restic, s3fs and the SDK for JavaScript copy, compare, move and remove files',
    paths: ['src/modules/s3/', 'src/sigv4/', 'test/s3/tours.ts'],
    cpuSeconds: 37,
    share: 0.25,
    run: async (...args) => (await import('./s3/tours.ts')).rigS3Tours(...args),
  },
  {
    name: 'crossings',
    about: 'asks one server for each change right after another has acknowledged it',
    paths: ['src/catalog/', 'src/modules/hosting/', 'test/scale/crossings.ts'],
    cpuSeconds: 60,
    share: 1,
    run: async (...args) => (await import('./scale/crossings.ts')).rigCrossings(...args),
  },
  {
    name: 'release',
    about: 'builds a release of all targets in two folders, and expects the same bytes',
    paths: ['src/build/', 'bun.lock', 'test/release/targets.ts'],
    cpuSeconds: 380,
    share: 1,
    run: async (...args) => (await import('./release/targets.ts')).rigRelease(...args),
  },
  {
    name: 'scale:figures',
    about: 'prints times, rates and CPU time on PostgreSQL and an object store (needs wrk)',
    ...{ paths: [], cpuSeconds: 60, share: 1 },
    run: async () => (await import('./scale/figures.ts')).printFigures(),
  },
  ...(['up', 'down'] as const).map((direction) => ({
    name: `scale:${direction}`,
    about:
      direction === 'up'
        ? 'starts PostgreSQL and Ceph, and prints the variables that lead to them'
        : 'stops them',
    ...{ paths: [], cpuSeconds: 5, share: 1 },
    run: async () => (await import('./scale/engines.ts')).turnEngines(direction),
  })),
]
