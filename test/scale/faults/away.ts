import { becomes } from '../../support/eventually.ts'
import type { Cluster } from './cluster.ts'
import type { ServerNode } from './server-node.ts'
import { Exchange, type Watch } from './watch.ts'

/** Engines that may be away. */
type Engine = 'database' | 'store'

/** Number of files that were uploaded to try a server. */
let probes = 0
/** Number of the round: each has files of its own, which only the server has in its cache that has received them. */
let round = 0

/** Expected statuses of requests while an engine is away. */
const EXPECTED: Record<Engine, Record<string, number>> = {
  database: { list: 503, 'cached file': 503, 'file of another server': 503, upload: 503 },
  store: { list: 200, 'cached file': 200, 'file of another server': 503, upload: 503 },
}

/** Requests of a kind, by its name. */
function requestsOf(cluster: Cluster, node: ServerNode): Record<string, [path: string, init: RequestInit]> {
  const { withKey } = cluster.account
  const other = cluster.nodes.find((one) => one !== node) ?? node
  const form = new FormData()
  form.append('files', new Blob(['text']), `probe ${probes++}`)
  return {
    list: ['/api/files', { headers: withKey }],
    'cached file': [`/api/hosting/${probeOf(node)}`, {}],
    'file of another server': [`/api/hosting/${probeOf(other)}`, {}],
    upload: ['/api/files', { method: 'POST', headers: withKey, body: form }],
  }
}

const probeOf = (node: ServerNode) => `probe of ${node.name} in round ${round}`.replaceAll(' ', '-')

/** Uploads a file for each server that the others have not in their caches. */
export async function uploadProbes({ nodes, account }: Cluster): Promise<void> {
  round += 1
  for (const node of nodes) {
    const form = new FormData()
    form.append('visibility', 'public')
    form.append('files', new Blob(['text of a probe']), probeOf(node))
    await node.fetch('/api/files', { method: 'POST', headers: account.withKey, body: form })
    await node.fetch(`/api/hosting/${probeOf(node)}`)
  }
}

/** Asserts that servers respond to everything while an engine is away: with 503 to what needs it. */
export async function assertAway(cluster: Cluster, watch: Watch, engine: Engine): Promise<void> {
  for (const node of cluster.nodes) {
    const requests = Object.entries(requestsOf(cluster, node))
    const all = requests.map(async ([name, [path, init]]) => {
      const began = performance.now()
      const response = await new Exchange(watch, node).fetch(path, init)
      const expected = EXPECTED[engine][name]
      if (response.status !== expected)
        watch.violate(
          `${name} of ${node.name} got ${response.status}, not ${expected}: the ${engine} is away`,
        )
      return `${name} ${response.status} after ${(performance.now() - began).toFixed(0)} ms`
    })
    console.log(`  ${engine} away, ${node.name}: ${(await Promise.all(all)).join(', ')}`)
  }
}

/** Waits until every server reads and writes again, and returns how long. */
export async function recovered(cluster: Cluster, watch: Watch): Promise<number> {
  const began = performance.now()
  for (const node of cluster.nodes)
    if (!(await becomes(() => isWell(cluster, node), 50)))
      watch.violate(`${node.name} does not come back by itself`)
  return performance.now() - began
}

async function isWell(cluster: Cluster, node: ServerNode): Promise<boolean> {
  try {
    const statuses: number[] = []
    for (const [path, init] of Object.values(requestsOf(cluster, node)))
      statuses.push((await node.fetch(path, init)).status)
    return statuses.every((status) => status === 200)
  } catch {
    return false
  }
}
