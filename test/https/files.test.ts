import { afterAll, describe, expect, test } from 'bun:test'
import { connect, type TLSSocket } from 'node:tls'
import { readConfig } from '../../src/platform/config.ts'
import { requestText } from '../hosting/wire.ts'
import { statsFor } from '../stats/stats.ts'
import { certificateFiles, selfSigned } from '../support/certificates.ts'
import { eventually } from '../support/eventually.ts'
import { withInside } from '../support/fixture.ts'
import { startInside } from '../support/holdfast.ts'
import { spawnHoldfast } from '../support/process.ts'

const files = certificateFiles('holdfast.test')
afterAll(() => files[Symbol.dispose]())
const holdfast = withInside({
  environment: { ...files.environment, SITES_DOMAIN: 'sites.test' },
  isAlone: true,
})

/** Opens a connection and finishes its handshake. */
function handshake(port: number, options: { ALPNProtocols?: string[] } = {}): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false, ...options }, () =>
      resolve(socket),
    )
    socket.once('error', reject)
  })
}

/** Returns the fingerprint of the certificate that a new connection gets. */
async function shown(port: number): Promise<string> {
  const socket = await handshake(port)
  const { fingerprint256 } = socket.getPeerCertificate()
  socket.destroy()
  return fingerprint256
}

/** Makes the server read the files, as it does every ten seconds. */
const look = (times = 1) => Array.from({ length: times }, () => holdfast.server.https?.reload())
const alerts = async () =>
  (await statsFor(holdfast, holdfast.admin.withSession)).alerts
    .map(({ type }): string => type)
    .filter((type) => type.startsWith('certificate'))

describe('a server with TLS_CERT and TLS_KEY', () => {
  test('serves files over HTTPS, with secure cookies and Strict-Transport-Security', async () => {
    const { url } = await holdfast.api.upload('a.txt', 'over TLS')
    const response = await holdfast.fetch(`/${url}`)

    expect(await response.text()).toBe('over TLS')
    expect(response.headers.get('strict-transport-security')).toBe('max-age=31536000')
    expect(holdfast.cookie).toStartWith('__Secure-')
    expect(await alerts()).toEqual([])
  })

  test('keeps browsers of a site with HTTPS for a day', async () => {
    const { folderId } = await holdfast.api.upload('index.html', 'start', 'www')
    await holdfast.api.data('POST', '/sites', { folderId, name: 'www' })
    const hsts = async (path: string) => {
      const response = await holdfast.fetch(path, { headers: { Host: 'www.sites.test' } })
      return [response.status, response.headers.get('strict-transport-security')]
    }

    expect(await hsts('/')).toEqual([200, 'max-age=86400'])
    expect(await hsts('/')).toEqual([200, 'max-age=86400'])
    expect(await hsts('/none')).toEqual([404, 'max-age=86400'])
  })

  test('opens a site with a password by a cookie that only its host may set, over HTTPS', async () => {
    const { api } = holdfast
    const password = 'low tide at noon'
    await api.upload('index.html', 'inside', 'locked')
    await api.data('POST', '/sites', { folder: 'locked', name: 'locked', password })
    const at = (path: string, init: RequestInit = {}) =>
      holdfast.fetch(path, {
        ...init,
        redirect: 'manual',
        headers: { ...(init.headers as Record<string, string>), Host: 'locked.sites.test' },
      })
    const body = new URLSearchParams({ password, to: '/' })
    const opened = await at('/.holdfast/open', { method: 'POST', body })
    const [pair = '', ...attributes] = (opened.headers.get('set-cookie') ?? '').split('; ')
    expect(pair).toStartWith('__Host-site=')
    expect(attributes.sort()).toEqual(['HttpOnly', 'Max-Age=43200', 'Path=/', 'SameSite=Lax', 'Secure'])

    const inside = await at('/', { headers: { Cookie: pair } })
    expect([inside.status, await inside.text()]).toEqual([200, 'inside'])
    // A page of another host of the domain could set this one.
    const planted = await at('/', { headers: { Cookie: pair.replace('__Host-', '') } })
    expect(planted.status).toBe(401)
    for (const response of [opened, inside, planted])
      expect(response.headers.get('strict-transport-security')).toBe('max-age=86400')
  })

  test('speaks HTTP/1.1 only', async () => {
    const socket = await handshake(holdfast.port, { ALPNProtocols: ['h2', 'http/1.1'] })
    socket.destroy()

    expect(socket.alpnProtocol).toBe('http/1.1')
    expect(handshake(holdfast.port, { ALPNProtocols: ['h2'] })).rejects.toThrow()
  })

  test('gives a new certificate to new connections, and keeps those that are open', async () => {
    const [before, open] = [await shown(holdfast.port), await handshake(holdfast.port)]
    files.write(selfSigned(['holdfast.test']))
    expect(await shown(holdfast.port)).toBe(before)
    look()

    const received: Buffer[] = []
    open.on('data', (chunk: Buffer) => received.push(chunk))
    open.write(requestText('/api/health'))
    await eventually(() => Buffer.concat(received).includes('Holdfast is running'))
    open.destroy()
    expect(await shown(holdfast.port)).not.toBe(before)
  })

  test('keeps browsers of a site with HTTPS for a year once a certificate was renewed', async () => {
    const { folderId } = await holdfast.api.upload('index.html', 'start', 'renewed')
    await holdfast.api.data('POST', '/sites', { folderId, name: 'renewed' })
    files.write(selfSigned(['holdfast.test']))
    look()
    for (const path of ['/', '/', '/none']) {
      const response = await holdfast.fetch(path, { headers: { Host: 'renewed.sites.test' } })
      expect(response.headers.get('strict-transport-security')).toBe('max-age=31536000')
    }
  })

  test('keeps its certificate while the files are broken, and shows an alert', async () => {
    const { cert, key } = selfSigned(['holdfast.test'])
    const before = await shown(holdfast.port)
    const logged = () => holdfast.logged.filter(({ message }) => message.includes('cannot be used')).length
    const [linesBefore, other] = [logged(), selfSigned(['b'])]

    for (const broken of [
      { cert, key: other.key },
      { cert: '', key },
      { cert: `${cert}\n${cert.slice(0, 200)}`, key },
    ]) {
      files.write(broken)
      // Another program may be between the two files.
      look()
      expect(await alerts()).toEqual([])
      look(3)
      expect(await alerts()).toEqual(['certificate-unusable'])
      expect(await shown(holdfast.port)).toBe(before)
    }
    files.write({ cert, key })
    look()

    expect(await alerts()).toEqual([])
    expect(await shown(holdfast.port)).not.toBe(before)
    expect(logged() - linesBefore).toBe(3)
  })

  test.each([
    ['ends in a few days', 6, ['certificate-expiring']],
    ['has ended', -0.01, ['certificate-expiring']],
    ['ends later', 8, []],
  ])('shows an alert about a certificate that %s', async (_, days, expected) => {
    files.write(selfSigned(['holdfast.test'], { days, from: -60 }))
    look()

    expect(await alerts()).toEqual(expected)
  })

  test('loses no request while the certificate is renewed', async () => {
    let isOver = false
    let answered = 0
    const client = async (keepalive: boolean) => {
      for (; !isOver; answered += 1) {
        const headers: Record<string, string> = keepalive ? {} : { Connection: 'close' }
        expect((await holdfast.fetch('/api/health', { headers })).status).toBe(200)
      }
    }
    const clients = [true, true, false, false, false].map(client)
    for (let renewal = 0; renewal < 5; renewal += 1) {
      files.write(selfSigned(['holdfast.test']))
      const before = await shown(holdfast.port)
      look()
      expect(await shown(holdfast.port)).not.toBe(before)
      const soFar = answered
      await eventually(() => answered > soFar + 20)
    }
    isOver = true

    await Promise.all(clients)
  })
})

test('SIGHUP loads a new certificate', async () => {
  using own = certificateFiles('holdfast.test')
  await using server = await spawnHoldfast({ environment: own.environment })
  await eventually(() => server.output().includes('HTTPS is on port'))
  const port = Number(/HTTPS is on port (\d+)/.exec(server.output())?.[1])
  const before = await shown(port)
  own.write(selfSigned(['holdfast.test']))
  server.child.kill('SIGHUP')

  await eventually(async () => (await shown(port)) !== before)
})

test('a server does not start with a certificate that cannot be used', async () => {
  using own = certificateFiles('holdfast.test')
  own.write({ ...selfSigned(['a']), key: selfSigned(['b']).key })

  expect(startInside({ environment: own.environment })).rejects.toThrow(
    /cannot be used: the private key is not that of the certificate/,
  )
})

test.each([
  ['HTTPS_PORT is missing', { TLS_CERT: 'a.pem' }],
  ['TLS_CERT and TLS_KEY', { HTTPS_PORT: '0' }],
  ['TLS_CERT and TLS_KEY', { HTTPS_PORT: '0', TLS_KEY: 'a.pem' }],
  ['HTTPS_PORT must be a port number', { HTTPS_PORT: '65536', TLS_CERT: 'a.pem', TLS_KEY: 'b.pem' }],
  [
    'BASE_URL must begin with https',
    { HTTPS_PORT: '0', TLS_CERT: 'a', TLS_KEY: 'b', BASE_URL: 'http://a.b' },
  ],
])('a configuration is refused: %s', (problem, environment) => {
  expect(() => readConfig(environment)).toThrow(problem)
})
