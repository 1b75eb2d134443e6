import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import type { Transport } from '../../src/transport/listen.ts'
import { selfSigned } from '../support/certificates.ts'
import { eventually } from '../support/eventually.ts'
import { type Conversation, converse } from '../support/socket.ts'
import { head, listenBare } from './bare.ts'

const LIMIT = 5
const pair = selfSigned(['holdfast.test'])
const errors: unknown[] = []
let now = 0
/** Number of times that the server looked at the clock. */
let looks = 0
let transport: Transport
let port = 0
beforeAll(() => {
  transport = listenBare({
    tls: { port: 0, certificate: () => pair, plain: () => ({}) },
    connectionLimits: { all: 0, each: LIMIT, clientOf: (address) => address },
    onError: (error) => errors.push(error),
    monotonic: () => {
      looks += 1
      return now
    },
    silenceMs: 40,
  })
  port = transport.tlsPort ?? 0
})
afterAll(() => transport.stop(0))
beforeEach(() => errors.splice(0))

const isServed = async () => {
  const options = { headers: { Connection: 'close' }, tls: { rejectUnauthorized: false } }
  return (await fetch(`https://127.0.0.1:${port}/`, options).catch(() => undefined))?.status === 200
}
const closedOf = (clients: readonly Conversation[]) => clients.filter(({ socket }) => socket.destroyed).length

/** First record of a handshake: a ClientHello of 512 bytes, of which the first five follow. */
const HALF_HELLO = Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03])

test.each([
  ['say nothing', Buffer.alloc(0)],
  ['send half of their handshake', HALF_HELLO],
])('clients that %s count toward the limit, and are cut after ten seconds', async (_, bytes) => {
  const clients = await Promise.all(Array.from({ length: LIMIT + 3 }, () => converse(port, bytes)))
  await eventually(() => closedOf(clients) === 3)
  expect(await isServed()).toBe(false)

  now += 9999
  const before = looks
  await eventually(() => looks > before + 2)
  expect(closedOf(clients)).toBe(3)
  now += 1
  await Promise.all(clients.map(({ closed }) => closed))

  await eventually(isServed)
  expect(errors).toEqual([])
})

test.each([
  ['plain HTTP', head('GET / HTTP/1.1', 'Host: a')],
  ['noise', Buffer.alloc(4096, 0xa5)],
])('a client that sends %s to the port for TLS is cut, and nothing is logged', async (_, bytes) => {
  const received = await (await converse(port, bytes)).closed

  expect(received.toString('latin1')).not.toContain('HTTP/1.1 200')
  await eventually(isServed)
  expect(errors).toEqual([])
})

test('clients that leave within their handshake give their places back', async () => {
  for (let round = 0; round < 3; round += 1) {
    const clients = await Promise.all(Array.from({ length: LIMIT }, () => converse(port, HALF_HELLO)))
    for (const [n, { socket }] of clients.entries()) n % 2 === 0 ? socket.destroy() : socket.resetAndDestroy()
    await eventually(isServed)
  }
  expect(errors).toEqual([])
})

test('a server that stops cuts those within their handshake', async () => {
  const other = listenBare({ tls: { port: 0, certificate: () => pair, plain: () => ({}) } })
  const { closed } = await converse(other.tlsPort ?? 0, HALF_HELLO)
  await other.stop(1000)

  expect((await closed).length).toBe(0)
})

test('without a certificate, connections for TLS are closed and count for nothing', async () => {
  const limits = { all: 1, each: 0, clientOf: (address: string) => address }
  const tls = { port: 0, certificate: () => undefined, plain: () => ({}) }
  const other = listenBare({ tls, connectionLimits: limits })
  for (let n = 0; n < 3; n += 1) await (await converse(other.tlsPort ?? 0)).closed

  expect((await fetch(`http://127.0.0.1:${other.port}/`)).status).toBe(200)
  await other.stop(0)
})
