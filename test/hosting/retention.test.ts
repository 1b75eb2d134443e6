import { describe, expect, test } from 'bun:test'
import { startInsideWithAccount } from '../support/fixture.ts'
import { TestClock } from '../support/holdfast.ts'

const DAY_MS = 86_400_000

describe('hosting counts', () => {
  test('of a file follow it through a rename and a move', async () => {
    await using holdfast = await startInsideWithAccount({ isAlone: true, clock: new TestClock() })
    const { api } = holdfast
    const { deps, modules } = holdfast.server
    const { id } = await api.upload('a.txt', '12345')
    await api.hosted('a.txt')
    await api.data('PUT', '/files', { id, name: 'b.txt' })
    await api.data('POST', '/files/move', { id, folder: 'elsewhere' })
    await api.hosted('elsewhere/b.txt')

    await modules.hosting.traffic.flush()

    expect(await deps.store.traffic.file(id, '2026-03-01')).toMatchObject({ requests: 2, bytes: 10 })
  })

  test('of files are retained for 30 days and totals for a year', async () => {
    const clock = new TestClock()
    await using holdfast = await startInsideWithAccount({ isAlone: true, clock })
    const { api } = holdfast
    const { store } = holdfast.server.deps
    const { traffic } = holdfast.server.modules.hosting
    const { id } = await api.upload('a.txt', '12345')
    await api.hosted('a.txt')
    await traffic.flush()
    const kept = async (days: number) => {
      clock.advance(days * DAY_MS)
      await traffic.prune()
      const counted = [await store.traffic.file(id, '2026-03-01'), await store.traffic.day('2026-03-01')]
      return counted.map((traffic) => traffic?.requests)
    }

    expect(await kept(29)).toEqual([1, 1])
    expect(await kept(1)).toEqual([undefined, 1])
    expect(await kept(335)).toEqual([undefined, 1])
    expect(await kept(1)).toEqual([undefined, undefined])
  })

  test('of a deleted file are removed with it, but not from the day', async () => {
    await using holdfast = await startInsideWithAccount({ isAlone: true, clock: new TestClock() })
    const { api } = holdfast
    const { store } = holdfast.server.deps
    const { traffic } = holdfast.server.modules.hosting
    const { id } = await api.upload('a.txt', '12345')
    await api.hosted('a.txt')
    await traffic.flush()
    await api.hosted('a.txt')
    await api.data('DELETE', '/files', { id })
    await traffic.flush()

    expect(await store.traffic.file(id, '2026-03-01')).toBeUndefined()
    expect(await store.traffic.day('2026-03-01')).toMatchObject({ requests: 2, bytes: 10 })
  })
})
