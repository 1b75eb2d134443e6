import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { syncPath } from '../../src/platform/sync-path.ts'
import type { RigOptions, Tally } from '../support/tally.ts'
import { Actor } from './actor.ts'
import type { Bench } from './bench.ts'
import { CALLS, DURABILITY_CALLS, type Fault } from './control.ts'
import { inspect, readState, readText } from './inspect.ts'
import { type Attempt, controlOf, sweep } from './sweep.ts'
import { STRAY, type World } from './world.ts'

/** Name of this row, for `--rows`. */
export const STRANGERS = 'delete folder with strangers'

/** Kills a delete of a folder with a file unknown to the catalog, at each durability call. */
export const killStrangers = (bench: Bench, tally: Tally, options: RigOptions) =>
  deleteAround(bench, tally, { ...options, calls: DURABILITY_CALLS, action: 'kill' })

/** Fails each change of a name in such a delete with EIO. */
export const failStrangers = (bench: Bench, tally: Tally, options: RigOptions) =>
  deleteAround(bench, tally, { ...options, calls: CALLS.names, action: 'EIO' })

async function deleteAround(
  bench: Bench,
  tally: Tally,
  { calls, action, seed }: RigOptions & Pick<Fault, 'calls' | 'action'>,
): Promise<void> {
  const world = await bench.startWorld()
  const { positions, violations } = await sweep((nth) => deleteOnce(world, { calls, action, nth }, seed))
  await world.remove()
  tally.add(`${STRANGERS}, ${action}`, positions, violations)
}

async function deleteOnce(world: World, fault: Fault, seed: number): Promise<Attempt> {
  // A new folder for each position, because the unknown file remains at its path.
  const actor = new Actor(`strangers-${fault.nth}`, seed)
  actor.adopt(readState(world))
  await actor.furnish(world, world.account)
  const [deepest = ''] = [...actor.scene().state.folders.keys()].toSorted((a, b) => b.length - a.length)
  const stray = join(world.dataPath, 'uploads', deepest, STRAY.name)
  writeFileSync(stray, STRAY.content)
  syncPath(stray)
  const control = controlOf(world)
  control.arm(fault)
  const outcome = await actor.perform(world, world.account, actor.clear())
  control.disarm()
  const hit = control.hits() > 0
  if (hit && fault.action === 'kill') await world.ended()
  await world.restart()
  const { state, violations } = await inspect(world, world.account)
  if (!hit && outcome !== 200) violations.push(`the request got ${outcome}`)
  if (readText(stray) !== STRAY.content)
    violations.push('I5 a file in the folder that was put there by hand is gone')
  return { hit, violations: [...violations, ...actor.check(state)] }
}
