import { afterAll, beforeAll, expect, test } from 'bun:test'
import { eventually } from '../support/eventually.ts'
import { type Pebble, startPebble } from '../support/pebble.ts'
import { startPostgres, type TestPostgres } from '../support/postgres.ts'
import { type Nodes, prepareNodes } from './nodes.ts'

let postgres: TestPostgres
let pebble: Pebble
let nodes: Nodes

beforeAll(async () => {
  postgres = await startPostgres()
  pebble = await startPebble()
  nodes = await prepareNodes(postgres)
})
afterAll(async () => {
  await nodes[Symbol.asyncDispose]()
  await pebble[Symbol.asyncDispose]()
  postgres[Symbol.dispose]()
})

test('one of several servers gets the certificate, any of them proves the name, and all use it', async () => {
  const environment = {
    BASE_URL: 'https://a.test',
    ...pebble.environment,
    HTTPS_DOMAINS: 'a.test,b.test,c.test',
  }
  const servers = await Promise.all([1, 2, 3].map(() => nodes.start({ environment, runsJobs: false })))
  pebble.forwardTo(...servers.map(({ server }) => server.port))
  await Promise.all(servers.map(({ server }) => server.jobs.runAll()))
  await eventually(async () => {
    for (const { server } of servers) server.https?.reload()
    return servers.every(({ server }) => server.https?.certificate() !== undefined)
  })

  const certificates = new Set(servers.map(({ server }) => server.https?.certificate()?.cert))
  expect(certificates.size).toBe(1)
  expect(pebble.orders()).toBe(1)
  for (const server of servers) expect((await server.fetch('/api/health')).status).toBe(200)
  const rows = JSON.stringify(await nodes.query('SELECT value FROM instance'))
  expect(rows).not.toContain('PRIVATE KEY')
})
