import { describe, expect, test } from 'bun:test'
import { withHoldfast } from './support/fixture.ts'
import { type Holdfast, messageOf, postJson, startInside, TestClock } from './support/holdfast.ts'
import { rawRequest } from './support/socket.ts'

const holdfast = withHoldfast()

describe('every route', () => {
  test('answers 404 at / where no dashboard was built', async () => {
    await using bare = await startInside()

    expect((await bare.fetch('/')).status).toBe(404)
  })

  test.each(['/nope', '/api', '/api/nope', '/api/files/nope/nope', '/api/auth/nope'])(
    'answers 404 with the envelope at %s',
    async (path) => {
      const response = await holdfast.fetch(path)

      expect(response.status).toBe(404)
      expect(await messageOf(response)).toBe('Not found')
    },
  )

  test.each([
    ['PATCH', '/api/files', 'DELETE, GET, HEAD, POST, PUT'],
    ['GET', '/api/files/move', 'POST'],
    ['DELETE', '/api/health', 'GET, HEAD'],
    ['POST', '/api/files/download/x', 'GET, HEAD'],
    ['PUT', '/api/hosting/a/b', 'GET, HEAD, OPTIONS'],
    ['OPTIONS', '/api/keys', 'DELETE, GET, HEAD, POST, PUT'],
    ['HEAD', '/api/files/move', 'POST'],
  ])('answers 405 with Allow to %s %s', async (method, path, allow) => {
    const response = await holdfast.fetch(path, { method })

    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toBe(allow)
    if (method !== 'HEAD') expect(await messageOf(response)).toContain('is not supported here. Use ')
  })

  test('carries the security headers for browsers', async () => {
    for (const path of ['/api/health', '/nope', '/api/files']) {
      expect(Object.fromEntries((await holdfast.fetch(path)).headers)).toMatchObject({
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'referrer-policy': 'strict-origin-when-cross-origin',
        'cache-control': 'no-store',
        'content-type': 'application/json;charset=utf-8',
      })
    }
  })

  test('answers a HEAD like its GET, without the body', async () => {
    for (const path of ['/api/health', '/api/files', '/nope']) {
      const [get, head] = [await holdfast.fetch(path), await holdfast.fetch(path, { method: 'HEAD' })]
      const { date: _, 'x-request-id': __, ...headers } = Object.fromEntries(get.headers)

      expect(head.status).toBe(get.status)
      expect(head.headers.get('date')).toEndWith(' GMT')
      expect(Object.fromEntries(head.headers)).toMatchObject(headers)
      expect(await head.text()).toBe('')
    }
  })

  test.each(['TRACE', 'TRACK', 'DEBUG', 'CONNECT', 'BREW', 'get'])(
    'never answers %s with success or an echo',
    async (method) => {
      for (const path of ['/', '/api/files', '/api/hosting/f', '/api/health']) {
        const lines = [`${method} ${path} HTTP/1.1`, 'Host: localhost', 'X-Secret: reflected']
        const answer = await rawRequest(holdfast.port, lines)

        expect(answer.status === 0 || answer.status >= 400).toBe(true)
        expect(answer.head + answer.body).not.toContain('reflected')
      }
    },
  )

  test('parses JSON whatever the content type says', async () => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'nonsense',
    ]) {
      const response = await postJson(
        holdfast,
        '/api/files/sign',
        { id: 'nope' },
        { ...holdfast.withKey, 'Content-Type': type },
      )

      expect(response.status).toBe(404)
    }
  })

  test('ignores fields it does not know', async () => {
    const { id } = await holdfast.api.upload('known', 'x')

    expect(
      (await postJson(holdfast, '/api/files/sign', { id, role: 'admin' }, holdfast.withKey)).status,
    ).toBe(200)
  })
})

test.each([
  ['POST', '/api/files', 'gzip'],
  ['PUT', '/api/files/content?id=x', 'gzip'],
  ['POST', '/api/folders/import?folder=x', 'identity, br'],
  ['PATCH', '/api/uploads/x', 'deflate'],
  ['POST', '/api/files/sign', 'GZIP'],
  ['POST', '/api/s/x/files', 'zstd'],
])('%s %s refuses a body in the coding %3$s', async (method, path, coding) => {
  const headers = { ...holdfast.withKey, 'Content-Encoding': coding }
  const response = await holdfast.fetch(path, { method, headers, body: 'x' })

  expect([response.status, response.headers.get('accept-encoding')]).toEqual([415, 'identity'])
  expect(await messageOf(response)).toContain('must not be compressed')
})

test('a body in the coding identity is taken as it is', async () => {
  const { id } = await holdfast.api.upload('coded', 'x')
  const headers = { ...holdfast.withKey, 'Content-Encoding': 'Identity' }
  const response = await holdfast.fetch(`/api/files/content?id=${id}`, { method: 'PUT', headers, body: 'y' })
  expect(response.status).toBe(200)
})

describe('rate limits', () => {
  const limited = { RATE_LIMIT_API: '3', RATE_LIMIT_HOSTING: '2' }

  test('refuse what goes past them for the rest of a minute from the first request', async () => {
    const clock = new TestClock()
    await using limits = await startInside({ clock, environment: limited })
    for (let n = 0; n < 3; n += 1) expect((await limits.fetch('/api/setup')).status).toBe(200)

    clock.advance(15_000)
    const refused = await limits.fetch('/api/setup')

    expect(refused.status).toBe(429)
    expect(refused.headers.get('retry-after')).toBe('45')
    expect(await messageOf(refused)).toBe('Too many requests')
    clock.advance(45_000)
    expect((await limits.fetch('/api/setup')).status).toBe(200)
  })

  test('count hosting apart and the health check not at all', async () => {
    await using limits = await startInside({ clock: new TestClock(), environment: limited })
    const statuses = async (path: string, times: number) => {
      const responses = await Promise.all(Array.from({ length: times }, () => limits.fetch(path)))
      return responses.map(({ status }) => status).sort()
    }

    expect(await statuses('/api/hosting/none', 4)).toEqual([404, 404, 429, 429])
    expect(await statuses('/api/setup', 3)).toEqual([200, 200, 200])
    expect(await statuses('/api/health', 10)).toEqual(Array(10).fill(200))
    expect((await limits.fetch('/api/hosting/none')).headers.get('content-security-policy')).toBe('sandbox')
  })

  test('are a page for a browser that opens a share', async () => {
    await using limits = await startInside({ clock: new TestClock(), environment: limited })
    const open = (Accept: string) => limits.fetch('/s/none', { headers: { Accept } })
    for (let n = 0; n < 2; n += 1) expect((await open('text/html')).status).toBe(404)

    const page = await open('text/html')
    expect([page.status, page.headers.get('content-type')]).toEqual([429, 'text/html; charset=utf-8'])
    expect(Number(page.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await messageOf(await open('*/*'))).toBe('Too many requests')
  })

  test('apply before credentials, validation and existence', async () => {
    await using limits = await startInside({ clock: new TestClock(), environment: { RATE_LIMIT_API: '1' } })
    await limits.fetch('/api/setup')

    expect((await limits.fetch('/api/files', { method: 'POST', body: '{' })).status).toBe(429)
    expect((await limits.fetch('/api/nope')).status).toBe(429)
  })

  test('take no address from a header unless a trusted proxy wrote it', async () => {
    await using direct = await startInside({ clock: new TestClock(), environment: limited })
    await using proxied = await startInside({
      clock: new TestClock(),
      environment: { ...limited, TRUST_PROXY: '127.0.0.1' },
    })
    const statuses = async (target: Holdfast) => {
      const addresses = Array.from({ length: 6 }, (_, n) => `203.0.113.${n}`)
      const ask = (address: string) =>
        target.fetch('/api/setup', { headers: { 'X-Forwarded-For': `10.0.0.1, ${address}` } })
      return (await Promise.all(addresses.map(ask))).map(({ status }) => status).sort()
    }

    expect(await statuses(direct)).toEqual([200, 200, 200, 429, 429, 429])
    expect(await statuses(proxied)).toEqual(Array(6).fill(200))
  })
})
