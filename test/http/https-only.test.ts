import { describe, expect, test } from 'bun:test'
import {
  ADMIN,
  cookieOf,
  createKey,
  type Holdfast,
  postJson,
  startHoldfast,
  upload,
} from '../support/holdfast.ts'
import { rawRequest } from '../support/socket.ts'

const HEADER = 'strict-transport-security'

/** Returns the header of each kind of response: API, errors, hosting uncached and cached, and a bad head. */
async function headersOf(holdfast: Holdfast): Promise<(string | null)[]> {
  const cookie = cookieOf(await postJson(holdfast, '/api/auth/sign-up/email', ADMIN))
  const key = await createKey(holdfast, cookie, { name: 'a', scopes: ['files:write'] })
  await upload(holdfast, { 'API-Key': key }, { name: 'a.txt', content: 'hello' })
  const paths = [
    '/api/health',
    '/api/none',
    '/api/me',
    ...Array(3).fill('/api/hosting/a.txt'),
    '/api/hosting/none',
  ]
  const responses = await Promise.all(paths.map((path) => holdfast.fetch(path)))
  const { headers } = await rawRequest(holdfast.port, ['GET /api/health HTTP/1.1'])
  return [...responses.map((response) => response.headers.get(HEADER)), headers.get(HEADER) ?? null]
}

describe('Strict-Transport-Security', () => {
  test('is on every response when BASE_URL is https', async () => {
    await using holdfast = await startHoldfast({ environment: { BASE_URL: 'https://files.example.com' } })

    expect(new Set(await headersOf(holdfast))).toEqual(new Set(['max-age=31536000']))
  })

  test.each(['http://files.example.com', ''])('is on none when BASE_URL is %j', async (BASE_URL) => {
    await using holdfast = await startHoldfast({ environment: { BASE_URL } })

    expect(new Set(await headersOf(holdfast))).toEqual(new Set([null]))
  })
})
