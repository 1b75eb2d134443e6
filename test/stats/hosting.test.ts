import { describe, expect, test } from 'bun:test'
import { openDatabase } from '../support/accounts.ts'
import { DAY_MS, given, type Started, start, statsFor } from './stats.ts'

/** Returns the hosting statistics with an API key, because the clock advances past the end of a session. */
const hostingOf = async (started: Started) => given((await statsFor(started, started.withKey)).hosting)

/** Requests a file this many times as a visitor. */
async function ask(started: Started, key: string, times: number): Promise<void> {
  for (let n = 0; n < times; n += 1) await started.api.hosted(key)
}

describe('the hosting section', () => {
  test('has an entry for each of the last 30 UTC days, zeros included, oldest first', async () => {
    await using started = await start()

    const { days, top } = await hostingOf(started)

    expect(days.map(({ date }) => date)).toHaveLength(30)
    expect(days[0]).toEqual({ date: '2026-01-31', requests: 0, bytes: 0, notFound: 0 })
    expect(days[29]).toEqual({ date: '2026-03-01', requests: 0, bytes: 0, notFound: 0 })
    expect(top).toEqual([])
  })

  test('includes all counts up to the request', async () => {
    await using started = await start()
    await started.api.upload('a', '12345')
    await ask(started, 'a', 2)
    await ask(started, 'none', 3)
    const today = async () => (await hostingOf(started)).days.at(-1)

    expect(await today()).toEqual({ date: '2026-03-01', requests: 2, bytes: 10, notFound: 3 })
    await ask(started, 'a', 1)
    expect(await today()).toEqual({ date: '2026-03-01', requests: 3, bytes: 15, notFound: 3 })
  })

  test('returns it to all concurrent callers', async () => {
    await using started = await start()
    await started.api.upload('a', '12345')
    await ask(started, 'a', 4)

    const told = await Promise.all(Array.from({ length: 5 }, () => hostingOf(started)))

    expect(told.map(({ days }) => days.at(-1)?.requests)).toEqual([4, 4, 4, 4, 4])
  })

  test('excludes counts before the last 30 days', async () => {
    await using started = await start()
    await started.api.upload('a', '12345')
    await ask(started, 'a', 2)
    await ask(started, 'none', 1)
    started.clock.advance(29 * DAY_MS)
    expect((await hostingOf(started)).days[0]).toEqual({
      date: '2026-03-01',
      requests: 2,
      bytes: 10,
      notFound: 1,
    })

    started.clock.advance(DAY_MS)

    const { days } = await hostingOf(started)
    expect(days[0]?.date).toBe('2026-03-02')
    expect(days.every(({ requests, bytes, notFound }) => requests + bytes + notFound === 0)).toBe(true)
  })

  test('has the five most requested files, with their requests and bytes over all days', async () => {
    await using started = await start()
    const { api } = started
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) await api.upload(name, name.repeat(10))
    for (const [key, times] of Object.entries({ a: 2, b: 5, c: 1, d: 4, e: 6, f: 3 }))
      await ask(started, key, times)
    started.clock.advance(DAY_MS)
    await ask(started, 'a', 5)

    const { top } = await hostingOf(started)

    expect(top.map(({ file, requests, bytes }) => [file.name, requests, bytes])).toEqual([
      ['a', 7, 70],
      ['e', 6, 60],
      ['b', 5, 50],
      ['d', 4, 40],
      ['f', 3, 30],
    ])
    expect(top[0]?.file).toEqual(await api.file(top[0]?.file.id ?? ''))
  })

  test('takes the most requested files of that period alone', async () => {
    await using started = await start()
    const { api } = started
    await api.upload('early', 'x')
    await api.upload('both', 'x')
    await ask(started, 'early', 9)
    await ask(started, 'both', 5)
    await hostingOf(started)
    started.clock.advance(DAY_MS)
    await ask(started, 'both', 1)
    const top = async () =>
      (await hostingOf(started)).top.map(({ file, requests, bytes }) => [file.name, requests, bytes])

    started.clock.advance(28 * DAY_MS)
    expect(await top()).toEqual([
      ['early', 9, 9],
      ['both', 6, 6],
    ])
    started.clock.advance(DAY_MS)
    expect(await top()).toEqual([['both', 1, 1]])
  })

  test('leaves out files that no longer exist or are being deleted, and fills up', async () => {
    await using started = await start()
    const { api } = started
    const { store } = started.server.deps
    const { id } = await api.upload('deleted', 'x')
    await api.upload('within', 'x', 'gone/below')
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) await api.upload(name, 'x')
    await ask(started, 'deleted', 3)
    await ask(started, 'gone/below/within', 2)
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) await ask(started, name, 1)
    await hostingOf(started)
    await api.data('DELETE', '/files', { id })
    const gone = (await api.browse()).folders[0]?.id ?? ''
    await store.transact(() => store.folders.detach(gone))

    const { top } = await hostingOf(started)

    expect(top).toHaveLength(5)
    expect(top.map(({ file }) => file.name).join('')).toMatch(/^[a-f]{5}$/)
  })

  test('removes counts past the window fifty at a time, and does nothing when there is none', async () => {
    await using started = await start({ isAlone: true })
    const { clock } = started
    const { store } = started.server.deps
    const { traffic } = started.server.modules.hosting
    const { id } = await started.api.upload('a', 'x')
    const day = (n: number) => new Date(clock.now() - n * DAY_MS).toISOString().slice(0, 10)
    // The job of a minute that begins meanwhile may do a part of the pruning.
    const before = store.version()
    await store.transact(function* () {
      for (let n = 0; n < 280; n += 1)
        yield* store.traffic.addFiles([{ day: day(n), fileId: id, requests: 1, bytes: 2 }])
    })

    await traffic.prune()
    const after = store.version()
    await traffic.prune()

    expect(after - before).toBeGreaterThanOrEqual(6)
    expect(store.version()).toBe(after)
    expect((await hostingOf(started)).top).toMatchObject([{ requests: 30, bytes: 60 }])
  })

  test('returns the saved counts while later ones cannot be saved, and all once they can', async () => {
    await using started = await start({ isAlone: true })
    await started.api.upload('a', '12345')
    await ask(started, 'a', 1)
    await hostingOf(started)
    await ask(started, 'a', 1)
    using database = openDatabase(started)
    database.refuse('UPDATE ON hosting_days')

    const meanwhile = (await hostingOf(started)).days.at(-1)
    database.allow()

    expect(meanwhile).toMatchObject({ requests: 1 })
    expect(started.logged.at(-1)?.message).toContain('counts could not be saved')
    expect((await hostingOf(started)).days.at(-1)).toMatchObject({ requests: 2, bytes: 10 })
  })
})
