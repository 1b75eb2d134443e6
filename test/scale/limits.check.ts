import { describe, expect, test } from 'bun:test'
import { ADMIN, type Inside, postJson } from '../support/holdfast.ts'
import { openPair } from './instances.ts'

const pair = openPair({ RATE_LIMIT_HOSTING: '20' })

describe('limits of two servers', () => {
  test('count failed sign-ins together, also those at the same time', async () => {
    const { one, two } = pair
    const tries = Array.from({ length: 24 }, (_, n) =>
      postJson(n % 2 ? one : two, '/api/auth/sign-in/email', { ...ADMIN, password: 'not the password' }),
    )
    const statuses = (await Promise.all(tries)).map(({ status }) => status)

    expect(statuses.filter((status) => status === 401)).toHaveLength(10)
    expect(statuses.filter((status) => status === 429)).toHaveLength(14)
  })

  test('count programs that ask for an API key, and wrong codes of an account, together', async () => {
    const { one, two, account } = pair
    const nodes = Array.from({ length: 12 }, (_, n) => (n % 2 ? one : two))
    const asks = nodes.map((node) => postJson(node, '/api/auth/device/code', { client_id: 'CLI' }))
    const asked = (await Promise.all(asks)).map(({ status }) => status)
    const wrong = []
    for (const node of nodes.slice(0, 7))
      wrong.push(
        await node.fetch('/api/auth/device?user_code=BCDF-GHJK', { headers: { Cookie: account.cookie } }),
      )

    expect(asked.filter((status) => status === 429)).toHaveLength(2)
    expect(wrong.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404, 429, 429])
  })

  test('know the requests that the other has counted', async () => {
    const { one, two } = pair
    const get = async (node: Inside) => (await node.fetch('/api/hosting/missing')).status
    for (let n = 0; n < 15; n += 1) await get(one)
    await one.server.jobs.runAll()
    await get(two)
    await two.server.jobs.runAll()
    const statuses = []
    for (let n = 0; n < 6; n += 1) statuses.push(await get(two))

    expect(statuses).toEqual([404, 404, 404, 404, 429, 429])
  })

  test('know the requests that a server has counted before it stopped', async () => {
    const counted = async () => {
      const rows = await pair.nodes.query(
        "SELECT sum(count) AS sum FROM throttles WHERE bucket LIKE 'hosting %'",
      )
      return Number(rows[0]?.['sum'])
    }
    const third = await pair.nodes.start({ runsJobs: false, environment: { RATE_LIMIT_HOSTING: '20' } })
    for (const server of [pair.one, pair.two]) await server.server.jobs.runAll()
    const before = await counted()
    for (let n = 0; n < 7; n += 1) await third.fetch('/api/hosting/missing')
    await third.stop()

    expect((await counted()) - before).toBe(7)
  })
})
