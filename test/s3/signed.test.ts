import { beforeAll, describe, expect, test } from 'bun:test'
import { withInside } from '../support/fixture.ts'
import { TestClock } from '../support/holdfast.ts'
import { codeOf, createS3Keys, presignUrl, rawS3, type S3Keys } from '../support/s3.ts'

const clock = new TestClock()
const holdfast = withInside({ clock })
let keys: S3Keys & { id: string }
let send: ReturnType<typeof rawS3>

const now = () => clock.now()

beforeAll(async () => {
  keys = await createS3Keys(holdfast, holdfast.cookie)
  send = (path, sent) => rawS3(holdfast, keys)(path, { now: now(), ...sent })
  await send('/signed', { method: 'PUT' })
  await send('/signed/a.txt', { method: 'PUT', body: 'secret', headers: { 'x-amz-acl': 'private' } })
})

describe('a signature', () => {
  test.each([
    [
      'over another path',
      'SignatureDoesNotMatch',
      (sent) => {
        sent.path = '/signed/other.txt'
      },
    ],
    [
      'over another query',
      'SignatureDoesNotMatch',
      (sent) => {
        sent.path += '?uploads='
      },
    ],
    [
      'over another host',
      'SignatureDoesNotMatch',
      (sent) => {
        sent.headers['host'] = 'other.example'
      },
    ],
    [
      'over other bytes',
      'SignatureDoesNotMatch',
      (sent) => {
        sent.headers['x-amz-content-sha256'] = 'UNSIGNED-PAYLOAD'
      },
    ],
    [
      'without a header of S3',
      'AccessDenied',
      (sent) => {
        sent.headers['x-amz-acl'] = 'public-read'
      },
    ],
    [
      'by another key',
      'InvalidAccessKeyId',
      (sent) => {
        sent.headers['authorization'] =
          sent.headers['authorization']?.replace(/=[\da-f]{32}\//, `=${'0'.repeat(32)}/`) ?? ''
      },
    ],
    [
      'for another service',
      'AuthorizationHeaderMalformed',
      (sent) => {
        sent.headers['authorization'] = sent.headers['authorization']?.replace('/s3/', '/sts/') ?? ''
      },
    ],
    [
      'of another length',
      'AuthorizationHeaderMalformed',
      (sent) => {
        sent.headers['authorization'] += '0'
      },
    ],
    [
      'without the host',
      'AccessDenied',
      (sent) => {
        sent.headers['authorization'] = sent.headers['authorization']?.replace('host;', '') ?? ''
      },
    ],
  ] as [string, string, (sent: { path: string; headers: Record<string, string> }) => void][])(
    '%s is %s',
    async (_, code, tamper) => {
      const [status, found] = await codeOf(await send('/signed/a.txt', { tamper }))
      expect([status === 403 || status === 400, found]).toEqual([true, code])
    },
  )

  test('more than 15 minutes old, or ahead, is RequestTimeTooSkewed', async () => {
    for (const offset of [-901_000, 901_000])
      expect(await codeOf(await send('/signed/a.txt', { now: now() + offset }))).toEqual([
        403,
        'RequestTimeTooSkewed',
      ])
    expect((await send('/signed/a.txt', { now: now() - 899_000 })).status).toBe(200)
  })

  test('in version 2 is refused with the cure', async () => {
    const headers = { Authorization: `AWS ${keys.accessKeyId}:c2ln` }
    const response = await fetch(`${holdfast.url}/signed/a.txt`, { headers })
    expect(response.status).toBe(400)
    expect(await response.text()).toContain('s3v4')
    const presigned = `/signed/a.txt?AWSAccessKeyId=${keys.accessKeyId}&Signature=x&Expires=9999999999`
    expect(await (await fetch(`${holdfast.url}${presigned}`)).text()).toContain('s3v4')
  })

  test('ends with the API key', async () => {
    const other = await createS3Keys(holdfast, holdfast.cookie)
    const sendOther = rawS3(holdfast, other)
    expect((await sendOther('/signed/a.txt', { now: now() })).status).toBe(200)
    await holdfast.bySession.data('DELETE', '/keys', { id: other.id })
    expect(await codeOf(await sendOther('/signed/a.txt', { now: now() }))).toEqual([
      403,
      'InvalidAccessKeyId',
    ])
  })

  test.each(['%E0%A4%A', '%00', '..%2fsigned', '%2e%2e/signed/a.txt'])(
    'over the odd path %s is refused',
    async (path) => {
      const response = await send('/', {
        tamper: (sent) => {
          sent.path = `/signed/${path}`
        },
      })
      expect([400, 403]).toContain(response.status)
    },
  )
})

describe('a presigned URL', () => {
  test('opens its object to any page until it expires', async () => {
    const at = new Date(now())
    const url = presign('/signed/a.txt', 60)
    const response = await fetch(url)
    expect([await response.text(), response.headers.get('access-control-allow-origin')]).toEqual([
      'secret',
      '*',
    ])
    expect(await codeOf(await fetch(url.replace('a.txt', 'b.txt')))).toEqual([403, 'SignatureDoesNotMatch'])
    expect(await codeOf(await fetch(url, { method: 'DELETE' }))).toEqual([403, 'SignatureDoesNotMatch'])
    expect(await codeOf(await fetch(url, { headers: { 'x-amz-acl': 'public-read' } }))).toEqual([
      403,
      'AccessDenied',
    ])
    clock.advance(60_000)
    expect(await codeOf(await fetch(url))).toEqual([403, 'AccessDenied'])
    expect(at.getTime()).toBeLessThan(now())
  })

  test('replaces headers of the response, and nothing else does', async () => {
    const url = presign('/signed/a.txt', 60, { 'response-content-type': 'text/html' })
    const { headers } = await fetch(url)
    expect([headers.get('content-type'), headers.get('content-security-policy')]).toEqual([
      'text/html',
      'sandbox',
    ])
  })

  test('is preceded by a preflight from a browser', async () => {
    const url = presign('/signed/new.txt', 60)
    const asked = {
      Origin: 'https://app.example',
      'Access-Control-Request-Method': 'PUT',
      'Access-Control-Request-Headers': 'content-md5,content-type',
    }
    const preflight = await fetch(url, { method: 'OPTIONS', headers: asked })
    expect([preflight.status, preflight.headers.get('access-control-allow-headers')]).toEqual([
      204,
      'content-md5,content-type',
    ])
    expect(preflight.headers.get('access-control-allow-methods')).toContain('PUT')
  })
})

describe('credentials', () => {
  test('of an older API key are shown after the password', async () => {
    const show = (body: object) => holdfast.bySession.send('POST', '/keys/s3', body)
    const { password } = { password: 'correct horse' }
    const shown = (await (await show({ id: keys.id, password })).json()) as { data: { s3: object } }
    expect(shown.data.s3).toEqual({ accessKeyId: keys.accessKeyId, secretAccessKey: keys.secretAccessKey })
    expect((await show({ id: keys.id, password: 'wrong' })).status).toBe(400)
    expect((await show({ id: 'none', password })).status).toBe(404)
    clock.advance(700_000)
  })
})

test('requests that are not signed are those of the dashboard and the API', async () => {
  expect((await fetch(`${holdfast.url}/signed/a.txt`)).headers.get('content-type')).toContain('json')
  expect((await fetch(`${holdfast.url}/api/setup`)).status).toBe(200)
})

test.each(['api/health', 'api/hosting/signed/a.txt', 'api/keys', 's/none', 'dav/signed'])(
  'foreign signatures change no response of /%s',
  async (path) => {
    const url = `${holdfast.url}/${path}`
    const parameters = '?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Signature=00'
    const scope = `20261127/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=${'0'.repeat(64)}`
    const authorization = `AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/${scope}`
    const [plain, ...others] = await Promise.all([
      fetch(url),
      fetch(url + parameters),
      // As a network that delivers content signs for its origin.
      fetch(url, { headers: { authorization } }),
    ])
    const expected = await viewOf(plain)
    for (const other of others) expect(await viewOf(other)).toEqual(expected)
    const headers = {
      Origin: 'https://app.example',
      'Access-Control-Request-Method': 'PUT',
      'Access-Control-Request-Headers': 'x-amz-date, content-type',
    }
    const preflight = await fetch(url, { method: 'OPTIONS', headers })
    expect(preflight.headers.get('access-control-allow-methods') ?? '').not.toContain('PUT')
  },
)

test('a bucket may have the name of another path', async () => {
  await holdfast.api.createFolder('api')
  expect((await send('/api', { method: 'HEAD' })).status).toBe(200)
  expect((await send('/api/a', { method: 'PUT', body: 'x' })).status).toBe(200)
})

test('the history has one entry a minute for each key and kind', async () => {
  const other = await createS3Keys(holdfast, holdfast.cookie, { name: 'history' })
  const put = rawS3(holdfast, other)
  for (let n = 0; n < 5; n++) await put(`/signed/many/${n}`, { method: 'PUT', body: 'x', now: now() })
  await put('/signed/many/0', { method: 'DELETE', now: now() })
  await holdfast.server.modules.s3.flush()
  const { activities } = await holdfast.bySession.data<{ activities: { type: string; target: string }[] }>(
    'GET',
    '/activity',
  )
  const entries = activities.filter(({ target }) => target === '5 files' || target === '0')
  expect(entries.map(({ type, target }) => [type, target]).sort()).toEqual([
    ['file.deleted', '0'],
    ['upload.succeeded', '5 files'],
  ])
})

/** Returns what a response says, without what differs each time. */
async function viewOf(response: Response) {
  for (const name of ['date', 'x-request-id']) response.headers.delete(name)
  return [response.status, await response.text(), [...response.headers]]
}

/** Presigns a GET by the same rules as the server verifies it, at the time of its clock. */
function presign(path: string, expiresIn: number, query: Record<string, string> = {}): string {
  return presignUrl(holdfast.url, { path, keys, query, expiresIn, now: now() })
}
