import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { X509Certificate } from 'node:crypto'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from 'node:tls'
import type { Clock } from '../../src/platform/clock.ts'
import { selfSigned } from '../support/certificates.ts'
import { eventually } from '../support/eventually.ts'
import { startInsideWithAccount } from '../support/fixture.ts'
import { type Inside, startInside } from '../support/holdfast.ts'
import { type Pebble, startPebble } from '../support/pebble.ts'
import { temporaryFolder } from '../support/temporary.ts'

const DAY_MS = 86_400_000
/** Pebble's certificates are valid for this time. */
const LIFE_SECONDS = 90 * 86_400

let pebble: Pebble
beforeAll(async () => {
  pebble = await startPebble({ certificateValidityPeriod: LIFE_SECONDS })
})
afterAll(() => pebble[Symbol.asyncDispose]())

/** Returns a clock that runs with that of the machine, and that a test sets forward. */
function movingClock(): Clock & { ahead: number } {
  const clock = { ahead: 0, now: () => Date.now() + clock.ahead, monotonic: () => performance.now() }
  return clock
}

/** Returns the certificate that a new connection gets. */
function shownBy({ port }: Pick<Inside, 'port'>): Promise<X509Certificate> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => {
      resolve(new X509Certificate(socket.getPeerCertificate().raw))
      socket.destroy()
    })
    socket.on('error', reject)
  })
}
const namesOf = async (server: Inside) => (await shownBy(server)).subjectAltName?.split(', ').sort()
const serialOf = async (server: Inside) => (await shownBy(server)).serialNumber

/** Starts a server for these names. Its first order is over. */
async function startFor(domains: string, environment: Record<string, string> = {}, dataPath?: string) {
  const clock = movingClock()
  const server = await startInside({
    ...(dataPath && { dataPath }),
    environment: {
      BASE_URL: 'https://a.test',
      ...pebble.environment,
      HTTPS_DOMAINS: domains,
      ...environment,
    },
    isAlone: true,
    clock,
  })
  pebble.forwardTo(server.server.port)
  const renew = () => server.server.jobs.runAll()
  await renew()
  const refused = () => server.server.https?.refused()
  return Object.assign(server, { clock, renew, refused })
}

describe('a server with HTTPS_DOMAINS', () => {
  test('gets one certificate for all names, and uses it again after a restart', async () => {
    await using server = await startFor('a.test, B.test', { ACME_EMAIL: 'ops@a.test' })
    expect(await namesOf(server)).toEqual(['DNS:a.test', 'DNS:b.test'])
    const [serial, orders] = [await serialOf(server), pebble.orders()]
    await server.stop()

    await using again = await startInside({
      dataPath: server.dataPath,
      environment: { BASE_URL: 'https://a.test', ...pebble.environment, HTTPS_DOMAINS: 'auto' },
      isAlone: true,
    })
    expect(await serialOf(again)).toBe(serial)
    await again.server.jobs.runAll()
    expect(pebble.orders()).toBe(orders)
  })

  test('refuses connections for TLS and redirects until it has one', async () => {
    await pebble.setAddress('none.test', '127.0.0.2')
    await using server = await startInside({
      environment: { BASE_URL: 'https://none.test', ...pebble.environment, HTTPS_DOMAINS: 'auto' },
      isAlone: true,
    })

    expect(shownBy(server)).rejects.toThrow()
    const plain = await fetch(`http://127.0.0.1:${server.server.port}/x`, {
      headers: { Host: 'none.test' },
      redirect: 'manual',
    })
    expect([plain.status, plain.headers.get('location')]).toEqual([308, 'https://none.test/x'])
  })

  test('gets one for the hosts of all sites with auto', async () => {
    const sites = { BASE_URL: 'https://a.test', SITES_DOMAIN: 'sites.test' }
    await using before = await startInsideWithAccount({ environment: sites })
    const { folderId } = await before.api.upload('index.html', 'start', 'web')
    await before.api.data('POST', '/sites', { folderId, name: 'www', domains: ['shop.test'] })
    await before.stop()

    await using server = await startFor('auto', sites, before.dataPath)
    expect(await namesOf(server)).toEqual(['DNS:a.test', 'DNS:shop.test', 'DNS:www.sites.test'])
  })

  test('leaves a name out that cannot be proven, reports it, and tries it again after an hour, then two', async () => {
    await pebble.setAddress('bad.test', '127.0.0.2')
    await using server = await startFor('a.test,bad.test,c.test')
    expect(await namesOf(server)).toEqual(['DNS:a.test', 'DNS:c.test'])
    expect(server.refused()).toEqual([{ name: 'bad.test', reason: expect.stringContaining('127.0.0.2') }])

    const tries: number[] = []
    for (let minutes = 0; minutes < 250; minutes += 10) {
      server.clock.ahead = minutes * 60_000
      const before = pebble.orders()
      await server.renew()
      if (pebble.orders() > before) tries.push(minutes)
    }
    expect(tries).toEqual([60, 180])

    await pebble.setAddress('bad.test', '127.0.0.1')
    server.clock.ahead += DAY_MS
    await server.renew()
    expect(await namesOf(server)).toEqual(['DNS:a.test', 'DNS:bad.test', 'DNS:c.test'])
    expect(server.refused()).toEqual([])
  })

  test('renews when a third of the life is left, and keeps a name that fails as long as it can', async () => {
    await using server = await startFor('a.test,flaky.test')
    const first = await serialOf(server)
    server.clock.ahead = 59 * DAY_MS
    await server.renew()
    expect(await serialOf(server)).toBe(first)
    const isRenewed = () => server.server.https?.isRenewed()
    expect(isRenewed()).toBe(false)

    await pebble.setAddress('flaky.test', '127.0.0.2')
    server.clock.ahead = 61 * DAY_MS
    await server.renew()
    expect(await serialOf(server)).toBe(first)

    // In the last week, the others do not wait for it.
    server.clock.ahead = 84 * DAY_MS
    await server.renew()
    expect(await namesOf(server)).toEqual(['DNS:a.test'])
    expect(isRenewed()).toBe(true)
  })

  test('loses no request while the certificate is renewed', async () => {
    await using server = await startFor('a.test')
    const first = await serialOf(server)
    let isOver = false
    let answered = 0
    const client = async (connection: string) => {
      for (; !isOver; answered += 1) {
        const headers = { Connection: connection }
        expect((await server.fetch('/api/health', { headers })).status).toBe(200)
      }
    }
    const clients = ['keep-alive', 'close', 'close'].map(client)
    await eventually(() => answered > 20)
    server.clock.ahead = 61 * DAY_MS
    await server.renew()
    const soFar = answered
    await eventually(() => answered > soFar + 20)
    isOver = true
    await Promise.all(clients)

    expect(await serialOf(server)).not.toBe(first)
  })

  test('renews early when the authority suggests it', async () => {
    const asked: string[] = []
    let start = Date.now() + DAY_MS
    const pair = selfSigned(['localhost'])
    using folder = temporaryFolder()
    const ca = join(folder.path, 'ca.pem')
    const { ACME_DIRECTORY: directory = '', ACME_CA = '' } = pebble.environment
    writeFileSync(ca, pair.cert + (await Bun.file(ACME_CA).text()))
    // Pebble of Debian 12 has no renewal information, so this stands in front of its directory.
    const front: Bun.Server<undefined> = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      tls: pair,
      fetch: async ({ url }) => {
        const { pathname } = new URL(url)
        if (pathname === '/dir') {
          const entries = await fetch(directory, { tls: { rejectUnauthorized: false } })
          return Response.json({ ...((await entries.json()) as object), renewalInfo: `${front.url}info` })
        }
        asked.push(pathname)
        const [from, to] = [start, start + 1000].map((time) => new Date(time).toISOString())
        return Response.json(
          { suggestedWindow: { start: from, end: to } },
          { headers: { 'Retry-After': '43200' } },
        )
      },
    })
    await using server = await startFor('a.test', { ACME_DIRECTORY: `${front.url}dir`, ACME_CA: ca })
    const [first, { raw }] = [await serialOf(server), await shownBy(server)]
    await server.renew()
    await server.renew()
    expect(asked).toHaveLength(1)
    start = Date.now() - DAY_MS
    server.clock.ahead = DAY_MS / 4
    await server.renew()
    expect(await serialOf(server)).toBe(first)
    server.clock.ahead = DAY_MS / 2
    await server.renew()
    front.stop(true)

    expect(await serialOf(server)).not.toBe(first)
    const [issuer = '', serial = ''] = (asked[0] ?? '').slice('/info/'.length).split('.')
    expect(Buffer.from(serial, 'base64url').toString('hex').replace(/^00/, '')).toBe(
      new X509Certificate(raw).serialNumber.toLowerCase(),
    )
    expect(raw.includes(Buffer.from(issuer, 'base64url'))).toBe(true)
    expect(Buffer.from(issuer, 'base64url').length).toBe(20)
  })

  test('proves a wildcard by a program that sets DNS records, and reports one that fails', async () => {
    using folder = temporaryFolder()
    const hook = join(folder.path, 'hook')
    const script = join(folder.path, 'hook.js')
    writeFileSync(
      script,
      `const [, , action, name, value] = process.argv
      const { status } = await fetch('${pebble.dns}/' + (action === 'present' ? 'set-txt' : 'clear-txt'), {
        method: 'POST', body: JSON.stringify({ host: name + '.', value }) })
      if (status !== 200 || name.includes('broken')) { console.error('no such zone'); process.exit(3) }`,
    )
    writeFileSync(hook, `#!/bin/sh\nexec "${process.execPath}" "${script}" "$@"\n`)
    chmodSync(hook, 0o755)
    await using server = await startFor('a.test,*.a.test,broken.test', { ACME_DNS_HOOK: hook })

    expect(await namesOf(server)).toEqual(['DNS:*.a.test', 'DNS:a.test'])
    expect(server.refused()).toEqual([
      { name: 'broken.test', reason: expect.stringMatching(/failed: no such zone$/) },
    ])
  })
})

test('an account is bound to one at the authority, and a wrong key is reported', async () => {
  const key = 'zWNDZM6eQGHWpSRTPal5eIUYFTu7EajVIoguysqZ9wG44nMEtx3MUAsUDkMTQ12W'
  await using strict = await startPebble({
    externalAccountBindingRequired: true,
    externalAccountMACKeys: { 'kid-1': key },
  })
  const outcomeWith = async (eab: Record<string, string>) => {
    await using server = await startInside({
      environment: { BASE_URL: 'https://a.test', HTTPS_DOMAINS: 'auto', ...strict.environment, ...eab },
      isAlone: true,
    })
    strict.forwardTo(server.server.port)
    await server.server.jobs.runAll()
    return server.server.https?.refused() ?? []
  }

  expect(await outcomeWith({ ACME_EAB_KID: 'kid-1', ACME_EAB_KEY: key })).toEqual([])
  expect(await outcomeWith({ ACME_EAB_KID: 'kid-1', ACME_EAB_KEY: 'd3Jvbmc' })).toHaveLength(1)
  expect(await outcomeWith({})).toEqual([
    { name: 'a.test', reason: expect.stringContaining('externalAccountBinding') },
  ])
})
