import { chosenFrom, type RigOptions, type Tally } from '../support/tally.ts'
import { abortUploads } from './aborts.ts'
import type { Actor, Outcome } from './actor.ts'
import { type Bench, inLanes, NO_COMPILER, openBench } from './bench.ts'
import { failCheckpoint, failFolderSync } from './checkpoints.ts'
import { ALL_CALLS, CALLS, ERRORS, type ErrorName, type Fault } from './control.ts'
import { failDataWrites } from './data-writes.ts'
import { apiProblems, inspect, inspectData, readState } from './inspect.ts'
import { type Operation, ROUTES, type Route, SWEPT_ROUTES } from './operations.ts'
import { failDisks } from './read-only.ts'
import { failStrangers, STRANGERS } from './strangers.ts'
import { type Attempt, controlOf, prepare, type Rig, saysThatItStops, startRig, sweep } from './sweep.ts'
import type { World } from './world.ts'

/** Response to each error. */
const STATUS: Record<ErrorName, Outcome> = { ENOSPC: 507, EDQUOT: 507, EROFS: 503, EMFILE: 503, EIO: 500 }

/** Error of one kind of calls, once or from a call on. */
type Kind = Omit<Fault, 'nth' | 'action'> & { action: ErrorName }

/** Fails every durability call of every write route with every error, aborts uploads and fails writes. */
export async function rigErrors(tally: Tally, options: RigOptions): Promise<void> {
  await using bench = await openBench()
  if (!bench.shim) return tally.skip(NO_COMPILER)
  const rows = [
    ...[...SWEPT_ROUTES].map(([name, route], index) => ({
      name,
      work: () => failRoute(bench, tally, { ...options, name, route, kinds: kindsFor(name, index, options) }),
    })),
    { name: 'checkpoint', work: () => failCheckpoint(bench, tally, options) },
    { name: 'start', work: () => failFolderSync(bench, tally) },
    { name: STRANGERS, work: () => failStrangers(bench, tally, options) },
    { name: 'aborted uploads', work: () => abortUploads(bench, tally, options) },
    { name: 'read-only disk', work: () => failDisks(bench, tally) },
    { name: 'data writes', work: () => failDataWrites(bench, tally, options) },
  ]
  await inLanes(2, chosenFrom(rows, options), ({ work }) => work())
}

/** Returns the kinds of errors of a route: one of `fsync` and one of names, or for a deep run all. */
function kindsFor(name: string, index: number, options: RigOptions): Kind[] {
  const all = [CALLS.fsync, CALLS.names, CALLS.write].flatMap((calls) =>
    ERRORS.flatMap((action) => [false, true].map((sticky) => ({ calls, action, sticky }))),
  )
  if (options.isDeep)
    return [READ_ONLY, ...all.filter(({ calls, action }) => calls !== CALLS.write || isForWrites(action))]
  const [fsync, names] = [
    { calls: CALLS.fsync, action: 'EIO', sticky: false },
    { calls: CALLS.names, action: ERRORS[index % ERRORS.length] ?? 'EIO', sticky: index % 2 === 1 },
  ] as const
  return [fsync, names, ...(READ_ONLY_ROUTES.has(name) ? [READ_ONLY] : [])]
}

/** Routes that a run tries on a read-only disk unless it is deep: each takes long, and the others fail alike. */
const READ_ONLY_ROUTES = new Set(['upload one', 'move folder', 'restore folder'])
/** Distance of the positions that such a run tries on a read-only disk. */
const SHORT_STEP = 4
/** Disk that becomes read-only, as after an error, until the fault is cleared. */
const READ_ONLY: Kind = { calls: ALL_CALLS, action: 'EROFS', sticky: true }

/** Returns true for errors of SQLite's writes. SQLite distinguishes only ENOSPC from all others. */
const isForWrites = (action: ErrorName) => action === 'EIO' || action === 'ENOSPC'

interface FailedRoute extends RigOptions {
  name: string
  route: Route
  kinds: readonly Kind[]
}

async function failRoute(
  bench: Bench,
  tally: Tally,
  { name, route, kinds, seed, isDeep }: FailedRoute,
): Promise<void> {
  const rig = await startRig(bench, { name, route }, seed)
  for (const kind of kinds) {
    const step = !isDeep && kind === READ_ONLY ? SHORT_STEP : 1
    const { positions, violations } = await sweep((nth) =>
      failOnce(rig, { ...kind, nth: 1 + (nth - 1) * step }),
    )
    violations.push(...(await restartProblems(rig)))
    // Every route commits, but not every route changes names.
    if (positions === 0 && kind.calls === CALLS.names) continue
    tally.add(`${name}, ${describe(kind)}`, positions, violations)
  }
  await rig.world.remove()
}

function describe({ calls, action, sticky }: Kind): string {
  const names = Object.entries(CALLS).filter(([, bit]) => calls & bit)
  return `${action} from ${names.map(([name]) => name)} ${sticky ? 'on and on' : 'once'}`
}

async function failOnce(rig: Rig, fault: Fault & Kind): Promise<Attempt> {
  const { world, actor } = rig
  const control = controlOf(world)
  const operation = await prepare(rig)
  control.arm(fault)
  const outcome = await actor.perform(world, world.account, operation)
  control.disarm()
  const hit = control.hits() > 0
  const { stops, problems } = await aftermath(rig, operation, outcome)
  const violations = [
    ...(hit || outcome === 200 ? [] : [`the request got ${outcome}`]),
    ...(hit ? wrongAnswers(operation, fault, { outcome, stops }) : []),
    ...problems,
  ]
  const broken = !stops && isWhole(rig) ? [] : await restartProblems(rig)
  return { hit, violations: [...violations, ...broken] }
}

/**
 * Returns true when a server that continues has nothing left to recover, so that a start would find what is served.
 * What it leaves for its next start, such as a staged file that it could not remove, needs that start first.
 */
function isWhole({ world, actor }: Rig): boolean {
  const { state, violations } = inspectData(world.dataPath)
  const isRight = violations.length === 0 && actor.copy().check(state).length === 0
  // The next request needs the ids.
  if (isRight) actor.learn(state)
  return isRight
}

/** Starts the server again. Returns its violations. */
async function restartProblems({ world, actor }: Rig): Promise<string[]> {
  await world.restart()
  const { state, violations } = await inspect(world, world.account)
  return [...violations, ...actor.check(state)]
}

/** Checks the exit of a server that stops, or the state of one that continues. */
async function aftermath(
  { world, actor }: Rig,
  operation: Operation,
  outcome: Outcome,
): Promise<{ stops: boolean; problems: string[] }> {
  // The server logs before it responds that it stops. Two requests later this process has read the line.
  if (!(await saysThatItStops(world, 2))) {
    const problems = await lifeProblems(world, actor).catch((error: unknown) => [String(error)])
    // If the catalog's thread failed, the server may log it only after its response.
    if (problems.length === 0 || !(await saysThatItStops(world))) return { stops: false, problems }
  }
  if (outcome !== 200) actor.doubt(operation)
  return { stops: true, problems: await endProblems(world) }
}

/** Returns violations by the response to a request with a failed call. */
function wrongAnswers(
  { failsWhole = false }: Operation,
  { action, calls }: Kind,
  { outcome, stops }: { outcome: Outcome; stops: boolean },
): string[] {
  if (stops) {
    // The failed commit may be a background one, such as that of the counts.
    const right: Outcome[] = [200, 207, 500, STATUS[action], 'no answer']
    return right.includes(outcome) ? [] : [`it stops and answers ${outcome}`]
  }
  if (outcome === 200)
    return failsWhole && calls === CALLS.fsync ? ['an fsync that failed is answered 200'] : []
  const right: Outcome[] = [STATUS[action], 207]
  return right.includes(outcome) ? [] : [`${action} is answered ${outcome}`]
}

/** Returns violations by a server with an unknown commit outcome, which must exit by itself as a failure. */
async function endProblems(world: World): Promise<string[]> {
  const { exitCode } = await world.ended()
  return exitCode === 1 ? [] : [`it ended with ${exitCode}`]
}

/** Returns violations by a server that continues: it must have what it acknowledged, and accept the next upload. */
async function lifeProblems(world: World, actor: Actor): Promise<string[]> {
  if (!world.isAlive() || !world.account) return ['it ended without a word']
  const state = readState(world)
  const problems = [...(await apiProblems(world, world.account, state)), ...actor.check(state)]
  const upload = ROUTES.get('upload one')?.(actor.scene())
  const again = upload && (await actor.perform(world, world.account, upload))
  return (again === 200 ? problems : [...problems, `an upload afterwards got ${again}`]).map(
    (problem) => `before the restart: ${problem}`,
  )
}
