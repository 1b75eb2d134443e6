import { expect, test } from 'bun:test'
import { createServer, type Socket } from 'node:net'
import { apiOf } from '../support/api.ts'
import { eventually } from '../support/eventually.ts'
import { dataOf } from '../support/holdfast.ts'
import { registerWith, spawnHoldfast } from '../support/process.ts'
import { openEach } from './instances.ts'

const each = openEach()

/** Serves five bytes of which the first connection gets two, and waits. */
async function startSource() {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    const sent = sockets.size === 1 ? 'he' : 'whole'
    socket.once('data', () => socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n${sent}`))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const stop = () => {
    for (const socket of sockets) socket.destroy()
    server.close()
  }
  return { port, requests: () => sockets.size, [Symbol.dispose]: stop }
}

test('another server fetches what a killed one was fetching, once its lease has ended', async () => {
  using source = await startSource()
  const environment = { ...each.nodes.environment, FETCH_ALLOW_PRIVATE: '127.0.0.0/8' }
  const killed = await spawnHoldfast({ environment })
  const { withKey } = await registerWith(killed)
  const body = { url: `http://127.0.0.1:${source.port}/a.txt`, folder: 'fetched', name: 'a.txt' }
  const begun = await killed.fetch('/api/files/fetch', {
    ...{ method: 'POST', body: JSON.stringify(body), headers: withKey },
  })
  const { id } = (await dataOf<{ fetch: { id: string } }>(begun)).fetch
  await eventually(() => source.requests() === 1)
  killed.child.kill('SIGKILL')
  await killed.child.exited

  await using other = await spawnHoldfast({ environment })
  const api = apiOf(other, { withKey })
  const now = async () => (await api.data<{ fetch: { state: string } }>('GET', `/files/fetch?id=${id}`)).fetch
  expect((await now()).state).toBe('running')
  await each.nodes.query('UPDATE fetches SET lease_until = 0')
  await eventually(async () => (await now()).state === 'done')
  expect((await api.list()).map(({ key, size }) => [key, size])).toEqual([['fetched/a.txt', 5]])
  expect(source.requests()).toBe(2)
})
