import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type Pebble, startPebble } from '../support/pebble.ts'
import { startPostgres, type TestPostgres } from '../support/postgres.ts'
import { type Nodes, prepareNodes } from './nodes.ts'

let postgres: TestPostgres
let pebble: Pebble
let nodes: Nodes

beforeAll(async () => {
  postgres = await startPostgres()
  pebble = await startPebble({ certificateValidityPeriod: 90 * 86_400 })
  nodes = await prepareNodes(postgres)
})
afterAll(async () => {
  await nodes[Symbol.asyncDispose]()
  await pebble[Symbol.asyncDispose]()
  postgres[Symbol.dispose]()
})

test('one of several servers renews the certificate, any of them proves the names, and all use it', async () => {
  const environment = {
    BASE_URL: 'https://a.test',
    ...pebble.environment,
    HTTPS_DOMAINS: 'a.test,b.test,c.test',
  }
  const clock = { ahead: 0, now: () => Date.now() + clock.ahead, monotonic: () => performance.now() }
  const start = () => nodes.start({ environment, runsJobs: false, clock })
  const first = await start()
  pebble.forwardTo(first.server.port)
  await first.server.jobs.runAll()
  const servers = [first, await start(), await start()]
  const certificates = () => new Set(servers.map(({ server }) => server.https?.certificate()?.cert))
  const [before] = certificates()
  expect(before).toStartWith('-----BEGIN CERTIFICATE')
  expect(certificates().size).toBe(1)

  pebble.forwardTo(...servers.map(({ server }) => server.port))
  clock.ahead = 61 * 86_400_000
  await nodes.query('DELETE FROM jobs')
  await Promise.all(servers.map(({ server }) => server.jobs.runAll()))
  await Promise.all(servers.map(({ server }) => server.jobs.runAll()))

  expect(certificates().size).toBe(1)
  expect(certificates()).not.toContain(before)
  expect(pebble.orders()).toBe(2)
  for (const server of servers) expect((await server.fetch('/api/health')).status).toBe(200)
  expect(JSON.stringify(await nodes.query('SELECT value FROM instance'))).not.toContain('PRIVATE KEY')
})
