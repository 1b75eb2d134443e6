import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readConfig } from '../../src/platform/config.ts'
import { statsFor } from '../stats/stats.ts'
import { selfSigned } from '../support/certificates.ts'
import { register, startInside, TestClock } from '../support/holdfast.ts'
import { temporaryFolder } from '../support/temporary.ts'

const HOUR_MS = 3_600_000
const folder = temporaryFolder()
const pair = selfSigned(['localhost'])
const ACME_CA = join(folder.path, 'ca.pem')
writeFileSync(ACME_CA, pair.cert)
const asked: string[] = []
/** Seconds after which it may be asked again. */
let retryAfter = '10800'
/** Authority that has too much to do. */
const authority = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  tls: pair,
  fetch: ({ url }) => {
    const { pathname, origin } = new URL(url)
    asked.push(pathname)
    const at = (name: string) => `${origin}/${name}`
    if (pathname === '/dir')
      return Response.json({ newNonce: at('nonce'), newAccount: at('account'), newOrder: at('order') })
    if (pathname === '/plain') {
      const plain = at('account').replace('https:', 'http:')
      return Response.json({ newNonce: at('nonce'), newAccount: plain, newOrder: plain })
    }
    if (pathname === '/nonce') return new Response(null, { headers: { 'Replay-Nonce': 'bm9uY2U' } })
    const problem = { type: 'urn:ietf:params:acme:error:rateLimited', detail: 'Too many accounts' }
    return Response.json(problem, { status: 429, headers: { 'Retry-After': retryAfter } })
  },
})
afterAll(() => {
  authority.stop(true)
  folder[Symbol.dispose]()
})
beforeEach(() => asked.splice(0))

const environment = { BASE_URL: 'https://a.test', HTTPS_PORT: '0', HTTPS_DOMAINS: 'auto', ACME_CA }

describe('a certificate by ACME', () => {
  test('is asked for again when the authority says so, and admins see the reason', async () => {
    const clock = new TestClock()
    await using server = await startInside({
      environment: { ...environment, ACME_DIRECTORY: `${authority.url}dir`, TRUST_PROXY: '127.0.0.1' },
      isAlone: true,
      clock,
    })
    const { port } = server.server
    const behind = {
      fetch: (path: string, init?: RequestInit) => fetch(`http://127.0.0.1:${port}${path}`, init),
    }
    const { cookie, withKey } = await register(behind)
    const alerts = async (credential: Record<string, string>) =>
      (await statsFor(behind, credential)).alerts.filter(({ type }) => type === 'certificate-refused')
    await server.server.jobs.runAll()
    for (let hours = 0; hours < 3; hours += 1) {
      await server.server.jobs.runAll()
      expect(asked).toEqual(['/dir', '/nonce', '/account'])
      clock.advance(HOUR_MS)
    }
    expect(await alerts(withKey)).toEqual([])
    expect(await alerts({ Cookie: cookie })).toEqual([
      { type: 'certificate-refused', names: [{ name: 'a.test', reason: 'Too many accounts' }] },
    ])
    await server.server.jobs.runAll()

    expect(asked).toHaveLength(6)
  })

  test('is asked for again after a day, however long the authority wants to be left alone', async () => {
    const clock = new TestClock()
    retryAfter = '9'.repeat(400)
    await using server = await startInside({
      environment: { ...environment, ACME_DIRECTORY: `${authority.url}dir` },
      isAlone: true,
      clock,
    })
    await server.server.jobs.runAll()
    clock.advance(23 * HOUR_MS)
    await server.server.jobs.runAll()
    expect(asked).toHaveLength(3)
    clock.advance(HOUR_MS)
    await server.server.jobs.runAll()

    expect(asked).toHaveLength(6)
  })

  test('is not asked for without TLS', async () => {
    await using server = await startInside({
      environment: { ...environment, ACME_DIRECTORY: `${authority.url}plain` },
      isAlone: true,
    })
    await server.server.jobs.runAll()

    expect(server.server.https?.refused().map(({ reason }) => reason)).toEqual([
      expect.stringContaining('does not begin with https://'),
    ])
    expect(asked).toEqual(['/plain', '/nonce'])
  })
})

test.each([
  ['together with', { TLS_CERT: 'a', TLS_KEY: 'b' }],
  ['BASE_URL is missing', { BASE_URL: '' }],
  ['not "10.0.0.1"', { HTTPS_DOMAINS: 'a.test, 10.0.0.1' }],
  ['not ""', { HTTPS_DOMAINS: 'a.test,' }],
  ['not "localhost"', { HTTPS_DOMAINS: 'localhost' }],
  ['ACME_DNS_HOOK is missing', { HTTPS_DOMAINS: '*.a.test' }],
  ['belong together', { ACME_EAB_KID: 'kid' }],
  ['ACME_DIRECTORY must be', { ACME_DIRECTORY: 'http://acme.test' }],
  ['HTTPS_PORT is missing', { HTTPS_PORT: '' }],
])('a configuration of ACME is refused: %s', (problem, variables) => {
  expect(() => readConfig({ ...environment, ...variables })).toThrow(problem)
})
