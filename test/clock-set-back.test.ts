import { afterEach, describe, expect, setSystemTime, test } from 'bun:test'
import type { Activity as Entry } from '../src/client/types.ts'
import { addKey, openDatabase, statusOf } from './support/accounts.ts'
import { apiOf } from './support/api.ts'
import { eventually } from './support/eventually.ts'
import { startInsideWithAccount } from './support/fixture.ts'
import { type FileView, type Inside, type InsideOptions, TestClock } from './support/holdfast.ts'
import { begin, sendPiece } from './uploads/tus.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

afterEach(() => {
  setSystemTime()
})

/** Starts a server with an account on a clock that the test sets back. */
async function start(options: Pick<InsideOptions, 'environment' | 'runsJobs'> = {}) {
  const clock = new TestClock()
  return Object.assign(await startInsideWithAccount({ clock, ...options }), { clock })
}

/** Counts the rows that jobs remove once they are due, and the requests for missing files. */
function retained(holdfast: Inside): Record<string, unknown> {
  using database = openDatabase(holdfast)
  const first = (sql: string) => database.query(sql).values()[0]?.[0]
  const tables = ['sessions', 'api_keys', 'resumables', 'activities', 'security_events']
  const counts = tables.map((table) => [table, first(`SELECT count(*) FROM ${table}`)])
  return { ...Object.fromEntries(counts), notFound: first('SELECT sum(not_found) FROM hosting_days') }
}

describe.each([
  ['an hour', HOUR_MS],
  ['a day', DAY_MS],
  ['a year', 365 * DAY_MS],
])('a wall clock set back by %s', (_, back) => {
  test('expires nothing, neither then nor when it is right again', async () => {
    await using holdfast = await start()
    const { clock, api } = holdfast
    const right = clock.now()
    const withKey = await addKey(holdfast, {
      userId: holdfast.userId,
      scopes: ['files:read'],
      expiresAt: right + HOUR_MS,
    })
    await api.upload('hidden', 'hidden')
    await api.data('PUT', '/files', { id: (await api.list())[0]?.id, visibility: 'private' })
    const link = await api.data<{ url: string }>('POST', '/files/sign', { key: 'hidden', expiresIn: 60 })
    const path = await begin(holdfast, holdfast.withKey, { length: 6, fields: { name: 'late' } })
    await sendPiece(holdfast, holdfast.withKey, { path, offset: 0, body: 'abc' })
    await holdfast.fetch('/api/hosting/none')
    await holdfast.server.jobs.runAll()
    const before = retained(holdfast)

    for (const now of [right - back, right]) {
      clock.setWall(now)
      await holdfast.server.jobs.runAll()

      expect(retained(holdfast)).toEqual(before)
      expect((await apiOf(holdfast, { withKey }).send('GET', '/files')).status).toBe(200)
      expect(await statusOf(holdfast.bySession)).toBe(200)
      expect(await (await holdfast.fetch(`/${link.url}`)).text()).toBe('hidden')
    }
    expect((await sendPiece(holdfast, holdfast.withKey, { path, offset: 3, body: 'def' })).status).toBe(204)
    expect(await api.hosted('late')).toBe('abcdef')
  })

  test('does not let the browser drop the cookie of a session in use', async () => {
    await using holdfast = await start()
    const { clock } = holdfast
    const right = clock.now()
    clock.setWall(right - back)

    const renewing = await holdfast.bySession.send('GET', '/me')
    clock.setWall(right + 7 * DAY_MS - 1)

    expect(renewing.headers.get('set-cookie')).toContain('Max-Age=604800')
    expect((await holdfast.bySession.send('GET', '/me')).status).toBe(200)
  })

  test('changes no rate limit', async () => {
    await using holdfast = await start({ environment: { RATE_LIMIT_HOSTING: '2' } })
    const { clock } = holdfast
    const status = async () => (await holdfast.fetch('/api/hosting/none')).status
    const before = [await status(), await status(), await status()]

    clock.setWall(clock.now() - back)
    const after = await status()
    clock.advance(60_000)

    expect([...before, after, await status()]).toEqual([404, 404, 429, 429, 404])
  })

  test('preserves validators, and gives a replacement its own', async () => {
    await using holdfast = await start()
    const { clock, api } = holdfast
    const file = await api.upload('page', 'first')
    const ask = (headers: Record<string, string> = {}) => holdfast.fetch(`/${file.url}`, { headers })
    const etag = (await ask()).headers.get('etag') ?? ''
    const cached = await ask()

    clock.setWall(clock.now() - back)
    const known = await ask({ 'If-None-Match': etag })
    await api.data('DELETE', '/files', { id: file.id })
    const other = await api.upload('page', 'other')
    const replaced = await ask({ 'If-None-Match': etag, Range: 'bytes=0-1', 'If-Range': etag })

    expect(cached.headers.get('etag')).toBe(etag)
    expect([known.status, known.headers.get('etag')]).toEqual([304, etag])
    expect(other.id).not.toBe(file.id)
    expect([replaced.status, await replaced.text()]).toEqual([200, 'other'])
    expect(replaced.headers.get('etag')).not.toBe(etag)
    for (const { headers } of [known, replaced])
      expect(Date.parse(headers.get('last-modified') ?? '')).toBeLessThanOrEqual(clock.now())
  })

  test('orders lists and the history by the times that the clock gave, each entry once', async () => {
    await using holdfast = await start()
    const { clock, api } = holdfast
    const right = clock.now()
    for (const name of ['b', 'c']) {
      await api.upload(name, name)
      clock.advance(1000)
    }
    clock.setWall(right - back)
    await api.upload('a', 'a')
    clock.advance(1000)
    const [b] = (await api.list()).filter(({ name }) => name === 'b')
    const { file } = await api.data<{ file: FileView }>('PUT', '/files', { id: b?.id, name: 'd' })

    const names = async (orderBy: string) =>
      (await api.list({ orderBy, orderDirection: 'ASC' })).map(({ name }) => name)
    const session = holdfast.bySession
    const page = async (query: string) =>
      (await session.data<{ activities: Entry[] }>('GET', `/activity${query}`)).activities
    const all = await page('')
    const uploads = all.filter(({ target }) => ['a', 'b', 'c'].includes(target ?? ''))
    const older = await page(`?before=${uploads[0]?.id}`)

    expect(await names('createdAt')).toEqual(['a', 'd', 'c'])
    expect(await names('updatedAt')).toEqual(['a', 'd', 'c'])
    expect(file.createdAt).toBe(b?.createdAt ?? '')
    expect(Date.parse(`${file.updatedAt}Z`)).toBe(clock.now())
    expect(uploads.map(({ target }) => target)).toEqual(['c', 'b', 'a'])
    expect(older).toEqual(all.slice(all.findIndex(({ target }) => target === 'c') + 1))
  })

  test('counts hosted files on the day of the clock, and loses no count', async () => {
    await using holdfast = await start()
    const { clock, api } = holdfast
    await api.upload('page', 'first')
    await api.hosted('page')
    clock.setWall(clock.now() - back)
    await api.hosted('page')
    await holdfast.server.jobs.runAll()

    using database = openDatabase(holdfast)
    expect(database.query('SELECT sum(requests), sum(bytes) FROM hosting_days').values()).toEqual([[2, 10]])
    expect(database.query('SELECT requests, bytes FROM hosting_totals').values()).toEqual([[2, 10]])
    expect(database.query('SELECT count FROM api_requests').values().flat()).not.toEqual([])
  })

  test('does not stop the jobs', async () => {
    await using holdfast = await start({ runsJobs: true })
    const { api } = holdfast
    using database = openDatabase(holdfast)
    const saved = () => Number(database.query('SELECT sum(count) FROM api_requests').values()[0]?.[0])
    await api.list()
    await eventually(() => saved() > 0)
    const [before, wall, began] = [saved(), Date.now() - back, performance.now()]

    await api.list()
    // The jobs read the system's clock, which stands still between two calls of this.
    await eventually(() => {
      setSystemTime(new Date(wall + performance.now() - began))
      return saved() > before
    })
  })
})
