import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { chmodSync, existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readConfig } from '../../src/platform/config.ts'
import { statsFor } from '../stats/stats.ts'
import { startAuthority } from '../support/acme-authority.ts'
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

describe('an authority', () => {
  /** Starts a server that gets its certificate from one, at the time of the machine. */
  async function startAt(directory: string, variables: Record<string, string> = {}) {
    const clock = { ahead: 0, now: () => Date.now() + clock.ahead, monotonic: () => performance.now() }
    const options = {
      environment: { ...environment, ACME_DIRECTORY: directory, ...variables },
      ...{ isAlone: true, clock },
    }
    const server = await startInside(options)
    const renew = () => server.server.jobs.runAll()
    await renew()
    return Object.assign(server, { clock, renew })
  }

  test('that leaves a name out is asked for it again after an hour, then two, and the log tells', async () => {
    using lossy = startAuthority(pair)
    lossy.left.add('b.test')
    await using server = await startAt(lossy.directory, { HTTPS_DOMAINS: 'a.test,b.test' })
    expect(lossy.orders.map(({ names }) => names)).toEqual([['a.test', 'b.test'], ['a.test']])
    expect(server.server.https?.certificate()?.names).toEqual(new Set(['a.test']))
    expect(server.server.https?.refused()).toEqual([
      { name: 'b.test', reason: 'the certificate does not have this name' },
    ])
    expect(server.logged.filter(({ message }) => message.includes('No certificate for b.test'))).toHaveLength(
      1,
    )

    const tries: number[] = []
    for (let minutes = 0; minutes < 250; minutes += 10) {
      server.clock.ahead = minutes * 60_000
      const before = lossy.orders.length
      await server.renew()
      if (lossy.orders.length > before) tries.push(minutes)
    }
    expect(tries).toEqual([60, 180])
  })

  test('does not choose which record is set in DNS', async () => {
    using greedy = startAuthority(pair)
    greedy.demands = 'another.test'
    const [hook, called] = ['hook', 'called'].map((name) => join(folder.path, name)) as [string, string]
    writeFileSync(hook, `#!/bin/sh\necho "$@" >> ${called}\n`)
    chmodSync(hook, 0o755)
    await using server = await startAt(greedy.directory, { ACME_DNS_HOOK: hook })

    expect(server.server.https?.refused()).toEqual([
      { name: 'a.test', reason: 'The authority wants another.test proven, which was not ordered' },
    ])
    expect(existsSync(called)).toBe(false)
  })

  test('whose responses have no end is not read to it', async () => {
    using long = startAuthority(pair)
    long.padding = ' '.repeat(1024 ** 2)
    await using server = await startAt(long.directory)

    expect(server.server.https?.refused().map(({ reason }) => reason)).toEqual([
      `${long.directory} responds with more than 1 MiB`,
    ])
  })

  test('learns which certificate another one replaces, and issues it where it accepts no replacement', async () => {
    using good = startAuthority(pair)
    await using server = await startAt(good.directory)
    const id = server.server.https?.certificate()?.renewalId
    expect(good.orders).toEqual([{ names: ['a.test'] }])
    expect(id).toMatch(/^[\w-]+\.[\w-]+$/)

    server.clock.ahead = 81 * 24 * HOUR_MS
    await server.renew()
    expect(good.orders.slice(1)).toEqual([{ names: ['a.test'], replaces: String(id) }])

    const next = server.server.https?.certificate()?.renewalId
    good.refusesReplacement = true
    server.clock.ahead += 24 * HOUR_MS
    await server.renew()
    expect(good.orders.slice(2)).toEqual([
      { names: ['a.test'], replaces: String(next) },
      { names: ['a.test'] },
    ])
    expect(server.server.https?.refused()).toEqual([])
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
