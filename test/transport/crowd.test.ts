import { afterEach, describe, expect, test } from 'bun:test'
import type { Socket } from 'node:net'
import { affordableConnections, Crowd, type CrowdLimits } from '../../src/transport/crowd.ts'
import { requestText } from '../hosting/wire.ts'
import { eventually } from '../support/eventually.ts'
import { startHoldfast } from '../support/holdfast.ts'
import { openSocket, parseAnswer } from '../support/socket.ts'

const sockets: Socket[] = []
const closeAll = () => {
  for (const socket of sockets.splice(0)) socket.destroy()
}
afterEach(closeAll)

/** Opens a connection; the server may close it before the client knows that it is open. */
async function openOrRefused(port: number): Promise<Socket | undefined> {
  const socket = await openSocket(port).catch(() => undefined)
  socket?.on('error', () => {})
  if (socket) sockets.push(socket)
  return socket
}

/** Opens a connection and returns true when a request over it gets a response. */
async function isServed(port: number): Promise<boolean> {
  const socket = await openOrRefused(port)
  if (!socket) return false
  return new Promise((resolve) => {
    socket.on('data', (bytes: Buffer) => resolve(parseAnswer(bytes).status === 200))
    socket.on('close', () => resolve(false))
    socket.write(requestText('/api/health'))
  })
}

async function served(port: number, count: number): Promise<number> {
  let answered = 0
  for (let n = 0; n < count; n += 1) if (await isServed(port)) answered += 1
  return answered
}

test.each([['MAX_CONNECTIONS'], ['MAX_CONNECTIONS_PER_ADDRESS']])(
  'connections past %s are refused until others close',
  async (variable) => {
    await using holdfast = await startHoldfast({ environment: { [variable]: '5' } })

    expect(await served(holdfast.port, 8)).toBe(5)

    closeAll()
    await eventually(async () => {
      const count = await served(holdfast.port, 5)
      closeAll()
      return count === 5
    })
  },
)

test.each([
  [{ MAX_CONNECTIONS_PER_ADDRESS: '5', TRUST_PROXY: '127.0.0.1' }],
  [{ MAX_CONNECTIONS_PER_ADDRESS: '0' }],
  [{ MAX_CONNECTIONS: '0' }],
])('connections are not limited with %j', async (environment) => {
  await using holdfast = await startHoldfast({ environment })

  expect(await served(holdfast.port, 8)).toBe(8)
})

describe('a crowd', () => {
  const clientOf = (address: string) => (address === 'proxy' ? undefined : address)
  const limits: CrowdLimits = { all: 4, each: 2, clientOf }

  test('counts each client and all of them, and what leaves makes room', () => {
    const crowd = new Crowd(limits)

    const entered = ['a', 'a', 'a', 'b', 'proxy', 'c'].map((address) => crowd.enter(address))

    expect(entered).toEqual([true, true, false, true, true, false])
    crowd.leave('a')
    expect(['a', 'a'].map((address) => crowd.enter(address))).toEqual([true, false])
  })

  test.each([
    [256, 96],
    [1024, 480],
    [128, 32],
    [64, 16],
    [2, 1],
    [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY],
  ])('that may open %p files takes at most %p connections', (files, connections) => {
    expect(affordableConnections(false, files)).toBe(connections)
  })

  test('that has an object store opens files for it, too', () => {
    expect(affordableConnections(true, 1024)).toBe(400)
  })
})
