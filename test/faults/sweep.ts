import { Actor } from './actor.ts'
import type { Bench } from './bench.ts'
import { type Control, DURABILITY_CALLS } from './control.ts'
import { readState } from './inspect.ts'
import { LARGE_IMPORT, type Operation, type Route } from './operations.ts'
import type { World } from './world.ts'

/** Number of runs without a call to fail after which a sweep ends. */
const QUIET_RUNS = 2

/** Number of positions that no valid sweep reaches, so that a broken rig ends. */
const MAX_POSITIONS = 500

/** Outcome of a run at one position. */
export interface Attempt {
  hit: boolean
  violations: string[]
}

/** Tries one position after the other until none is left. */
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

/** Number of requests that a server answers, at most, between a failure and its end. */
const LAST_REQUESTS = 500

/**
 * Returns true when the server logs that it stops because the outcome of a commit is unknown, false when it ends without
 * that, or answers one request after another.
 */
export async function saysThatItStops(world: World, requests = LAST_REQUESTS): Promise<boolean> {
  const says = () => world.output().includes('stopping so that the next start can recover')
  for (let asked = 0; asked < requests && world.isAlive() && !says(); asked++)
    await world.fetch('/api/health').catch(() => undefined)
  return says()
}

/** Returns the control of a world that has the shim. */
export function controlOf({ control }: World): Control {
  if (!control) throw new Error('The server runs without the shim')
  return control
}

/** Starts a server that is killed at the n-th call. Returns true when it was. */
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

/** Route under test, on one server. */
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
  const world = await bench.startWorld('quiet', ...(name === LARGE_IMPORT ? (['few rows'] as const) : []))
  const actor = new Actor('home', seed)
  actor.adopt(readState(world))
  return { world, actor, route }
}

/** Fills the client's folder and returns the route's next request. */
export async function prepare({ world, actor, route }: Rig): Promise<Operation> {
  await actor.furnish(world, world.account)
  const first = route.after?.(actor.scene())
  if (first) {
    await actor.perform(world, world.account, first)
    const problems = actor.check(readState(world))
    if (problems.length > 0) throw new Error(`The route could not be prepared: ${problems}`)
  }
  const operation = route(actor.scene())
  if (!operation) throw new Error('The route has nothing to work on')
  return operation
}
