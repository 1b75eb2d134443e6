import { expect, test } from 'bun:test'
import { register } from '../support/holdfast.ts'
import { openEach } from './instances.ts'

const METRICS_TOKEN = 'a-token-for-prometheus'

const each = openEach()

test('metrics have the state of the shared database, also while it is away', async () => {
  const { nodes, postgres } = each
  const node = await nodes.start({ environment: { METRICS_TOKEN } })
  await register(node)
  const metricsOf = async () => {
    const headers = { Authorization: `Bearer ${METRICS_TOKEN}` }
    const response = await node.fetch('/metrics', { headers })
    const lines = (await response.text()).split('\n').filter((line) => /^holdfast_/.test(line))
    return new Map(lines.map((line) => [line.split(/[ {]/)[0], Number(line.split(' ').at(-1))]))
  }

  const there = await metricsOf()
  expect(there.get('holdfast_database_up')).toBe(1)
  expect(there.get('holdfast_files')).toBe(0)
  expect(there.get('holdfast_database_waits_total')).toBeGreaterThanOrEqual(0)
  expect(there.has('holdfast_database_log_bytes')).toBe(false)

  postgres.stop('immediate')
  const away = await metricsOf()
  expect((await node.fetch('/api/health')).status).toBe(503)
  postgres.start()
  expect(away.get('holdfast_database_up')).toBe(0)
  expect(away.has('holdfast_files')).toBe(false)
  expect(away.has('holdfast_requests_total')).toBe(true)
})

test('a start names a database that acknowledges what a crash loses', async () => {
  const { nodes } = each
  const url = nodes.environment['DATABASE_URL'] ?? ''
  const isNamed = async () => {
    await using node = await nodes.start()
    return node.securityLines.some(({ message }) => message.includes('has synchronous_commit off'))
  }
  expect(await isNamed()).toBe(false)
  await nodes.query(`ALTER DATABASE ${new URL(url).pathname.slice(1)} SET synchronous_commit = off`)

  expect(await isNamed()).toBe(true)
})
