import { afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { eventually } from '../support/eventually.ts'
import { withInside } from '../support/fixture.ts'
import {
  ADMIN,
  BASE_URL,
  cookieOf,
  type FileView,
  type Inside,
  postJson,
  TestClock,
} from '../support/holdfast.ts'
import { storedIn } from '../support/stored.ts'
import { onWire } from './wire.ts'

const CONTENT = '0123456789abcdefghij'
const TODAY = '2026-03-01'

let open: FileView
let secret: FileView
let gone: FileView
const clock = new TestClock()
const START = clock.now()
const holdfast = withInside({ clock })
const { ask, storeOld } = onWire(holdfast)
beforeAll(async () => {
  open = await storeOld('open', CONTENT)
  secret = await storeOld('secret', CONTENT, 'private')
  gone = await holdfast.api.upload('gone', 'x')
  await storedIn(holdfast).lose(gone)
})
afterEach(() => clock.setWall(START))

interface Counts {
  requests: number
  bytes: number
  notFound: number
}

const NOTHING: Counts = { requests: 0, bytes: 0, notFound: 0 }
const served = (bytes: number): Counts => ({ requests: 1, bytes, notFound: 0 })
const missed: Counts = { requests: 0, bytes: 0, notFound: 1 }

/** Returns the saved counts of `day`. */
async function countsOf({ server }: Pick<Inside, 'server'>, day = TODAY): Promise<Counts> {
  await server.modules.hosting.traffic.flush()
  const { requests, bytes, notFound } = (await server.deps.store.traffic.day(day)) ?? NOTHING
  return { requests, bytes, notFound }
}

/** Returns the growth of today's counts while `work` runs. */
async function counted(work: () => Promise<unknown>): Promise<Counts> {
  const before = await countsOf(holdfast)
  await work()
  const after = await countsOf(holdfast)
  return {
    requests: after.requests - before.requests,
    bytes: after.bytes - before.bytes,
    notFound: after.notFound - before.notFound,
  }
}

const RANGE = ['Range: bytes=2-4']
const CONDITION = ['If-None-Match: *']

interface Asked {
  /** One of the files, or any other target. */
  of: 'open' | 'secret' | 'gone' | `/${string}`
  query?: string
  as?: 'session' | 'broken session' | 'key'
  method?: string
  headers?: string[]
}

function askFor({ of, query = '', as, method = 'GET', headers = [] }: Asked) {
  const file = { open, secret, gone }[of as string]
  const credentials = {
    session: `Cookie: ${holdfast.cookie}`,
    'broken session': `Cookie: ${holdfast.cookie.slice(0, -6)}AAAAAA`,
    key: `API-Key: ${holdfast.key}`,
  }
  const proof = as === undefined ? [] : [credentials[as]]
  return ask(`${file ? `/${file.url}` : of}${query}`, {
    method,
    headers: [...headers, ...proof],
  })
}

/** Expects the status of a response, and what its request adds to the counts. */
async function expectCounted(asked: Asked, status: number, growth: Counts): Promise<void> {
  let answered = 0
  const grown = await counted(async () => {
    answered = (await askFor(asked)).status
  })
  expect([answered, grown]).toEqual([status, growth])
}

describe('the hosting traffic of a day', () => {
  test.each<[what: string, asked: Asked, status: number, growth: Counts]>([
    ['a whole file', { of: 'open' }, 200, served(20)],
    ['a whole file from memory', { of: 'open' }, 200, served(20)],
    ['an attachment', { of: 'open', query: '?download=1' }, 200, served(20)],
    ['a range', { of: 'open', headers: RANGE }, 206, served(3)],
    ['the last byte', { of: 'open', headers: ['Range: bytes=-1'] }, 206, served(1)],
    ['an unchanged file', { of: 'open', headers: CONDITION }, 304, served(0)],
    ['its tag', { of: 'open', headers: ['If-None-Match: "14-1941f297c00"'] }, 304, served(0)],
    ['a missing key', { of: '/api/hosting/none' }, 404, missed],
    ['a missing key with a range', { of: '/api/hosting/none', headers: RANGE }, 404, missed],
    ['a key that cannot be one', { of: '/api/hosting/%zz' }, 404, missed],
    ['no key', { of: '/api/hosting/' }, 404, missed],
    ['a file whose bytes are gone', { of: 'gone' }, 404, missed],
    ['a private file', { of: 'secret' }, 404, missed],
    ['a private file with a range', { of: 'secret', headers: RANGE }, 404, missed],
    ['a private file with a condition', { of: 'secret', headers: CONDITION }, 404, missed],
    ['a private file with a bad link', { of: 'secret', query: '?exp=9&sig=x' }, 404, missed],
    ['a public file, for a key', { of: 'open', as: 'key' }, 200, served(20)],
    ['a private file, for a key', { of: 'secret', as: 'key' }, 200, served(20)],
    ['a range of a private file, for a key', { of: 'secret', headers: RANGE, as: 'key' }, 206, served(3)],
    ['a missing key, for a key', { of: '/api/hosting/none', as: 'key' }, 404, missed],
    ['a public file, for an invalid key', { of: 'open', headers: ['API-Key: x'] }, 200, served(20)],
    ['a public file, for a broken session', { of: 'open', as: 'broken session' }, 200, served(20)],
    ['a private file, for a broken session', { of: 'secret', as: 'broken session' }, 404, missed],
    ['a public file, beside other cookies', { of: 'open', headers: ['Cookie: theme=dark'] }, 200, served(20)],
  ])('counts %s', async (_, asked, status, growth) => {
    await expectCounted(asked, status, growth)
  })

  test.each<[what: string, asked: Asked, status: number]>([
    ['a HEAD', { of: 'open', method: 'HEAD' }, 200],
    ['a HEAD of an unchanged file', { of: 'open', method: 'HEAD', headers: CONDITION }, 304],
    ['a HEAD of a missing key', { of: '/api/hosting/none', method: 'HEAD' }, 404],
    ['a HEAD of a private file', { of: 'secret', method: 'HEAD' }, 404],
    ['a range past the end', { of: 'open', headers: ['Range: bytes=20-'] }, 416],
    ['a failed condition', { of: 'open', headers: ['If-Match: "x"'] }, 412],
    ['a method that is not allowed', { of: 'open', method: 'POST' }, 405],
    ['a preflight', { of: 'open', method: 'OPTIONS' }, 204],
    ['a request with two hosts', { of: 'secret', headers: ['Host: elsewhere'] }, 400],
    ['a public file, for a session', { of: 'open', as: 'session' }, 200],
    ['a range, for a session', { of: 'open', headers: RANGE, as: 'session' }, 206],
    ['an unchanged file, for a session', { of: 'open', headers: CONDITION, as: 'session' }, 304],
    ['a private file, for a session', { of: 'secret', as: 'session' }, 200],
    ['a missing key, for a session', { of: '/api/hosting/none', as: 'session' }, 404],
    ['a download by id', { of: '/api/files/download/none', as: 'key' }, 404],
  ])('does not count %s', async (_, asked, status) => {
    await expectCounted(asked, status, NOTHING)
  })

  test('counts a signed link', async () => {
    const { url } = await holdfast.api.sign(secret.id)

    expect(await counted(() => askFor({ of: `/${url}` }))).toEqual(served(20))
  })

  test('counts a session as a visitor once it is signed out', async () => {
    const cookie = cookieOf(await postJson(holdfast, '/api/auth/sign-in/email', ADMIN))
    const asked: Asked = { of: 'open', headers: [`Cookie: ${cookie}`] }
    expect(await counted(() => askFor(asked))).toEqual(NOTHING)

    await postJson(holdfast, '/api/auth/sign-out', {}, { Cookie: cookie, Origin: BASE_URL })

    expect(await counted(() => askFor(asked))).toEqual(served(20))
  })

  test('counts a large file, and each part of it, to the byte', async () => {
    const large = await storeOld('large', Buffer.alloc(3_000_001))
    const target: Asked['of'] = `/${large.url}`

    expect(await counted(() => askFor({ of: target }))).toEqual(served(3_000_001))
    expect(await counted(() => askFor({ of: target, headers: ['Range: bytes=1-1000000'] }))).toEqual(
      served(1_000_000),
    )
    expect(await counted(() => askFor({ of: target, headers: ['Range: bytes=-100000'] }))).toEqual(
      served(100_000),
    )
  })

  test('counts an empty file', async () => {
    const empty = await storeOld('empty', '')

    expect(await counted(() => askFor({ of: `/${empty.url}` }))).toEqual(served(0))
  })

  test('loses none of many concurrent requests while it is saved', async () => {
    const work = async () => {
      await Promise.all(
        Array.from({ length: 300 }, async (_, n) => {
          await askFor({ of: n % 3 === 0 ? 'open' : '/api/hosting/none' })
          if (n % 20 === 0) await holdfast.server.modules.hosting.traffic.flush()
        }),
      )
    }

    const before = await countsOf(holdfast)
    await work()
    // A client may have its response a moment before the server counts it.
    await eventually(async () => {
      const { requests, notFound } = await countsOf(holdfast)
      return requests + notFound >= before.requests + before.notFound + 300
    })

    const after = await countsOf(holdfast)
    expect(after.requests - before.requests).toBe(100)
    expect(after.bytes - before.bytes).toBe(2000)
    expect(after.notFound - before.notFound).toBe(200)
  })

  test.each([
    ['2026-03-01T00:00:00.000Z', '2026-03-01'],
    ['2026-03-01T23:59:59.999Z', '2026-03-01'],
    ['2026-03-02T00:00:00.000Z', '2026-03-02'],
    ['2028-02-29T23:59:59.999Z', '2028-02-29'],
    ['2026-12-31T23:59:59.999Z', '2026-12-31'],
    ['2027-01-01T00:00:00.000Z', '2027-01-01'],
  ])('is that of UTC: %s is on %s', async (time, day) => {
    clock.setWall(Date.parse(time))
    const before = await countsOf(holdfast, day)

    await askFor({ of: 'open' })
    await askFor({ of: '/api/hosting/none' })

    expect(await countsOf(holdfast, day)).toEqual({
      requests: before.requests + 1,
      bytes: before.bytes + 20,
      notFound: before.notFound + 1,
    })
  })

  test('separates two days that are saved together', async () => {
    clock.setWall(Date.parse('2026-05-01T23:59:59.999Z'))
    await askFor({ of: 'open' })
    clock.setWall(Date.parse('2026-05-02T00:00:00.000Z'))
    await askFor({ of: 'open', headers: RANGE })

    expect(await countsOf(holdfast, '2026-05-01')).toEqual(served(20))
    expect(await countsOf(holdfast, '2026-05-02')).toEqual(served(3))
  })
})
