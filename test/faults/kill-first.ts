import { ADMIN } from '../support/holdfast.ts'
import type { Tally } from '../support/tally.ts'
import { Actor } from './actor.ts'
import type { Bench } from './bench.ts'
import { DURABILITY_CALLS } from './control.ts'
import { inspect, readState } from './inspect.ts'
import { withFact } from './state.ts'
import { type Attempt, controlOf, dieAtStart, sweep } from './sweep.ts'
import type { World } from './world.ts'

/** Kills the first start at each durability call. The next start must find a valid instance. */
export async function killFirstStarts(bench: Bench, tally: Tally): Promise<void> {
  const { positions, violations } = await sweep(async (nth) => {
    const world = bench.newWorld()
    const hit = await dieAtStart(world, nth)
    await world.reboot()
    await world.register()
    const { violations } = await inspect(world, world.account)
    await world.remove()
    return { hit, violations }
  })
  tally.add('first start, killed', positions, violations)
}

/** Kills the first registration at each durability call. Either the account exists or the instance has none. */
export async function killSignUps(bench: Bench, tally: Tally): Promise<void> {
  let world = bench.newWorld()
  await world.boot()
  const { positions, violations } = await sweep(async (nth) => {
    if (readState(world).facts.has(FACT)) {
      await world.remove()
      world = bench.newWorld()
      await world.boot()
    }
    return killSignUp(world, nth)
  })
  await world.remove()
  tally.add('sign-up, killed', positions, violations)
}

const FACT = `user ${ADMIN.email}`

async function killSignUp(world: World, nth: number): Promise<Attempt> {
  const control = controlOf(world)
  const actor = new Actor(ADMIN.email, nth)
  actor.adopt(readState(world))
  const { state } = actor.scene()
  control.arm({ calls: DURABILITY_CALLS, nth, action: 'kill' })
  await actor.perform(world, undefined, {
    method: 'POST',
    path: '/api/auth/sign-up/email',
    body: ADMIN,
    by: 'nobody',
    states: [state, withFact(state, FACT)],
  })
  control.disarm()
  const hit = control.hits() > 0
  if (hit) await world.ended()
  await world.reboot()
  const exists = readState(world).facts.has(FACT)
  if (exists) await world.signIn()
  const { state: found, violations } = await inspect(world, exists ? world.account : undefined)
  return { hit, violations: [...violations, ...actor.check(found)] }
}
