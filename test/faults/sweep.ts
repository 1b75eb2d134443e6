import { Actor } from './actor.ts'
import type { Bench } from './bench.ts'
import { type Control, DURABILITY_CALLS } from './control.ts'
import { readState } from './inspect.ts'
import { LARGE_IMPORT, type Operation, type Route } from './operations.ts'
import type { World } from './world.ts'

/** Sweeps end after this many runs in which no call was left to be killed at. */
const QUIET_RUNS = 2

/** A sweep never needs more positions than this: a rig that does not end is broken. */
const MAX_POSITIONS = 500

/** Whether a position was hit, and what was wrong afterwards. */
export interface Attempt {
  hit: boolean
  violations: string[]
}

/** Tries position after position until there is none left. */
export async function sweep(
  attempt: (nth: number) => Promise<Attempt>,
): Promise<{ positions: number; violations: string[] }> {
  const violations: string[] = []
  let positions = 0
  for (let nth = 1, quiet = 0; quiet < QUIET_RUNS; nth++) {
    if (nth > MAX_POSITIONS) throw new Error('A sweep does not end')
    const { hit, violations: found } = await attempt(nth)
    violations.push(...found.map((violation) => `position ${nth}: ${violation}`))
    quiet = hit ? 0 : quiet + 1
    if (hit) positions += 1
  }
  return { positions, violations }
}

/** The shim's numbers of a world that was made with it. */
export function controlOf({ control }: World): Control {
  if (!control) throw new Error('The server runs without the shim')
  return control
}

/** Starts a server that dies at the n-th call; says whether it did. */
export async function dieAtStart(world: World, nth: number): Promise<boolean> {
  const control = controlOf(world)
  await world.kill()
  control.arm({ calls: DURABILITY_CALLS, nth, action: 'kill' })
  try {
    await world.boot()
  } catch (error) {
    if (control.hits() === 0) throw error
  }
  control.disarm()
  return control.hits() > 0
}

/** One route that is tried again and again on one server. */
export interface Rig {
  world: World
  actor: Actor
  route: Route
}

export async function startRig(
  bench: Bench,
  { name, route }: { name: string; route: Route },
  seed: number,
): Promise<Rig> {
  const world = await bench.startWorld(name === LARGE_IMPORT ? bench.largeImports : undefined)
  const actor = new Actor('home', seed)
  actor.adopt(readState(world))
  return { world, actor, route }
}

/** Longer than a request takes, in milliseconds. */
const REQUEST_MS = 400
/** In which what the server saves each second is saved, in milliseconds. */
const SAVING_MS = 50

/** Waits while the server might make the calls of its own that it makes each second during a request. */
async function betweenSaves(): Promise<void> {
  const left = 1000 - (Date.now() % 1000)
  if (left < REQUEST_MS) await Bun.sleep(left + SAVING_MS)
}

/** The route's next request, on a folder that was just filled. */
export async function prepare({ world, actor, route }: Rig): Promise<Operation> {
  await actor.furnish(world, world.account)
  const first = route.after?.(actor.scene())
  if (first) {
    await actor.perform(world, world.account, first)
    const problems = actor.settle(readState(world))
    if (problems.length > 0) throw new Error(`The route could not be prepared: ${problems}`)
  }
  const operation = route(actor.scene())
  if (!operation) throw new Error('The route has nothing to work on')
  await betweenSaves()
  return operation
}
