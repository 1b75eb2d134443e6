import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Chance } from '../support/chance.ts'
import { atExit } from '../support/cleanup.ts'
import { chosenFrom, type RigOptions, type Tally } from '../support/tally.ts'
import { Actor } from './actor.ts'
import { type Bench, inLanes, NO_COMPILER, openBench } from './bench.ts'
import { freeze, inspectCopy } from './cut.ts'
import { DISK_KINDS, Disk, type DiskKind, imageFolder, whyNoDisks } from './disks.ts'
import { DISTURBANCE, disturbDisk } from './disturbance.ts'
import { readState } from './inspect.ts'
import { newActors, work } from './kill-load.ts'
import { ROUTES } from './operations.ts'
import type { World } from './world.ts'

/** Name of the row of cuts under load. */
const IN_FLIGHT = 'in flight'
/** Number of cuts for each route on each disk. */
const PASSES = 2
/** Number of cuts with requests in flight, for each disk. */
const CUTS_IN_FLIGHT = 10
const CLIENTS_IN_FLIGHT = 4

/** Cuts the power after every acknowledged request of every write route, and while requests are in flight. */
export async function rigPower(tally: Tally, options: RigOptions): Promise<void> {
  await using bench = await openBench()
  const folder = mkdtempSync(join(imageFolder(), 'holdfast-disks-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  const forget = atExit(remove)
  try {
    const why = whyNoDisks(folder)
    if (why !== undefined) return tally.skip(`no disk can be mounted here: ${why}`)
    const runs = DISK_KINDS.flatMap((kind, index) =>
      Array.from({ length: options.isDeep ? 10 : 1 }, (_, round) => {
        const seed = options.seed + round * DISK_KINDS.length + index
        return { ...{ kind, seed, folder }, rows: chosenNames({ ...options, seed }) }
      }),
    )
    await inLanes(2, runs, async (run) => {
      const { rows } = run
      if (rows.some((name) => name !== DISTURBANCE)) await cutDisk(bench, tally, run)
      if (rows.includes(DISTURBANCE) && !bench.shim) tally.skip(NO_COMPILER)
      else if (rows.includes(DISTURBANCE)) await disturbDisk(bench, tally, run)
    })
  } finally {
    remove()
    forget()
  }
}

/** Returns the rows of one disk: other disks of the same run get others. */
const chosenNames = (options: RigOptions): string[] =>
  chosenFrom(
    [...ROUTES.keys(), IN_FLIGHT, DISTURBANCE].map((name) => ({ name })),
    options,
  ).map(({ name }) => name)

interface Run {
  kind: DiskKind
  folder: string
  seed: number
  rows: readonly string[]
}

/** Cuts one disk under a server many times. Starts a server on each copy and checks it. */
async function cutDisk(bench: Bench, tally: Tally, { kind, folder, seed, rows }: Run): Promise<void> {
  const own = mkdtempSync(join(folder, 'run-'))
  const disk = Disk.create(join(own, 'disk'), kind)
  const world = bench.newWorld(disk.dataPath)
  try {
    await world.boot()
    await world.register()
    const cuts = new Cuts({ world, disk, folder: own })
    await cutRoutes(cuts, { seed, rows })
    if (rows.includes(IN_FLIGHT)) await cutInFlight(cuts, seed)
    tally.add(`${kind.name}, seed ${seed}`, cuts.count, cuts.violations)
  } finally {
    await world.kill()
    disk.remove()
  }
}

/** Cuts of one disk. */
class Cuts {
  readonly world: World
  readonly violations: string[] = []
  count = 0
  readonly #disk: Disk
  readonly #folder: string

  constructor({ world, disk, folder }: { world: World; disk: Disk; folder: string }) {
    this.world = world
    this.#disk = disk
    this.#folder = folder
  }

  /** Cuts the power now and checks the copy against the acknowledgements so far. */
  async take(actors: readonly Actor[], after: string): Promise<void> {
    const { world } = this
    freeze(world)
    // Synchronous until the copy exists, so no response arrives in between.
    const witnesses = actors.map((actor) => actor.copy())
    const copy = this.#disk.cut(join(this.#folder, `cut${this.count++}`))
    world.signal('SIGCONT')
    try {
      const found = await inspectCopy(copy, world, witnesses)
      this.violations.push(...found.map((violation) => `after ${after}: ${violation}`))
    } finally {
      copy.remove()
    }
  }
}

/** Cuts the power after each response to one client. */
async function cutRoutes(cuts: Cuts, { seed, rows }: Pick<Run, 'seed' | 'rows'>) {
  const { world } = cuts
  const actor = new Actor('home', seed)
  actor.adopt(readState(world))
  await cuts.take([actor], 'the registration')
  for (let pass = 0; pass < PASSES; pass++) {
    await actor.furnish(world, world.account)
    await cuts.take([actor], 'filling a folder')
    for (const [name, route] of ROUTES) {
      if (!rows.includes(name)) continue
      const operation = route(actor.scene())
      if (!operation) continue
      const outcome = await actor.perform(world, world.account, operation)
      if (outcome !== 200) cuts.violations.push(`${name} got ${outcome}`)
      await cuts.take([actor], name)
      actor.learn(readState(world))
    }
  }
}

/** Cuts the power at random times while several clients work. */
async function cutInFlight(cuts: Cuts, seed: number): Promise<void> {
  const { world } = cuts
  const chance = new Chance(seed)
  const actors = await newActors(world, CLIENTS_IN_FLIGHT, chance)
  let isOver = false
  const working = actors.map((actor) => work(world, actor, () => !isOver))
  for (let cut = 0; cut < CUTS_IN_FLIGHT; cut++) {
    await Bun.sleep(chance.below(50))
    await cuts.take(actors, 'something in flight')
  }
  isOver = true
  cuts.violations.push(...(await Promise.all(working)).flat())
}
