import { beforeAll, describe, expect, test } from 'bun:test'
import { envelopeMessage } from '../hosting/wire.ts'
import { withHoldfast } from '../support/fixture.ts'
import { rawRequest } from '../support/socket.ts'

const holdfast = withHoldfast()
beforeAll(() => holdfast.api.upload('hot', 'hot'))

/** Requests with and without the shortcut, with and without a body. */
const REQUESTS = [
  'GET /api/health',
  'HEAD /api/health',
  'GET /api/auth/get-session',
  'GET /api/nope',
  'GET /',
  'GET /api/hosting/hot',
  'GET /api/hosting/nope',
  'GET /api/files',
  'POST /api/auth/sign-out',
]
const BAD_HOSTS = ['a b', ...'a:99999 a:b [ [::1 @ u@a / a/b % %zz # ? a?b . ..x'.split(' ')]

describe.each(REQUESTS)('%s', (request) => {
  const ask = async (...hosts: string[]) => {
    await (await holdfast.fetch('/api/hosting/hot')).text()
    return rawRequest(holdfast.port, [`${request} HTTP/1.1`, ...hosts.map((host) => `Host: ${host}`)])
  }

  test.each([...BAD_HOSTS, 'a\\b', '1.2.3.4.5', 'http://a', 'é', '', ' '])(
    'is refused for the host "%s", without internal details',
    async (host) => {
      const answer = await ask(host)

      expect(answer.status).toBe(400)
      expect(answer.headers.get('content-type')).toBe('application/json;charset=utf-8')
      if (!request.startsWith('HEAD'))
        expect(envelopeMessage({ ...answer, body: withoutCode(answer.body) })).toContain('Host')
    },
  )

  test('is refused for two hosts, even if they are the same', async () => {
    for (const other of ['b', 'a', '']) expect([other, (await ask('a', other)).status]).toEqual([other, 400])
  })

  test.each([
    'localhost',
    'nas',
    'a_b.example',
    '192.168.0.1:3000',
    '[::1]:80',
    'xn--bcher-kva.example',
    'a:',
  ])('takes the host %s', async (host) => {
    expect((await ask(host)).status).not.toBe(400)
  })

  test('needs a host in HTTP/1.1, but not in HTTP/1.0', async () => {
    const [path, old] = [`${request} HTTP/1.1`, `${request} HTTP/1.0`]

    expect((await rawRequest(holdfast.port, [path])).status).toBe(400)
    expect((await rawRequest(holdfast.port, [old])).status).toBe((await ask('localhost')).status)
    expect((await rawRequest(holdfast.port, [old, 'Host: a b'])).status).toBe(400)
  })
})

/** Removes `code` and `message`, which the sign-in routes add to the envelope. */
const withoutCode = (body: Buffer) => {
  const { data, error } = JSON.parse(body.toString())
  return Buffer.from(JSON.stringify({ data, error }))
}
