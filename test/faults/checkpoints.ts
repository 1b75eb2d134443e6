import { statSync } from 'node:fs'
import { join } from 'node:path'
import { Actor } from './actor.ts'
import type { Bench } from './bench.ts'
import { CALLS } from './control.ts'
import { inspect, readState } from './inspect.ts'
import { controlOf } from './sweep.ts'
import type { RigOptions, Tally } from './tally.ts'
import type { World } from './world.ts'

/** More log than a server leaves when nothing is written, in bytes. */
const LOG_BYTES = 2 * 1024 ** 2
/** Longer than a server that nothing is written to waits with its checkpoint, in milliseconds. */
const WAIT_MS = 30_000

/** The fsync of a checkpoint fails while no request is under way: the server must end. */
export async function failCheckpoint(bench: Bench, tally: Tally, { seed }: RigOptions): Promise<void> {
  const world = await bench.startWorld()
  const control = controlOf(world)
  const actor = new Actor('home', seed)
  actor.adopt(readState(world))
  while (logBytes(world) < LOG_BYTES) await actor.furnish(world, world.account)
  // What the server saves each second is saved by then.
  await Bun.sleep(2000)
  control.arm({ calls: CALLS.fsync, nth: 1, action: 'EIO' })
  const deadline = Date.now() + WAIT_MS
  while (world.isAlive() && Date.now() < deadline) await Bun.sleep(50)
  control.disarm()
  const violations = control.hits() > 0 ? [] : ['no checkpoint was made']
  if (world.isAlive()) violations.push('the server goes on')
  else if ((await world.ended()).exitCode !== 1) violations.push('the server did not end as a failure')
  await world.restart()
  const { state, violations: broken } = await inspect(world, world.account)
  violations.push(...broken, ...actor.settle(state))
  await world.remove()
  tally.add('checkpoint, EIO from fsync once', 1, violations)
}

const logBytes = ({ dataPath }: World) => statSync(join(dataPath, 'db', 'holdfast.sqlite-wal')).size
