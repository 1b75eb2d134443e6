import { describe, expect, test } from 'bun:test'
import { startWithAccount, withHoldfast } from '../support/fixture.ts'

const APP = 'https://app.example.com'
const OTHER = 'https://other.example.com'
const EXPOSED =
  'Location, Upload-Offset, Upload-Length, Tus-Resumable, ETag, Content-Disposition, Content-Range, Retry-After, ' +
  'X-Request-Id, Error-Code, Holdfast-File-Id'

const holdfast = withHoldfast({ environment: { CORS_ORIGINS: `${APP}/, HTTPS://Second.example.com:443` } })

/** Returns the headers about CORS of a response, by their names without the prefix. */
function corsOf({ headers }: Response): Record<string, string> {
  const prefix = 'access-control-'
  const named = [...headers].flatMap(([name, value]): [string, string][] =>
    name.startsWith(prefix) ? [[name.slice(prefix.length), value]] : [],
  )
  return Object.fromEntries(named)
}

const ask = async (path: string, init: RequestInit, { url } = holdfast) => fetch(`${url}${path}`, init)

/** Sends the preflight of a request with an API key. */
const preflight = (path: string, origin: string, server = holdfast) =>
  ask(
    path,
    {
      method: 'OPTIONS',
      headers: {
        Origin: origin,
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'api-key,tus-resumable',
      },
    },
    server,
  )

describe('CORS_ORIGINS', () => {
  test.each([
    ['/api/files', 'DELETE, GET, HEAD, POST, PUT'],
    ['/api/files/download/x', 'GET, HEAD'],
    ['/api/uploads', 'OPTIONS, POST'],
    ['/api/uploads/x', 'DELETE, GET, HEAD, OPTIONS, PATCH'],
  ])('answers the preflight of %s', async (path, methods) => {
    const response = await preflight(path, APP)

    expect(response.status).toBe(204)
    expect(response.headers.get('vary')).toContain('Origin')
    expect(corsOf(response)).toEqual({
      'allow-origin': APP,
      'allow-methods': methods,
      'allow-headers': 'api-key,tus-resumable',
      'max-age': '86400',
      'expose-headers': EXPOSED,
    })
  })

  test('answers no preflight of another origin, nor of an unknown path', async () => {
    const other = await preflight('/api/files', OTHER)
    const unknown = await preflight('/api/nothing', APP)

    expect([other.status, unknown.status]).toEqual([405, 404])
    expect(corsOf(other)).toEqual({})
  })

  test('lets pages of a listed origin read responses and refusals, without credentials', async () => {
    for (const origin of [APP, 'https://second.example.com']) {
      const headers = { ...holdfast.withKey, Origin: origin }
      for (const path of ['/api/files', '/api/files/details?id=x', '/api/nothing', '/api/uploads/x'])
        expect(corsOf(await ask(path, { headers }))).toEqual({
          'allow-origin': origin,
          'expose-headers': EXPOSED,
        })
    }
    const wrongKey = await ask('/api/files', { headers: { 'API-Key': 'hf_wrong', Origin: APP } })
    expect([wrongKey.status, corsOf(wrongKey)['allow-origin']]).toEqual([401, APP])
  })

  test('lets no page of another origin read a response, and none a response to a cookie', async () => {
    const other = await ask('/api/files', { headers: { ...holdfast.withKey, Origin: OTHER } })
    const session = await ask('/api/files', { headers: { Cookie: holdfast.cookie, Origin: APP } })

    expect([other.status, session.status]).toEqual([200, 200])
    expect([corsOf(other), corsOf(session)]).toEqual([{}, {}])
    expect(other.headers.get('vary')).toContain('Origin')
  })

  test('leaves the headers of hosting as they are, whatever the origin', async () => {
    await holdfast.sendUpload({ 'a.txt': 'a' })
    const response = await ask('/api/hosting/a.txt', { headers: { ...holdfast.withKey, Origin: APP } })

    expect(corsOf(response)['allow-origin']).toBe('*')
    expect(response.headers.get('vary')).toBeNull()
  })

  test('as * allows every origin, without credentials', async () => {
    await using open = await startWithAccount({ environment: { CORS_ORIGINS: '*' } })

    expect(corsOf(await preflight('/api/files', OTHER, open))).toMatchObject({ 'allow-origin': '*' })
    const read = await ask('/api/files', { headers: { ...open.withKey, Origin: OTHER } }, open)
    expect(corsOf(read)).toEqual({ 'allow-origin': '*', 'expose-headers': EXPOSED })
    expect(read.headers.get('vary')).toContain('Origin')
  })

  test('has no effect when it is not set', async () => {
    await using closed = await startWithAccount()

    expect((await preflight('/api/files', APP, closed)).status).toBe(405)
    const read = await ask('/api/files', { headers: { ...closed.withKey, Origin: APP } }, closed)
    expect(corsOf(read)).toEqual({})
    expect(read.headers.get('vary') ?? '').not.toContain('Origin')
  })
})
