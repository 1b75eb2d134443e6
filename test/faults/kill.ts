import { Actor } from './actor.ts'
import { type Bench, inLanes, NO_COMPILER } from './bench.ts'
import { contest } from './contest.ts'
import { ALL_CALLS, type Control, DURABILITY_CALLS } from './control.ts'
import { inspect, readState } from './inspect.ts'
import { killFirstStarts, killSignUps } from './kill-first.ts'
import { killUnderLoad } from './kill-load.ts'
import { type Operation, ROUTES, type Scene } from './operations.ts'
import type { RigOptions, Tally } from './tally.ts'
import type { World } from './world.ts'

type Route = (scene: Scene) => Operation | undefined

/** Sweeps end after this many runs in which no call was left to be killed at. */
export const QUIET_RUNS = 2

/** A sweep never needs more positions than this: a rig that does not end is broken. */
export const MAX_POSITIONS = 500

/** SIGKILL at every durability call of every write route, and of the start after it; and at random times. */
export async function rigKill(bench: Bench, tally: Tally, options: RigOptions): Promise<void> {
  if (!bench.shim) return tally.skip(NO_COMPILER)
  const chosen = (name: string) => options.routes.length === 0 || options.routes.includes(name)
  const sweeps = [...ROUTES].filter(([name]) => chosen(name))
  const works = [
    ...sweeps.map(
      ([name, route]) =>
        () =>
          killRoute(bench, tally, options, { name, route }),
    ),
    ...(chosen('first start') ? [() => killFirstStarts(bench, tally)] : []),
    ...(chosen('sign-up') ? [() => killSignUps(bench, tally)] : []),
    ...(chosen('same name at once') ? [() => contest(bench, tally, options)] : []),
    ...(chosen('load') ? [() => killUnderLoad(bench, tally, options)] : []),
  ]
  await inLanes(2, works, (work) => work())
}

/** The shim's numbers of a world that was made with it. */
export function controlOf({ control }: World): Control {
  if (!control) throw new Error('The server runs without the shim')
  return control
}

async function killRoute(
  bench: Bench,
  tally: Tally,
  { short, seed }: RigOptions,
  { name, route }: { name: string; route: Route },
): Promise<void> {
  const world = bench.newWorld()
  await world.boot()
  await world.register()
  const rig = { world, actor: new Actor('home', seed), route }
  rig.actor.adopt(readState(world))
  const calls = short ? DURABILITY_CALLS : ALL_CALLS
  const killed = await sweep((nth) => killOnce(rig, { calls, nth }))
  tally.add(`${name}, killed`, killed.positions, killed.violations)
  const twice = !short || RECOVERIES.has(name) ? crashes(killed.positions, short) : []
  for (const nth of twice) {
    const again = await sweep((nthOfStart) => killTwice(rig, { calls, nth, nthOfStart }))
    tally.add(`${name}, killed at ${nth} and in recovery`, again.positions, again.violations)
  }
  await world.remove()
}

/** The routes whose recovery a short run kills, too: one for each kind of plan. */
const RECOVERIES = new Set(['upload one', 'move file', 'move folder', 'delete folder'])

/** Crashes whose recovery is killed, too: spread over all of a route's positions. */
function crashes(positions: number, short: boolean): number[] {
  const count = Math.min(short ? 1 : 4, positions)
  return Array.from({ length: count }, (_, index) => Math.ceil(((index + 1) * positions) / (count + 1)))
}

interface Rig {
  world: World
  actor: Actor
  route: Route
}

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

/** Sends the route's request to a server that dies at the n-th call. */
async function die({ world, actor, route }: Rig, { calls, nth }: { calls: number; nth: number }) {
  const control = controlOf(world)
  await actor.furnish(world, world.account)
  const operation = route(actor.scene())
  if (!operation) throw new Error('The route has nothing to work on')
  control.arm({ calls, nth, action: 'kill' })
  const outcome = await actor.perform(world, world.account, operation)
  control.disarm()
  const hit = control.hits() > 0
  if (hit) await world.ended()
  return { hit, violations: !hit && outcome !== 200 ? [`the request got ${outcome}`] : [] }
}

async function killOnce(rig: Rig, position: { calls: number; nth: number }): Promise<Attempt> {
  const { hit, violations } = await die(rig, position)
  if (hit) await rig.world.reboot()
  return { hit, violations: [...violations, ...(await check(rig))] }
}

async function killTwice(
  rig: Rig,
  { calls, nth, nthOfStart }: { calls: number; nth: number; nthOfStart: number },
): Promise<Attempt> {
  const { world } = rig
  await die(rig, { calls, nth })
  const hit = await dieAtStart(world, nthOfStart)
  await world.reboot()
  return { hit, violations: await check(rig) }
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

async function check({ world, actor }: Rig): Promise<string[]> {
  const { state, violations } = await inspect(world, world.account)
  return [...violations, ...actor.settle(state)]
}
