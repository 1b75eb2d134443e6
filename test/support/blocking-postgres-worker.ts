import { type MessagePort, workerData } from 'node:worker_threads'
import { Connection } from '../../src/catalog/postgres/connection.ts'
import type { Asked, Told } from './blocking-postgres.ts'

/** Runs statements for a thread that waits for each. */

const { flag, port, done, ms }: { flag: Int32Array; port: MessagePort; done: number; ms: number } = workerData
const connections = new Map<string, Connection>()

port.on('message', async (asked: Asked) => {
  const told = await run(asked).catch((error: unknown): Told => ({ failure: String(error) }))
  port.postMessage(told)
  Atomics.store(flag, 0, done)
  Atomics.notify(flag, 0)
})

async function run({ url, connection: name, text, values }: Asked): Promise<Told> {
  const known = connections.get(name)
  if (text === '') {
    known?.close()
    connections.delete(name)
    return { result: { rows: [], columns: [], count: 0 } }
  }
  const connection = known?.isOpen ? known : await Connection.open(url)
  connections.set(name, connection)
  return { result: await connection.query(text, values, ms) }
}
