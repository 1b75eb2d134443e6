import { Actor } from '../../faults/actor.ts'
import { Chance } from '../../support/chance.ts'
import { chosenFrom, type RigOptions, type Tally } from '../../support/tally.ts'
import { recovered, uploadProbes } from './away.ts'
import { LoadClient } from './client.ts'
import { type Cluster, startCluster } from './cluster.ts'
import {
  cutOffServer,
  type FaultOf,
  failOver,
  hangDatabase,
  hangStore,
  killDatabase,
  killServers,
  lyingStore,
  pauseServer,
  removeStore,
  slowStore,
} from './faults.ts'
import { inspect, inspectLeftovers } from './inspect.ts'
import { Watch } from './watch.ts'

const FAULTS: Record<string, FaultOf> = {
  'a server is killed': killServers,
  'a server is paused': pauseServer,
  'PostgreSQL is killed': killDatabase,
  'PostgreSQL hangs': hangDatabase,
  'a server is cut off from PostgreSQL': cutOffServer,
  'PostgreSQL fails over to its standby': failOver,
  'the object store is away': removeStore,
  'the object store hangs': hangStore,
  'the object store is slow': slowStore,
  'the object store lies': lyingStore,
}

/** Number of changes that are acknowledged before a fault, and after it. */
const QUIET_CHANGES = 12
const CLIENTS = 6

interface Run {
  cluster: Cluster
  actors: readonly Actor[]
  /** Watch of all rounds: an item may still be held because of the fault before. */
  watch: Watch
  chance: Chance
  short: boolean
  tally: Tally
}

async function runRound({ cluster, actors, watch, chance, short, tally }: Run, name: string, fault: FaultOf) {
  await uploadProbes(cluster)
  const load = { cluster, watch, chance }
  const clients = actors.map((actor) => new LoadClient(actor, load))
  let goesOn = true
  const working = Promise.all(clients.map((client) => client.work(() => goesOn)))
  await watch.changes.after(QUIET_CHANGES)
  const times = await fault({ cluster, watch, chance, short })
  const recoveryMs = await recovered(cluster, watch)
  watch.permit({})
  await watch.changes.after(QUIET_CHANGES)
  goesOn = false
  await working
  const problems = await inspect(cluster, actors)
  const { violations, counts, longest } = watch.take()
  tally.add(name, times, [...violations, ...problems])
  const acknowledged = clients.reduce((sum, client) => sum + client.acknowledged, 0)
  const seen = [...counts].map(([outcome, count]) => `${outcome}: ${count}`).join(', ')
  console.log(`  ${acknowledged} changes acknowledged; responses ${seen}`)
  console.log(
    `  longest ${longest.ms.toFixed(0)} ms (${longest.what}); back after ${recoveryMs.toFixed(0)} ms`,
  )
}

/** Breaks the servers and their engines, one part after the other, under clients that mix all write routes. */
export async function rigScale(tally: Tally, options: RigOptions): Promise<void> {
  const { seed, isDeep } = options
  const count = options.servers ?? (isDeep ? 3 : 2)
  const chance = new Chance(seed)
  await using cluster = await startCluster(count)
  const actors = Array.from({ length: CLIENTS }, (_, n) => new Actor(`client${n}`, chance.below(2 ** 32)))
  const initial = await cluster.database.readState()
  for (const actor of actors) actor.adopt(initial)
  const run = { cluster, actors, watch: new Watch(isDeep), chance, short: !isDeep, tally }
  const rows = Object.entries(FAULTS).map(([name, fault]) => ({ name, fault }))
  for (const { name, fault } of chosenFrom(rows, options)) await runRound(run, name, fault)
  const { problems, ms } = await inspectLeftovers(cluster)
  tally.add(`the sweeps leave nothing behind, after ${(ms / 1000).toFixed(0)} s`, 1, problems)
}
