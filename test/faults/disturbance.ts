import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { Chance } from '../support/chance.ts'
import { becomes } from '../support/eventually.ts'
import type { Tally } from '../support/tally.ts'
import { Actor } from './actor.ts'
import type { Bench } from './bench.ts'
import { CALLS, type Fault } from './control.ts'
import { freeze, inspectCopy } from './cut.ts'
import { Disk, type DiskKind } from './disks.ts'
import { readState } from './inspect.ts'
import { newActors, nextOperation } from './kill-load.ts'
import { controlOf, saysThatItStops } from './sweep.ts'
import type { World } from './world.ts'

/** Name of this row, for `--rows`. */
export const DISTURBANCE = 'disturbance'

/** Disturbances of each disk in a run. */
const ROUNDS = 4
const CLIENTS = 4
/** Longest disturbance, in milliseconds. */
const MAX_LASTING_MS = 20
/** Range of calls in which the first failure falls. */
const FIRST_CALLS = 40
/** Calls that fail, in alternation: syncs, or syncs and SQLite's writes. */
const FAILING = [CALLS.fsync, CALLS.fsync | CALLS.write]
/** Longest time from the failure to the power cut, in milliseconds. A server that exits does so earlier. */
const MAX_CUT_MS = 300

interface Disturbance {
  chance: Chance
  disk: Disk
  fault: Fault
  /** Folder for the copy after the power cut. */
  copy: string
}

/**
 * Fails `fsync` for some milliseconds. Then it succeeds again, but loses the data that it failed to write. Later the
 * power goes. All acknowledged changes must survive, and the server must exit by itself.
 */
export async function disturbDisk(
  bench: Bench,
  tally: Tally,
  { kind, folder, seed }: { kind: DiskKind; folder: string; seed: number },
): Promise<void> {
  const own = mkdtempSync(join(folder, 'disturbed-'))
  const disk = Disk.create(join(own, 'disk'), kind)
  const world = bench.newWorld(disk.dataPath)
  const chance = new Chance(seed)
  const violations: string[] = []
  let hits = 0
  try {
    await world.boot()
    await world.register()
    const actors = await newActors(world, CLIENTS, chance)
    for (let round = 0; round < ROUNDS && violations.length === 0; round++) {
      const single = [CALLS.fileSync, CALLS.logSync][round]
      const fault = single === undefined ? disturbance(chance) : oneSync(single, chance)
      const { isHit, found } = await disturb(world, actors, {
        chance,
        disk,
        fault,
        copy: join(own, `cut${round}`),
      })
      if (isHit) hits += 1
      violations.push(...found.map((violation) => `round ${round}: ${violation}`))
      await world.reboot()
      const state = readState(world)
      for (const actor of actors) actor.adopt(state)
    }
    tally.add(`${DISTURBANCE} and a power cut, ${kind.name}, seed ${seed}`, hits, violations)
  } finally {
    await world.kill()
    disk.remove()
  }
}

/** Returns a fault of a single sync. A longer disturbance nearly always fails syncs of files and of SQLite. */
const oneSync = (calls: number, chance: Chance): Fault => ({
  calls,
  nth: 1 + chance.below(FIRST_CALLS),
  action: 'EIO',
})

const disturbance = (chance: Chance): Fault => ({
  calls: chance.pick(FAILING) ?? CALLS.fsync,
  nth: 1 + chance.below(FIRST_CALLS),
  action: 'EIO',
  lasting: 1 + chance.below(MAX_LASTING_MS),
})

async function disturb(
  world: World,
  actors: readonly Actor[],
  { chance, disk, fault, copy }: Disturbance,
): Promise<{ isHit: boolean; found: string[] }> {
  const control = controlOf(world)
  control.arm(fault)
  let isOver = false
  const clients = actors.map((actor) => new Client(world, actor, () => !isOver))
  const working = Promise.all(clients.map((client) => client.work()))
  await becomes(() => control.hits() > 0 || !world.isAlive(), 1)
  await Bun.sleep(chance.below(MAX_CUT_MS))
  freeze(world)
  // Synchronous until the copy exists, so no response arrives in between.
  const witnesses = actors.map((actor) => actor.copy())
  const cut = disk.cut(copy)
  isOver = true
  world.signal('SIGCONT')
  const isHit = control.hits() > 0
  const found = isHit ? await endProblems(world) : []
  await world.kill()
  await working
  try {
    found.push(...clients.flatMap(({ violations }) => violations))
    return { isHit, found: [...found, ...(await inspectCopy(cut, world, witnesses))] }
  } finally {
    cut.remove()
  }
}

/** Returns violations by a server with a failed `fsync`, which must exit by itself as a failure. */
async function endProblems(world: World): Promise<string[]> {
  if (!(await saysThatItStops(world)) && world.isAlive()) return ['it goes on after an fsync has failed']
  const { exitCode } = await world.ended()
  return exitCode === 1 ? [] : [`it ended with ${exitCode}`]
}

/** Client that continues after the failure. The server must acknowledge none of its later requests. */
class Client {
  readonly violations: string[] = []
  readonly #world: World
  readonly #actor: Actor
  readonly #goesOn: () => boolean

  constructor(world: World, actor: Actor, goesOn: () => boolean) {
    this.#world = world
    this.#actor = actor
    this.#goesOn = goesOn
  }

  /** Sends random requests until the server fails to acknowledge one, then uploads that it must refuse. */
  async work(): Promise<void> {
    const world = this.#world
    while (this.#goesOn()) {
      const [name, operation] = nextOperation(this.#actor)
      const isLate = this.#hasFailed()
      const outcome = await this.#actor.perform(world, world.account, operation)
      if (outcome === 200 && isLate) this.violations.push(`${name} after the failure is answered 200`)
      if (outcome !== 200) {
        if (this.#goesOn() && !this.#hasFailed())
          this.violations.push(`${name} got ${outcome} without a failure`)
        // The commit of a refused request may be in the log.
        this.#actor.doubt(operation)
        return this.#uploadInVain()
      }
      this.#actor.learn(readState(world))
    }
  }

  async #uploadInVain(): Promise<void> {
    const world = this.#world
    // In another folder, which must never exist.
    const late = new Actor(`${this.#actor.home}-late`, 0)
    while (this.#goesOn()) {
      const outcome = await late.perform(world, world.account, late.refill())
      if (outcome === 'no answer') return
      if (outcome === 200) this.violations.push('an import after the failure is answered 200')
    }
  }

  #hasFailed(): boolean {
    return controlOf(this.#world).hits() > 0
  }
}
