import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Chance } from '../support/chance.ts'
import { atExit } from '../support/cleanup.ts'
import { chosenFrom, type RigOptions, type Tally } from '../support/tally.ts'
import { Actor } from './actor.ts'
import { type Bench, inLanes, NO_COMPILER, openBench } from './bench.ts'
import { contest } from './contest.ts'
import { ALL_CALLS, DURABILITY_CALLS } from './control.ts'
import { imageFolder } from './disks.ts'
import { inspect, readState } from './inspect.ts'
import { killBackups } from './kill-backup.ts'
import { killFirstStarts, killSignUps } from './kill-first.ts'
import { killUnderLoad } from './kill-load.ts'
import { ROUTES, type Route, SWEPT_ROUTES } from './operations.ts'
import { atEachCall, contentsOf, copyFolder, recover, renumber, snapshot, versionOf } from './snapshots.ts'
import { killStrangers, STRANGERS } from './strangers.ts'
import { prepare, type Rig, startRig } from './sweep.ts'
import type { Account } from './world.ts'

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

/** Name of the row of real kills. */
const SNAPSHOTS = 'real kills'

/** Kills every write route, and the start after it, at each durability call; also kills at random times. */
export async function rigKill(tally: Tally, options: RigOptions): Promise<void> {
  await using bench = await openBench()
  if (!bench.shim) return tally.skip(NO_COMPILER)
  const rows = [
    ...[...SWEPT_ROUTES].map(([name, route]) => ({
      name,
      work: () => killRoute(bench, tally, options, { name, route }),
    })),
    { name: SNAPSHOTS, work: () => killReally(bench, tally, options) },
    { name: 'first start', work: () => killFirstStarts(bench, tally) },
    { name: 'sign-up', work: () => killSignUps(bench, tally) },
    { name: STRANGERS, work: () => killStrangers(bench, tally, options) },
    { name: 'backup', work: () => killBackups(bench, tally) },
    { name: 'same name at once', work: () => contest(bench, tally, options) },
    { name: 'load', work: () => killUnderLoad(bench, tally, options) },
  ]
  await inLanes(2, chosenFrom(rows, options), ({ work }) => work())
}

/** Creates a folder for snapshots, in memory if there is room. */
function temporaryFolder(): Disposable & { path: string } {
  const path = mkdtempSync(join(imageFolder(), 'holdfast-snapshots-'))
  const remove = () => rmSync(path, { recursive: true, force: true })
  const forget = atExit(remove)
  return {
    path,
    [Symbol.dispose]: () => {
      remove()
      forget()
    },
  }
}

/** Folder as a kill at one position would leave it, and what its client knows then. */
interface Shot {
  path: string
  /** Numbers of the calls that a kill would find with this folder. */
  positions: number[]
  actor: Actor
}

/** Returns a function that takes a snapshot at a held call, unless the folder has not changed since the last one. */
function shooting(shots: Shot[], folder: string, { world, actor }: Pick<Rig, 'world' | 'actor'>) {
  let last = ''
  return (nth: number): true => {
    const version = versionOf(world.dataPath)
    const shot = shots.at(-1)
    if (version === last && shot) shot.positions.push(nth)
    else {
      const path = join(folder, `at${nth}`)
      snapshot(world.dataPath, path)
      shots.push({ path, positions: [nth], actor: actor.copy() })
    }
    last = version
    return true
  }
}

/** Performs the route once, and starts a server on the folder as it was at each of its calls. */
async function killRoute(
  bench: Bench,
  tally: Tally,
  { isDeep, seed }: RigOptions,
  { name, route }: { name: string; route: Route },
): Promise<void> {
  const rig = await startRig(bench, { name, route }, seed)
  const { world, actor } = rig
  const operation = await prepare(rig)
  using folder = temporaryFolder()
  const shots: Shot[] = []
  const perform = () => actor.perform(world, world.account, operation)
  const outcome = await atEachCall(world, ALL_CALLS, perform, shooting(shots, folder.path, rig))
  const again = isDeep || RECOVERIES.includes(name) ? crashes(shots, isDeep) : []
  for (const shot of again) await killRecovery(bench, tally, { name, shot, account: world.account })
  const violations = outcome === 200 ? [] : [`the request got ${outcome}`]
  violations.push(...(await recoverAll(shots, world.account)))
  tally.add(`${name}, killed`, sumOf(shots), violations)
  await world.remove()
}

/** Starts a server on every snapshot. Returns their violations. */
async function recoverAll(shots: readonly Shot[], account: Account | undefined): Promise<string[]> {
  const violations: string[] = []
  for (const { path, positions, actor } of shots) {
    const found = await recover(path, account, actor)
    violations.push(...found.violations.map((violation) => `position ${positions}: ${violation}`))
  }
  return violations
}

const sumOf = (shots: readonly Shot[]) => shots.reduce((sum, { positions }) => sum + positions.length, 0)

/** Starts a server on a snapshot, and others on the folder as it is at each call of this start. */
async function killRecovery(
  bench: Bench,
  tally: Tally,
  { name, shot, account }: { name: string; shot: Shot; account: Account | undefined },
): Promise<void> {
  using folder = temporaryFolder()
  const own = join(folder.path, 'recovering')
  snapshot(shot.path, own)
  const world = bench.newWorld(own)
  const shots: Shot[] = []
  await atEachCall(
    world,
    DURABILITY_CALLS,
    () => world.boot(),
    shooting(shots, folder.path, { world, actor: shot.actor }),
  )
  await world.kill()
  const violations = await recoverAll(shots, account)
  tally.add(`${name}, killed at ${shot.positions[0]} and in recovery`, sumOf(shots), violations)
}

/** Returns the snapshots whose recovery the rig kills as well, spread over all of a route's. */
function crashes(shots: readonly Shot[], isDeep: boolean): Shot[] {
  const count = isDeep ? 2 : 1
  const indexes = Array.from({ length: count }, (_, at) =>
    Math.floor(((at + 1) * shots.length) / (count + 1)),
  )
  return [...new Set(indexes)].flatMap((index) => shots[index] ?? [])
}

/** Number of real kills that a run compares with snapshots. */
const REAL_KILLS = 25
/** Highest number of the call at which the rig kills first; a route with fewer calls is killed at one of those. */
const FIRST_CALLS = 12

/** Kills the server while it is held at a call. The snapshot of that moment has to equal what the kill leaves. */
async function killReally(bench: Bench, tally: Tally, { seed }: RigOptions): Promise<void> {
  const chance = new Chance(seed)
  const world = await bench.startWorld()
  const actor = new Actor('home', seed)
  actor.adopt(readState(world))
  const violations: string[] = []
  for (let kills = 0, limit = FIRST_CALLS; kills < REAL_KILLS; ) {
    const [name = '', route] = chance.pick([...ROUTES]) ?? []
    if (!route) continue
    const operation = await prepare({ world, actor, route })
    const nth = 1 + chance.below(limit)
    using folder = temporaryFolder()
    const copy = join(folder.path, 'copy')
    let seen = 0
    await atEachCall(
      world,
      ALL_CALLS,
      () => actor.perform(world, world.account, operation),
      (call) => {
        seen = call
        if (call !== nth) return true
        copyFolder(world.dataPath, copy)
        world.signal('SIGKILL')
        return false
      },
    )
    limit = seen < nth ? seen : FIRST_CALLS
    if (seen < nth) {
      actor.learn(readState(world))
      continue
    }
    kills += 1
    await world.ended()
    const found = differences(contentsOf(copy), contentsOf(world.dataPath))
    renumber(world.dataPath, copy)
    const recovered = await recover(copy, world.account, actor.copy())
    await world.reboot()
    const { state, violations: broken } = await inspect(world, world.account)
    const isSame = Bun.deepEquals(recovered.state, state)
    if (!isSame) found.push('the recoveries differ')
    found.push(...recovered.violations, ...broken, ...actor.check(state))
    violations.push(...found.map((violation) => `${name}, position ${nth}: ${violation}`))
  }
  tally.add(`${SNAPSHOTS}, seed ${seed}`, REAL_KILLS, violations)
  await world.remove()
}

/** Returns the entries that two folders have not in common. */
function differences(copy: ReadonlyMap<string, string>, killed: ReadonlyMap<string, string>): string[] {
  const paths = new Set([...copy.keys(), ...killed.keys()])
  return [...paths]
    .filter((path) => copy.get(path) !== killed.get(path))
    .map((path) => `${path} is ${copy.get(path)} in the snapshot, ${killed.get(path)} after the kill`)
}
