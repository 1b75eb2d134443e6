import type { Account } from '../../faults/world.ts'
import { registerWith } from '../../support/process.ts'
import { bundledProgram } from '../../support/program.ts'
import { Database } from './database.ts'
import { ServerNode } from './server-node.ts'
import { ObjectPlace } from './store.ts'

/** Servers of one instance with their engines. */
export interface Cluster extends AsyncDisposable {
  nodes: readonly ServerNode[]
  database: Database
  store: ObjectPlace
  account: Account
  /** Waits until PostgreSQL runs no transaction whose server has lost its connection. */
  drained: () => Promise<void>
}

export async function startCluster(count: number): Promise<Cluster> {
  const program = bundledProgram()
  const database = await Database.start()
  const store = await ObjectPlace.open()
  const environment = {
    ...store.environment,
    AUTH_SECRET: 'one secret of all servers',
    DATABASE_POOL: '8',
    LOG_FORMAT: 'json',
  }
  const nodes: ServerNode[] = []
  for (let n = 1; n <= count; n += 1)
    nodes.push(
      await ServerNode.start({
        ...{ name: `node ${n}`, program, environment },
        ...{ urlAt: database.urlAt, databasePort: database.port },
      }),
    )
  const [first] = nodes
  if (!first) throw new Error('There must be a server')
  const ports = () => nodes.flatMap((node) => node.database.clientPorts)
  return {
    nodes,
    database,
    store,
    account: await registerWith(first),
    drained: () => database.drained(ports),
    [Symbol.asyncDispose]: async () => {
      for (const node of nodes) await node[Symbol.asyncDispose]()
      await store[Symbol.asyncDispose]()
      await database[Symbol.asyncDispose]()
    },
  }
}
