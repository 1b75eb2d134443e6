import { afterAll, describe, expect, test } from 'bun:test'
import { certificateFiles } from '../support/certificates.ts'
import { startWithAccount, withInside } from '../support/fixture.ts'
import { startInside } from '../support/holdfast.ts'
import { rawRequest } from '../support/socket.ts'

const files = certificateFiles('holdfast.test', 'www.holdfast.test', '*.sites.test')
afterAll(() => files[Symbol.dispose]())
const holdfast = withInside({ environment: files.environment, isAlone: true })

const ask = (line: string, host: string, ...headers: string[]) =>
  rawRequest(holdfast.server.port, [`${line} HTTP/1.1`, `Host: ${host}`, ...headers])

describe('beside HTTPS, the plain port', () => {
  test.each([
    ['GET /', 'holdfast.test', 'https://holdfast.test/'],
    ['GET /a%20b/c.txt?x=1&y=%2F', 'holdfast.test:3000', 'https://holdfast.test/a%20b/c.txt?x=1&y=%2F'],
    ['GET /%E2%82%AC', 'HOLDFAST.test', 'https://holdfast.test/%E2%82%AC'],
    ['GET //evil.example/x', 'holdfast.test', 'https://holdfast.test//evil.example/x'],
    ['HEAD /', 'holdfast.test', 'https://holdfast.test/'],
    ['POST /api/files', 'holdfast.test', 'https://holdfast.test/api/files'],
    ['GET /', 'www.holdfast.test', 'https://www.holdfast.test/'],
    ['GET /', 'a.sites.test', 'https://a.sites.test/'],
    ['GET /', '127.0.0.1:8080', 'https://127.0.0.1/'],
  ])('redirects %s at %s', async (line, host, target) => {
    const { status, headers } = await ask(line, host)

    expect([status, headers.get('location')]).toEqual([308, target])
    expect(headers.has('strict-transport-security')).toBe(false)
  })

  test.each([
    'evil.example',
    'a.b.sites.test',
    'holdfast.test.evil.example',
    '',
    'holdfast.test@evil.example',
  ])('responds with 404 at the host "%s"', async (host) => {
    const { status, headers } = await ask('GET /', host)

    expect(status === 404 || status === 400).toBe(true)
    expect(headers.has('location')).toBe(false)
  })

  test('responds to balancers', async () => {
    for (const path of ['/api/health', '/api/health/ready'])
      expect((await ask(`GET ${path}`, '10.0.0.1')).status).toBe(200)
  })

  test('serves no file', async () => {
    const { url } = await holdfast.api.upload('plain.txt', 'not over HTTP')
    for (let n = 0; n < 3; n += 1) {
      const { status, body } = await ask(`GET /${url}`, 'holdfast.test')
      expect([status, body.toString()]).toEqual([308, ''])
    }
  })
})

test('the plain port serves a trusted proxy', async () => {
  await using behind = await startInside({
    environment: { ...files.environment, TRUST_PROXY: '127.0.0.1' },
    isAlone: true,
  })
  const { status } = await rawRequest(behind.server.port, ['GET /api/setup HTTP/1.1', 'Host: holdfast.test'])

  expect(status).toBe(200)
})

test('without BASE_URL, a change over HTTPS is trusted from the address itself', async () => {
  const { BASE_URL: _, ...environment } = files.environment
  await using local = await startWithAccount({ environment: { ...environment, BASE_URL: '' }, isAlone: true })
  const origin = local.url.replace('http:', 'https:')
  const { status } = await local.fetch('/api/folders', {
    method: 'POST',
    body: JSON.stringify({ folder: 'a' }),
    headers: { Cookie: local.cookie, Origin: origin },
  })

  expect(status).toBe(200)
})
