import { statSync } from 'node:fs'
import { join } from 'node:path'
import { becomes } from '../support/eventually.ts'
import type { RigOptions, Tally } from '../support/tally.ts'
import { Actor } from './actor.ts'
import type { Bench } from './bench.ts'
import { CALLS } from './control.ts'
import { inspect, readState } from './inspect.ts'
import { controlOf } from './sweep.ts'
import type { World } from './world.ts'

/** Size in bytes that the log of an idle server does not exceed. */
const LOG_BYTES = 2 * 1024 ** 2

/** Fails the fsync of a checkpoint while no request is in flight. The server must exit. */
export async function failCheckpoint(bench: Bench, tally: Tally, { seed }: RigOptions): Promise<void> {
  const world = await bench.startWorld('quiet')
  const control = controlOf(world)
  const actor = new Actor('home', seed)
  actor.adopt(readState(world))
  while (logBytes(world) < LOG_BYTES) await actor.furnish(world, world.account)
  control.arm({ calls: CALLS.fsync, nth: 1, action: 'EIO' })
  await becomes(() => !world.isAlive(), 50)
  control.disarm()
  const violations = control.hits() > 0 ? [] : ['no checkpoint was made']
  if (world.isAlive()) violations.push('the server goes on')
  else if ((await world.ended()).exitCode !== 1) violations.push('the server did not end as a failure')
  await world.restart()
  const { state, violations: broken } = await inspect(world, world.account)
  violations.push(...broken, ...actor.check(state))
  await world.remove()
  tally.add('checkpoint, EIO from fsync once', 1, violations)
}

/**
 * Fails the `fsync` that makes the name of the write-ahead log durable, at a first start and a later one. Neither may
 * listen: a power cut would take the log with all that it acknowledges.
 */
export async function failFolderSync(bench: Bench, tally: Tally): Promise<void> {
  const violations: string[] = []
  const world = bench.newWorld()
  const control = controlOf(world)
  for (const start of ['the first start', 'a later start']) {
    control.arm({ calls: CALLS.folderSync, nth: 1, action: 'EIO', sticky: true })
    const listens = await world.boot().then(
      () => true,
      () => false,
    )
    control.disarm()
    if (control.hits() === 0) violations.push(`${start} synced no folder`)
    if (listens) violations.push(`${start} listens`)
    await world.reboot()
    await world.kill()
  }
  await world.remove()
  tally.add('start, EIO from fsync of the folder of the database', 2, violations)
}

const logBytes = ({ dataPath }: World) => statSync(join(dataPath, 'db', 'holdfast.sqlite-wal')).size
