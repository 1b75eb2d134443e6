import { beforeEach, describe, expect, test } from 'bun:test'
import { pruneApiRequests } from '../../src/access/caller.ts'
import { MAX_DAYS } from '../../src/platform/environment.ts'
import { addKey, openDatabase, setAccess } from '../support/accounts.ts'
import { eventually } from '../support/eventually.ts'
import { startInsideWithAccount, withInside } from '../support/fixture.ts'
import {
  type Account,
  createKey,
  type Inside,
  register,
  startInside,
  TestClock,
} from '../support/holdfast.ts'
import { temporaryFolder } from '../support/temporary.ts'

const DAY_MS = 86_400_000
const TODAY = '2026-03-01'
const YESTERDAY = '2026-02-28'
const START = Date.parse(`${TODAY}T12:00:00.000Z`)

interface Counted {
  day: string
  count: number
}

/** Returns the saved counts by day. */
function saved(holdfast: Pick<Inside, 'dataPath'>): Counted[] {
  using database = openDatabase(holdfast)
  const query = 'SELECT day, sum(count) AS count FROM api_requests GROUP BY day ORDER BY day'
  return database.query<Counted, []>(query).all()
}

/** Waits until all counts are saved and returns them. */
async function counted(holdfast: Inside): Promise<Counted[]> {
  await holdfast.saveCounts()
  return saved(holdfast)
}

const use = (holdfast: Inside, headers: Record<string, string>, path = '/api/files?id=nope') =>
  holdfast.fetch(path, { headers })

/** Returns the row of the account's API key `test`. */
const keyOf = ({ catalog }: Inside, { userId }: Account) => catalog.keys.byName(userId, 'test')

const startWith = (environment: Record<string, string>) =>
  startInsideWithAccount({ clock: new TestClock(), environment })

const clock = new TestClock()
const holdfast = withInside({ clock })
beforeEach(async () => {
  clock.setWall(START)
  await holdfast.saveCounts()
  using database = openDatabase(holdfast)
  database.run('DELETE FROM api_requests')
  database.run('UPDATE api_keys SET used_at = NULL')
})

describe('requests made with an API key', () => {
  test('are counted whatever comes of them, those that are refused too, each once', async () => {
    const { withKey, cookie } = holdfast
    const readOnly = { 'API-Key': await createKey(holdfast, cookie, { name: 'r', scopes: ['files:read'] }) }
    const send = (method: string, path: string, headers: Record<string, string>, body?: string) =>
      holdfast.fetch(path, { method, headers, ...(body === undefined ? {} : { body }) })

    const statuses = [
      await send('GET', '/api/files', withKey),
      await send('HEAD', '/api/files', withKey),
      await send('GET', '/api/files?limit=-1', withKey),
      await send('GET', '/api/files?id=nope', withKey),
      await send('GET', '/api/files/download/nope', withKey),
      await send('GET', '/api/folders/download', withKey),
      await send('POST', '/api/folders', readOnly, '{"folder":"x"}'),
      await send('POST', '/api/files', readOnly, '{'),
      await send('GET', '/api/keys', withKey),
      await send('POST', '/api/files/sign', withKey, ' '.repeat(1024 ** 2 + 1)),
    ].map(({ status }) => status)

    expect(statuses).toEqual([200, 200, 400, 404, 404, 200, 403, 403, 403, 413])
    expect(await counted(holdfast)).toEqual([{ day: TODAY, count: 10 }])
    const { store } = holdfast.server.deps
    expect(await store.apiRequests.perDay(holdfast.userId, TODAY)).toEqual([{ day: TODAY, count: 10 }])
    expect(await store.apiRequests.perKey(holdfast.userId, TODAY)).toContainEqual({
      keyId: keyOf(holdfast, holdfast)?.id ?? '',
      count: 8,
    })
  })

  test('are counted on hosted files too, once each, whether they need the key or not', async () => {
    const open = await holdfast.bySession.upload('open', 'x')
    const secret = await holdfast.bySession.upload('secret', 'x', '', 'private')

    const statuses = [
      await use(holdfast, holdfast.withKey, `/${secret.url}`),
      await use(holdfast, { ...holdfast.withKey, Cookie: holdfast.cookie }, `/${secret.url}`),
      await use(holdfast, holdfast.withKey, `/${open.url}`),
      await use(holdfast, holdfast.withKey, '/api/hosting/nope'),
      await use(holdfast, holdfast.withKey, `/api/files/download/${secret.id}`),
    ].map(({ status }) => status)

    expect(statuses).toEqual([200, 200, 200, 404, 200])
    expect(await counted(holdfast)).toEqual([{ day: TODAY, count: 5 }])
  })

  test('are counted when no route answers them, and on routes that need no key', async () => {
    const requests: [method: string, path: string, headers?: Record<string, string>][] = [
      ['GET', '/api/nope'],
      ['HEAD', '/api/nope'],
      ['DELETE', '/api/files/nope/nope'],
      ['PATCH', '/api/files'],
      ['OPTIONS', '/api/keys'],
      ['POST', '/api/uploads', { 'X-HTTP-Method-Override': 'FOO' }],
      ['GET', '/api/health'],
      ['GET', '/api/setup'],
      ['OPTIONS', '/api/hosting/x'],
      ['POST', '/api/auth/sign-in/email'],
    ]

    const statuses: number[] = []
    for (const [method, path, headers] of requests)
      statuses.push(
        (await holdfast.fetch(path, { method, headers: { ...holdfast.withKey, ...headers } })).status,
      )

    expect(statuses).toEqual([404, 404, 404, 405, 405, 400, 200, 200, 204, 400])
    expect(await counted(holdfast)).toEqual([{ day: TODAY, count: requests.length }])
    using database = openDatabase(holdfast)
    const used = database.query('SELECT used_at FROM api_keys WHERE used_at IS NOT NULL')
    expect(used.values()).toEqual([[START]])
  })

  test('are counted for hosted files that strangers are answered from memory', async () => {
    await using holdfast = await startInsideWithAccount({ isAlone: true, clock: new TestClock() })
    const { url, key } = await holdfast.bySession.upload('hot', 'x')
    for (let n = 0; n < 2; n += 1) await use(holdfast, {}, `/${url}`)
    expect(holdfast.server.modules.hosting.responseCache.find(key)?.whole).toBeDefined()

    for (let n = 0; n < 5; n += 1) expect((await use(holdfast, holdfast.withKey, `/${url}`)).status).toBe(200)

    expect(await counted(holdfast)).toEqual([{ day: TODAY, count: 5 }])
  })

  test('are refused and counted when the owner may no longer use keys', async () => {
    const owner = await holdfast.addUser('editor')
    const headers = await addKey(holdfast, { userId: owner.id, scopes: ['files:read'] })
    setAccess(holdfast, owner.id, { role: 'viewer' })

    expect((await use(holdfast, headers)).status).toBe(403)
    expect(await counted(holdfast)).toEqual([{ day: TODAY, count: 1 }])
  })

  test('are not those of sessions, of strangers, or of keys that are no good', async () => {
    const { userId } = holdfast
    const expired = await addKey(holdfast, { userId, scopes: ['files:read'], expiresAt: START })

    for (const headers of [{ Cookie: holdfast.cookie }, {}, { 'API-Key': `hf_${'0'.repeat(64)}` }, expired]) {
      await use(holdfast, headers)
      await use(holdfast, headers, '/api/nope')
      await use(holdfast, headers, '/api/hosting/nope')
    }

    expect(await counted(holdfast)).toEqual([])
  })

  test('are not counted once there are too many of them', async () => {
    await using holdfast = await startWith({ RATE_LIMIT_API: '4' })

    const statuses = [
      await use(holdfast, holdfast.withKey),
      await use(holdfast, holdfast.withKey),
      await use(holdfast, holdfast.withKey),
    ]

    expect(statuses.map(({ status }) => status)).toEqual([404, 404, 429])
    expect(await counted(holdfast)).toEqual([{ day: TODAY, count: 2 }])
  })

  test('count for the UTC day on which they were made, and are the key’s last use', async () => {
    clock.setWall(Date.parse('2026-03-01T23:59:59.999Z'))
    await use(holdfast, holdfast.withKey)
    clock.advance(1)
    await use(holdfast, holdfast.withKey)
    await use(holdfast, holdfast.withKey)
    clock.advance(DAY_MS)

    expect(await counted(holdfast)).toEqual([
      { day: TODAY, count: 1 },
      { day: '2026-03-02', count: 2 },
    ])
    expect(keyOf(holdfast, holdfast)?.usedAt).toBe(Date.parse('2026-03-02T00:00:00.000Z'))
  })
})

describe('counts of requests made with API keys', () => {
  test('are saved by themselves', async () => {
    await using holdfast = await startInsideWithAccount({ clock, runsJobs: true })
    await use(holdfast, holdfast.withKey)

    await eventually(() => saved(holdfast).length > 0)

    expect(saved(holdfast)).toEqual([{ day: TODAY, count: 1 }])
    expect(keyOf(holdfast, holdfast)?.usedAt).toBe(START)
  })

  test('survive a clean stop and continue from there', async () => {
    using temporary = temporaryFolder()
    const dataPath = temporary.path
    const first = await startInside({ dataPath, clock: new TestClock() })
    const { withKey } = await register(first)
    await use(first, withKey)
    await first.stop()
    expect(saved({ dataPath })).toEqual([{ day: TODAY, count: 1 }])

    const second = await startInside({ dataPath, clock: new TestClock() })
    await use(second, withKey)
    await second.stop()

    expect(saved({ dataPath })).toEqual([{ day: TODAY, count: 2 }])
  })

  test('survive a failure to save them, are not doubled, and keys are listed all the same', async () => {
    await using holdfast = await startInsideWithAccount({ isAlone: true, clock: new TestClock() })
    const { keyUsage } = holdfast.server.deps
    using database = openDatabase(holdfast)
    database.refuse('UPDATE ON api_keys')
    await use(holdfast, holdfast.withKey)

    expect(keyUsage.flush()).rejects.toThrow()
    await use(holdfast, holdfast.withKey)
    expect(keyUsage.flush()).rejects.toThrow()
    expect((await use(holdfast, { Cookie: holdfast.cookie }, '/api/keys')).status).toBe(200)
    expect(saved(holdfast)).toEqual([])
    database.allow()
    await Promise.all([keyUsage.flush(), keyUsage.flush()])

    expect(saved(holdfast)).toEqual([{ day: TODAY, count: 2 }])
    expect(holdfast.fatal).toEqual([])
  })

  test('outlive their key, but not their account', async () => {
    const [stays, goes] = [await holdfast.addUser('editor'), await holdfast.addUser('editor')]
    for (const { id } of [stays, goes])
      await use(holdfast, await addKey(holdfast, { userId: id, scopes: ['files:read'], name: 'used' }))
    using database = openDatabase(holdfast)
    database.enforceReferences()
    database.run('DELETE FROM api_keys WHERE user_id = ?', [stays.id])
    database.run('DELETE FROM users WHERE id = ?', [goes.id])

    await holdfast.saveCounts()

    const { apiRequests } = holdfast.catalog
    expect(apiRequests.perDay(stays.id, TODAY)).toEqual([{ day: TODAY, count: 1 }])
    expect(apiRequests.perDay(goes.id, TODAY)).toEqual([])
  })

  test('of an account are returned since a day, by day and by API key', async () => {
    const [owner, other] = [await holdfast.addUser('editor'), await holdfast.addUser('editor')]
    const keyOfOwner = (name: string) => addKey(holdfast, { userId: owner.id, scopes: ['files:read'], name })
    const [a, b] = [await keyOfOwner('a'), await keyOfOwner('b')]
    const ofOther = await addKey(holdfast, { userId: other.id, scopes: ['files:read'] })
    const { apiRequests, keys } = holdfast.catalog
    for (const [day, headers] of [
      [YESTERDAY, [a, b, ofOther]],
      [TODAY, [b, b, ofOther]],
    ] as const) {
      clock.setWall(Date.parse(`${day}T12:00:00Z`))
      for (const key of headers) await use(holdfast, key)
    }
    await holdfast.saveCounts()

    const countOf = (name: string, count: number) => ({ keyId: keys.byName(owner.id, name)?.id ?? '', count })
    expect(apiRequests.perDay(owner.id, YESTERDAY)).toEqual([
      { day: YESTERDAY, count: 2 },
      { day: TODAY, count: 2 },
    ])
    expect(apiRequests.perDay(owner.id, TODAY)).toEqual([{ day: TODAY, count: 2 }])
    const byCount = apiRequests.perKey(owner.id, YESTERDAY).sort((one, next) => one.count - next.count)
    expect(byCount).toEqual([countOf('a', 1), countOf('b', 3)])
    expect(apiRequests.perKey(owner.id, TODAY)).toEqual([countOf('b', 2)])
  })

  test('are forgotten after as many days as settings say, also when there are many', async () => {
    await using holdfast = await startWith({ API_REQUEST_RETENTION_DAYS: '2' })
    const { deps } = holdfast.server
    const counts = (day: string, keys: number) =>
      Array.from({ length: keys }, (_, n) => ({ userId: holdfast.userId, day, keyId: `key ${n}`, count: 1 }))
    const all = [...counts('2026-02-26', 2500), ...counts('2026-02-27', 3), ...counts(TODAY, 1)]
    await deps.store.transact(function* () {
      for (const one of all) yield* deps.store.apiRequests.add(one)
    })

    await pruneApiRequests(deps)

    expect(saved(holdfast)).toEqual([
      { day: '2026-02-27', count: 3 },
      { day: TODAY, count: 1 },
    ])
  })

  test('are kept for ever by a retention longer than there have been days', async () => {
    await using holdfast = await startWith({ API_REQUEST_RETENTION_DAYS: String(MAX_DAYS) })
    const { userId } = holdfast
    const { deps } = holdfast.server
    await deps.store.transact(() =>
      deps.store.apiRequests.add({ userId, day: '1970-01-01', keyId: 'old', count: 1 }),
    )

    await pruneApiRequests(deps)

    expect(saved(holdfast)).toEqual([{ day: '1970-01-01', count: 1 }])
  })
})
