import { afterAll, beforeAll, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { apiOf } from '../support/api.ts'
import { eventually } from '../support/eventually.ts'
import { type Account, type Inside, register } from '../support/holdfast.ts'
import { startPostgres, type TestPostgres } from '../support/postgres.ts'
import { type Nodes, prepareNodes } from './nodes.ts'

const MiB = 1024 ** 2
/** Files of an archive that is larger than what sockets buffer. */
const FILES = 24

let postgres: TestPostgres
let nodes: Nodes
let node: Inside
let account: Account

beforeAll(async () => {
  postgres = await startPostgres()
  nodes = await prepareNodes(postgres)
  node = await nodes.start()
  account = await register(node)
})
afterAll(async () => {
  await nodes[Symbol.asyncDispose]()
  postgres[Symbol.dispose]()
})

test('an archive for a client that does not read holds no transaction', async () => {
  const api = apiOf(node, account)
  for (let n = 0; n < FILES; n += 1) await api.upload(`${n}.txt`, 'x'.repeat(MiB), 'large')
  await using sql = new SQL({ url: nodes.environment['DATABASE_URL'] ?? '', max: 1 })
  const openTransactions = async () =>
    (
      await sql`SELECT state FROM pg_stat_activity WHERE application_name = 'holdfast' AND xact_start IS NOT NULL
      AND state LIKE 'idle in transaction%'`
    ).length

  const response = await node.fetch('/api/folders/download?key=large', { headers: account.withKey })
  const reader = response.body?.getReader()
  const first = await reader?.read()

  expect(response.status).toBe(200)
  // PostgreSQL ends a transaction a moment after its last use.
  await eventually(() => node.server.deps.store.readers.size === 0)
  await eventually(async () => (await openTransactions()) === 0)
  let received = first?.value?.length ?? 0
  for (let next = await reader?.read(); next && !next.done; next = await reader?.read())
    received += next.value.length
  expect(received).toBe(Number(response.headers.get('content-length')))
  expect(received).toBeGreaterThan(FILES * MiB)
})
