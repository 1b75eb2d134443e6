import { Chance } from '../support/chance.ts'
import type { RigOptions, Tally } from '../support/tally.ts'
import { Actor, checkAll } from './actor.ts'
import type { Bench } from './bench.ts'
import { inspect, readState } from './inspect.ts'
import { SHARED_ROUTES } from './operations.ts'
import type { World } from './world.ts'

const CLIENTS = 8
/** Longest time that clients work before the kill, in milliseconds. */
const MAX_DELAY_MS = 200
/** Kills on one data folder, which becomes slower to check with each. */
const KILLS_A_FOLDER = 25
/** Number of files at which a client starts over with an empty folder. */
const MAX_FILES = 20

/** Kills the server at a random time while eight clients mix all write routes. */
export async function killUnderLoad(bench: Bench, tally: Tally, { isDeep, seed }: RigOptions): Promise<void> {
  const kills = isDeep ? 200 : 25
  const chance = new Chance(seed)
  const violations: string[] = []
  for (let done = 0; done < kills; done += KILLS_A_FOLDER) {
    const world = await bench.startWorld()
    const actors = await newActors(world, CLIENTS, chance)
    for (let kill = done; kill < done + KILLS_A_FOLDER; kill++) {
      const found = await killOnce(world, actors, chance.below(MAX_DELAY_MS))
      violations.push(...found.map((violation) => `kill ${kill}: ${violation}`))
    }
    await world.remove()
  }
  tally.add(`killed under load of ${CLIENTS} clients, seed ${seed}`, kills, violations)
}

/** Creates clients whose state is the server's. */
export async function newActors(world: World, count: number, chance: Chance): Promise<Actor[]> {
  const actors = Array.from({ length: count }, (_, n) => new Actor(`client${n}`, chance.below(2 ** 32)))
  for (const actor of actors) actor.adopt(readState(world))
  for (const actor of actors) await actor.furnish(world, world.account)
  return actors
}

async function killOnce(world: World, actors: readonly Actor[], delayMs: number): Promise<string[]> {
  const working = Promise.all(actors.map((actor) => work(world, actor)))
  await Bun.sleep(delayMs)
  await world.kill()
  const refused = (await working).flat()
  await world.reboot()
  const { state, violations } = await inspect(world, world.account)
  return [...refused, ...violations, ...checkAll(actors, state)]
}

/** Sends random requests until `goesOn` returns false or the server has exited. */
export async function work(
  world: World,
  actor: Actor,
  goesOn: () => boolean = () => true,
): Promise<string[]> {
  const refused: string[] = []
  while (goesOn()) {
    const [name, operation] = nextOperation(actor)
    const outcome = await actor.perform(world, world.account, operation)
    if (outcome === 'no answer') break
    if (outcome !== 200) refused.push(`${actor.home}: ${name} got ${outcome}`)
    // Only reads ids here. The check follows after the kill.
    else actor.learn(readState(world))
  }
  return refused
}

export function nextOperation(actor: Actor) {
  const scene = actor.scene()
  if (!scene.state.folders.has(actor.home)) return ['import', actor.refill()] as const
  if (scene.state.files.size > MAX_FILES) return ['delete', actor.clear()] as const
  for (;;) {
    const [name, route] = scene.chance.pick([...SHARED_ROUTES]) ?? []
    const operation = route?.(scene)
    if (name !== undefined && operation) return [name, operation] as const
  }
}
