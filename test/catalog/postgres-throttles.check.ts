import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { SharedLimiter, SharedSignInGuard } from '../../src/access/sign-in-limits.ts'
import type { PostgresCatalog } from '../../src/catalog/postgres/open.ts'
import { openNode } from '../support/engines.ts'
import { eventually } from '../support/eventually.ts'
import { startPostgres, type TestPostgres } from '../support/postgres.ts'

const MINUTE_MS = 60_000

let server: TestPostgres
let nodes: PostgresCatalog[]

beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server[Symbol.dispose]())
beforeEach(async () => {
  const url = server.createDatabase()
  nodes = [await openNode(url, { node: 'one' }), await openNode(url, { node: 'two' })]
})
afterEach(() => {
  for (const node of nodes) node.close()
})

const limiters = (limit: number, windowMs = MINUTE_MS) =>
  nodes.map(({ throttles }) => new SharedLimiter(throttles, { name: 'sign-in', limit, windowMs }))

describe('a limit of several servers', () => {
  test('is exact, also for requests at the same time', async () => {
    const both = limiters(10)
    const waits = await Promise.all(
      Array.from({ length: 40 }, (_, n) => both[n % 2]?.take('198.51.100.1 a@example.com')),
    )
    expect(waits.filter((wait) => wait === 0)).toHaveLength(10)
    for (const wait of waits) expect(wait).toBeLessThanOrEqual(60)
    for (const limiter of both) expect(await limiter.peek('198.51.100.1 a@example.com')).toBeGreaterThan(50)
    expect(await both[0]?.take('198.51.100.1 b@example.com')).toBe(0)
  })

  test('is reset by each', async () => {
    const [one, two] = limiters(1)
    expect(await one?.take('a')).toBe(0)
    expect(await two?.take('a')).toBeGreaterThan(0)
    await two?.forget('a')
    expect(await one?.take('a')).toBe(0)
    expect(await two?.peek('a')).toBeGreaterThan(0)
  })

  test('ends with its window', async () => {
    const [one, two] = limiters(1, 50)
    for (let n = 0; n < 3; n += 1) await one?.take('a')
    await eventually(async () => (await two?.peek('a')) === 0)
    expect(await two?.take('a')).toBe(0)
  })

  test('throttles an account that fails on any', async () => {
    const limits = { failures: 6, windowMs: MINUTE_MS, tryMs: MINUTE_MS }
    const guards = nodes.map(({ throttles }) => new SharedSignInGuard(throttles, limits))
    const [one, two] = guards
    for (let n = 0; n < 3; n += 1) for (const guard of guards) await guard.failed('a@example.com')

    expect([await one?.isSlowed('a@example.com'), await two?.isSlowed('b@example.com')]).toEqual([
      true,
      false,
    ])
    expect(await one?.takeTry('a@example.com')).toBe(0)
    expect(await two?.takeTry('a@example.com')).toBeGreaterThan(0)
  })

  test('adds up what servers counted of many buckets at the same time', async () => {
    const counts = Array.from({ length: 200 }, (_, n): [string, number] => [`api ${n}`, 1])
    await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        nodes[n % 2]?.throttles.add(new Map(n % 3 === 0 ? counts : counts.toReversed()), MINUTE_MS),
      ),
    )
    const sums = await nodes[0]?.throttles.add(new Map(counts), MINUTE_MS)
    expect(new Set([...(sums?.values() ?? [])].map(({ count }) => count))).toEqual(new Set([21]))
    await nodes[0]?.nodes.prune()
    expect((await nodes[1]?.throttles.of('api 1'))?.count).toBe(21)
  })
})
