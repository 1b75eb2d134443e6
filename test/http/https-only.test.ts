import { describe, expect, test } from 'bun:test'
import { startWithAccount } from '../support/fixture.ts'
import { rawRequest } from '../support/socket.ts'

const HEADER = 'strict-transport-security'

/** Returns the header of each kind of response: API, errors, hosting uncached and cached, and a bad head. */
async function headersOf(BASE_URL: string): Promise<(string | null)[]> {
  await using holdfast = await startWithAccount({ environment: { BASE_URL } })
  await holdfast.api.upload('a.txt', 'hello')
  const paths = ['health', 'none', 'me', 'hosting/none', ...Array(3).fill('hosting/a.txt')]
  const responses = await Promise.all(paths.map((path) => holdfast.fetch(`/api/${path}`)))
  const { headers } = await rawRequest(holdfast.port, ['GET /api/health HTTP/1.1'])
  return [...responses.map((response) => response.headers.get(HEADER)), headers.get(HEADER) ?? null]
}

describe('Strict-Transport-Security', () => {
  test('is on every response when BASE_URL is https', async () => {
    expect(new Set(await headersOf('https://files.example.com'))).toEqual(new Set(['max-age=31536000']))
  })

  test.each(['http://files.example.com', ''])('is on none when BASE_URL is %j', async (BASE_URL) => {
    expect(new Set(await headersOf(BASE_URL))).toEqual(new Set([null]))
  })
})
