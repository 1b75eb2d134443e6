import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Actor } from './actor.ts'
import { type Bench, inLanes, NO_COMPILER } from './bench.ts'
import { Chance } from './chance.ts'
import { atExit } from './cleanup.ts'
import { freeze, inspectCopy } from './cut.ts'
import { DISK_KINDS, Disk, type DiskKind, imageFolder, whyNoDisks } from './disks.ts'
import { DISTURBANCE, disturbDisk } from './disturbance.ts'
import { readState } from './inspect.ts'
import { newActors, work } from './kill-load.ts'
import { ROUTES } from './operations.ts'
import { type RigOptions, shareOf, type Tally } from './tally.ts'
import type { World } from './world.ts'

/** Number of cuts for each route on each disk. */
const PASSES = 2
/** Number of cuts with requests in flight, for each disk. */
const CUTS_IN_FLIGHT = 10
const CLIENTS_IN_FLIGHT = 4

/** Cuts the power after every acknowledged request of every write route, and while requests are in flight. */
export async function rigPower(bench: Bench, tally: Tally, options: RigOptions): Promise<void> {
  const folder = mkdtempSync(join(imageFolder(), 'holdfast-disks-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  const forget = atExit(remove)
  try {
    const why = whyNoDisks(folder)
    if (why !== undefined) return tally.skip(`no disk can be mounted here: ${why}`)
    const rounds = Array.from({ length: options.short ? 1 : 10 }, (_, round) => round)
    const runs = shareOf(DISK_KINDS, 2, options).flatMap((kind) =>
      rounds.map((round) => ({ kind, seed: options.seed + round })),
    )
    const { routes } = options
    const isChosen = routes.length === 0 || routes.includes(DISTURBANCE)
    if (routes.length === 0 || routes.some((name) => name !== DISTURBANCE))
      await inLanes(2, runs, (run) => cutDisk(bench, tally, { ...options, ...run, folder }))
    if (isChosen && !bench.shim) tally.skip(NO_COMPILER)
    else if (isChosen) await inLanes(2, runs, (run) => disturbDisk(bench, tally, { ...run, folder }))
  } finally {
    remove()
    forget()
  }
}

interface Run extends RigOptions {
  kind: DiskKind
  folder: string
}

/** Cuts one disk under a server many times. Starts a server on each copy and checks it. */
async function cutDisk(bench: Bench, tally: Tally, { kind, folder, seed, routes }: Run): Promise<void> {
  const own = mkdtempSync(join(folder, 'run-'))
  const disk = Disk.create(join(own, 'disk'), kind)
  const world = bench.newWorld(disk.dataPath)
  try {
    await world.boot()
    await world.register()
    const cuts = new Cuts({ world, disk, folder: own })
    await cutRoutes(cuts, { seed, routes })
    if (routes.length === 0) await cutInFlight(cuts, seed)
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
async function cutRoutes(cuts: Cuts, { seed, routes }: { seed: number; routes: readonly string[] }) {
  const { world } = cuts
  const actor = new Actor('home', seed)
  actor.adopt(readState(world))
  await cuts.take([actor], 'the registration')
  for (let pass = 0; pass < PASSES; pass++) {
    await actor.furnish(world, world.account)
    await cuts.take([actor], 'filling a folder')
    for (const [name, route] of ROUTES) {
      if (routes.length > 0 && !routes.includes(name)) continue
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
