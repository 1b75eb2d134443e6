import { chosenFrom, type RigOptions, type Tally } from '../support/tally.ts'
import { type Bench, inLanes, NO_COMPILER, openBench } from './bench.ts'
import { contest } from './contest.ts'
import { ALL_CALLS, DURABILITY_CALLS } from './control.ts'
import { inspect } from './inspect.ts'
import { killBackups } from './kill-backup.ts'
import { killFirstStarts, killSignUps } from './kill-first.ts'
import { killUnderLoad } from './kill-load.ts'
import { type Route, SWEPT_ROUTES } from './operations.ts'
import { killStrangers, STRANGERS } from './strangers.ts'
import { type Attempt, controlOf, dieAtStart, prepare, type Rig, startRig, sweep } from './sweep.ts'

/** Routes of which a run also kills the recovery: one for each kind of intent. */
const RECOVERIES = [
  'upload one',
  'replace file',
  'restore version',
  'move file',
  'move folder',
  'delete folder',
  'replace folder',
  'trash file',
  'restore folder',
]

/** Kills every write route, and the start after it, at each durability call; also kills at random times. */
export async function rigKill(tally: Tally, options: RigOptions): Promise<void> {
  await using bench = await openBench()
  if (!bench.shim) return tally.skip(NO_COMPILER)
  const rows = [
    ...[...SWEPT_ROUTES].map(([name, route]) => ({
      name,
      work: () => killRoute(bench, tally, options, { name, route }),
    })),
    { name: 'first start', work: () => killFirstStarts(bench, tally) },
    { name: 'sign-up', work: () => killSignUps(bench, tally) },
    { name: STRANGERS, work: () => killStrangers(bench, tally, options) },
    { name: 'backup', work: () => killBackups(bench, tally) },
    { name: 'same name at once', work: () => contest(bench, tally, options) },
    { name: 'load', work: () => killUnderLoad(bench, tally, options) },
  ]
  await inLanes(2, chosenFrom(rows, options), ({ work }) => work())
}

async function killRoute(
  bench: Bench,
  tally: Tally,
  options: RigOptions,
  { name, route }: { name: string; route: Route },
): Promise<void> {
  const { isDeep, seed } = options
  const rig = await startRig(bench, { name, route }, seed)
  const calls = isDeep ? ALL_CALLS : DURABILITY_CALLS
  const killed = await sweep((nth) => killOnce(rig, { calls, nth }))
  tally.add(`${name}, killed`, killed.positions, killed.violations)
  const twice = isDeep || RECOVERIES.includes(name) ? crashes(killed.positions, isDeep) : []
  for (const nth of twice) {
    const again = await sweep((nthOfStart) => killTwice(rig, { calls, nth, nthOfStart }))
    tally.add(`${name}, killed at ${nth} and in recovery`, again.positions, again.violations)
  }
  await rig.world.remove()
}

/** Returns the positions whose recovery the rig kills as well, spread over all of a route's. */
function crashes(positions: number, isDeep: boolean): number[] {
  const count = Math.min(isDeep ? 2 : 1, positions)
  return Array.from({ length: count }, (_, index) => Math.ceil(((index + 1) * positions) / (count + 1)))
}

/** Sends the route's request to a server that is killed at the n-th call. */
async function die(rig: Rig, { calls, nth }: { calls: number; nth: number }) {
  const { world, actor } = rig
  const control = controlOf(world)
  const operation = await prepare(rig)
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

async function check({ world, actor }: Rig): Promise<string[]> {
  const { state, violations } = await inspect(world, world.account)
  return [...violations, ...actor.check(state)]
}
