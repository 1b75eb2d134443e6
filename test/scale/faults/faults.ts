import type { Chance } from '../../support/chance.ts'
import { becomes } from '../../support/eventually.ts'
import { assertAway } from './away.ts'
import type { Cluster } from './cluster.ts'
import { ALIVE_HELD_MS, DEAD_HELD_MS, type Permission, type Watch } from './watch.ts'

/** Conditions of a round. */
export interface Round {
  cluster: Cluster
  watch: Watch
  chance: Chance
  /** True for a run that is short enough for CI. */
  short: boolean
}

/** Injects a fault and ends it. Returns how often. */
export type FaultOf = (round: Round) => Promise<number>

/** Permissions of a server without its database, which it needs to release what it holds. */
const DATABASE_AWAY: Permission = { unavailable: true, heldMs: ALIVE_HELD_MS }

/** Kills a server in the midst of changes, and starts it again. */
export const killServers: FaultOf = async ({ cluster, watch, chance, short }) => {
  const kills = short ? 2 : 24
  watch.permit({ heldMs: DEAD_HELD_MS })
  for (let n = 0; n < kills; n += 1) {
    const node = chance.pick(cluster.nodes)
    await watch.changes.after(1 + chance.below(20))
    await node?.kill()
    await node?.boot()
    await watch.changes.after(20)
  }
  return kills
}

/** Pauses a server until others have removed what it was receiving. */
export const pauseServer: FaultOf = async ({ cluster, watch, chance, short }) => {
  const pauses = short ? 1 : 2
  watch.permit({ heldMs: DEAD_HELD_MS })
  for (let n = 0; n < pauses; n += 1) {
    const node = chance.pick(cluster.nodes)
    node?.pause()
    await leasesEnded(cluster, short)
    // Its requests may be refused once it continues.
    watch.permit({ unavailable: true, heldMs: DEAD_HELD_MS })
    node?.proceed()
    await watch.changes.after(12)
  }
  return pauses
}

/** Condition of a server whose lease is valid. */
const ALIVE = 'expires_at > now()'

/**
 * Waits until a paused server has lost its lease and the others have removed what it was receiving.
 *
 * @param isAtOnce True to end the leases now. Servers that run renew theirs.
 */
async function leasesEnded({ database, nodes }: Cluster, isAtOnce: boolean): Promise<void> {
  if (isAtOnce) await database.query("UPDATE nodes SET expires_at = now() - interval '1 second'")
  const isOver = async () => {
    const [row] = await database.query(`SELECT count(*) AS alive FROM nodes WHERE ${ALIVE}`)
    return Number(row?.['alive']) === nodes.length - 1
  }
  await becomes(isOver, 50)
  // The first step of a sweep, which may be 20 seconds away.
  const dead =
    await database.query(`UPDATE blobs SET state = 'doomed', not_before = 0 WHERE state = 'arriving'
    AND NOT EXISTS (SELECT 1 FROM nodes WHERE nodes.id = blobs.node AND ${ALIVE}) RETURNING id`)
  for (const { id } of dead)
    await becomes(
      async () => (await database.query('SELECT 1 FROM blobs WHERE id = $1', [id])).length === 0,
      50,
    )
}

/** Kills PostgreSQL and starts it again. */
export const killDatabase: FaultOf = async ({ cluster, watch, short }) => {
  const kills = short ? 1 : 5
  for (let n = 0; n < kills; n += 1) {
    watch.permit(DATABASE_AWAY)
    cluster.database.kill()
    await assertAway(cluster, watch, 'database')
    cluster.database.start()
    await watch.changes.after(12)
  }
  return kills
}

/** Stops PostgreSQL where it is, for longer than queries wait. */
export const hangDatabase: FaultOf = async ({ cluster, watch, short }) => {
  watch.permit({ ...DATABASE_AWAY, promisedMs: 15_000 })
  cluster.database.hang()
  for (let n = 0; n < (short ? 1 : 3); n += 1) await assertAway(cluster, watch, 'database')
  cluster.database.proceed()
  return 1
}

/** Cuts one server off from PostgreSQL, the others not. */
export const cutOffServer: FaultOf = async ({ cluster, watch, chance, short }) => {
  const node = chance.pick(cluster.nodes)
  if (!node) return 0
  watch.permit(DATABASE_AWAY)
  node.database.mode = 'hang'
  await watch.changes.after(short ? 10 : 100)
  node.database.mode = 'pass'
  return 1
}

/** Kills PostgreSQL and leads the servers to its synchronous standby. */
export const failOver: FaultOf = async ({ cluster, watch }) => {
  watch.permit(DATABASE_AWAY)
  // The copy of the database keeps this process, and the proxies in it, from their work.
  await cluster.database.addStandby()
  await watch.changes.after(20)
  cluster.database.failOver()
  for (const node of cluster.nodes) {
    node.database.target = cluster.database.port
    node.database.cut()
  }
  return 1
}

/** Takes the object store away. */
export const removeStore: FaultOf = async ({ cluster, watch, short }) => {
  watch.permit({ unavailable: true, broken: true })
  cluster.store.network.mode = 'refuse'
  await assertAway(cluster, watch, 'store')
  await watch.responses.after(short ? 40 : 200)
  cluster.store.network.mode = 'pass'
  return 1
}

/** Lets the object store take requests and not respond. */
export const hangStore: FaultOf = async ({ cluster, watch, short }) => {
  watch.permit({ unavailable: true, broken: true })
  cluster.store.network.mode = 'hang'
  await watch.responses.after(short ? 60 : 400)
  cluster.store.network.mode = 'pass'
  return 1
}

/** Delays everything on the way to the object store and back. */
export const slowStore: FaultOf = async ({ cluster, watch, short }) => {
  cluster.store.network.delayMs = 200
  await watch.changes.after(short ? 40 : 200)
  cluster.store.network.delayMs = 0
  return 1
}

/** Lets the object store send other bytes than it should, fail and break off. */
export const lyingStore: FaultOf = async ({ cluster, watch, chance, short }) => {
  if (!cluster.store.canLie) return 1
  watch.permit({ unavailable: true, broken: true })
  cluster.store.lie(chance.below(2 ** 31))
  await watch.responses.after(short ? 150 : 1000)
  cluster.store.beHonest()
  return 1
}
