import { readdirSync, readlinkSync } from 'node:fs'
import type { Socket } from 'node:net'
import { growthDuring } from '../bench/memory.ts'
import { type Limit, MiB } from '../bench/report.ts'
import { becomes } from '../support/eventually.ts'
import { openSocket } from '../support/socket.ts'
import { growth, type LoadedServer, never, slowest, startLoaded, store, waitsDuring } from './server.ts'

/** Opens connections for `use` and destroys them afterwards. */
async function withSockets(
  port: number,
  count: number,
  use: (sockets: Socket[]) => Promise<void>,
): Promise<void> {
  const sockets: Socket[] = []
  try {
    while (sockets.length < count) {
      const socket = await openSocket(port)
      socket.on('error', () => {})
      sockets.push(socket)
    }
    await use(sockets)
  } finally {
    for (const socket of sockets) socket.destroy()
  }
}

const openFiles = ({ holdfast }: LoadedServer) => readdirSync(`/proc/${holdfast.child.pid}/fd`).length

/** Maximum uploads until the log is long enough for its checkpoint. */
const MAX_UPLOADS = 1000

/**
 * Uploads until the database's thread runs its first checkpoint. Its connection and its loop stay open, and must not
 * count for a load.
 */
async function startThread(loaded: LoadedServer): Promise<void> {
  const folder = `/proc/${loaded.holdfast.child.pid}/fd`
  const isLog = (name: string) => {
    try {
      return readlinkSync(`${folder}/${name}`).endsWith('.sqlite-wal')
    } catch {
      // It was closed in this moment.
      return false
    }
  }
  for (let n = 0; readdirSync(folder).filter(isLog).length < 2; n += 1) {
    if (n === MAX_UPLOADS) throw new Error('The thread of the database has not started')
    await store(loaded, `log-${n}`, new Uint8Array(1))
  }
}

/** Waits for clients to disconnect, then returns how many more files are open than `before`. */
async function leftOpen(loaded: LoadedServer, before: number): Promise<number> {
  await becomes(() => openFiles(loaded) <= before, 10)
  return Math.max(0, openFiles(loaded) - before)
}

const COUNT = 500
/** Data in chunks as small as their framing, the smallest that the server accepts. */
const TINY_CHUNKS = Buffer.from('5\r\nxxxxx\r\n'.repeat(20_000))

interface Crowd {
  what: string
  count: number
  /** Runs once a client is connected. */
  begin: (socket: Socket, index: number) => void
  /** Runs repeatedly for each client. */
  goOn: (socket: Socket) => void
  /** Limit of the growth of memory; 200 MiB by default. */
  memory?: number
}

/** Measures a server for other clients while a crowd is slow, and its open files afterwards. */
async function whileSlow(loaded: LoadedServer, crowd: Crowd, ms: number): Promise<Limit[]> {
  const { holdfast } = loaded
  const { pid } = holdfast.child
  const filesBefore = openFiles(loaded)
  let waited: number[] = []
  const grown = await growthDuring(pid, () =>
    withSockets(holdfast.port, crowd.count, async (sockets) => {
      waited = await waitsDuring(holdfast, '/api/health', async () => {
        sockets.forEach(crowd.begin)
        const end = performance.now() + ms
        while (performance.now() < end) {
          for (const socket of sockets) crowd.goOn(socket)
          await Bun.sleep(250)
        }
      })
    }),
  )
  return [
    ...slowest(`health beside ${crowd.what}`, waited, 50),
    growth(`memory for ${crowd.what}`, grown, crowd.memory ?? 200 * MiB),
    never(`files left open after ${crowd.what}`, await leftOpen(loaded, filesBefore)),
  ]
}

/** Loads a server with slow senders of headers and bodies, tiny chunks, stalled readers and idle connections. */
export async function loadSlowClients(ms: number): Promise<Limit[]> {
  await using loaded = await startLoaded({ MAX_CONNECTIONS_PER_ADDRESS: '0' })
  await startThread(loaded)
  const { holdfast, withKey } = loaded
  await store(loaded, 'huge', new Uint8Array(64 * MiB))
  const part = (index: number) =>
    `--b\r\nContent-Disposition: form-data; name="f"; filename="slow${index}"\r\n\r\n`
  const upload = (length: string, start: string) =>
    [
      'POST /api/files HTTP/1.1',
      'Host: x',
      `API-Key: ${withKey['API-Key']}`,
      length,
      'Content-Type: multipart/form-data; boundary=b',
      '',
      start,
    ].join('\r\n')
  const inChunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`
  const refused = Buffer.concat([
    Buffer.from(`POST /api/auth/sign-in/email HTTP/1.1\r\nHost: x\r\nContent-Length: ${2 * MiB}\r\n\r\n`),
    Buffer.alloc(2 * MiB),
  ])
  const crowds: Crowd[] = [
    {
      what: '600 senders of refused bodies of 2 MiB',
      count: 600,
      begin: (socket) => socket.write(refused),
      goOn: () => {},
      memory: 128 * MiB,
    },
    {
      what: `${COUNT} slow senders of headers`,
      count: COUNT,
      begin: (socket) => socket.write('GET /api/hosting/small HTTP/1.1\r\nHost: x\r\n'),
      goOn: (socket) => socket.write('X-A: b\r\n'),
    },
    {
      what: `${COUNT} slow senders of uploads`,
      count: COUNT,
      begin: (socket, index) => socket.write(upload('Content-Length: 1000000', part(index))),
      goOn: (socket) => socket.write('x'),
    },
    {
      what: '20 senders of tiny chunks',
      count: 20,
      begin: (socket, index) => socket.write(upload('Transfer-Encoding: chunked', inChunk(part(index)))),
      goOn: (socket) => {
        if (socket.writableLength === 0) socket.write(TINY_CHUNKS)
      },
    },
    {
      what: `${COUNT} stalled readers`,
      count: COUNT,
      begin: (socket) => {
        socket.pause()
        socket.write('GET /api/hosting/huge HTTP/1.1\r\nHost: x\r\n\r\n')
      },
      goOn: () => {},
    },
    { what: '1000 idle connections', count: 1000, begin: () => {}, goOn: () => {} },
  ]
  const limits: Limit[] = []
  for (const crowd of crowds) limits.push(...(await whileSlow(loaded, crowd, ms)))
  const stored = readdirSync(`${holdfast.dataPath}/tmp`).length
  return [...limits, never('uploads left in staging', stored)]
}

/** Sends a thousand requests on one connection before it reads. */
export async function loadPipeline(): Promise<Limit[]> {
  await using loaded = await startLoaded()
  const { holdfast } = loaded
  let bytes = 0
  const expected = 1000 * 20 * 1024
  const grown = await growthDuring(holdfast.child.pid, () =>
    withSockets(holdfast.port, 1, async ([socket]) => {
      const done = new Promise<void>((resolve) => {
        socket?.on('close', resolve)
        socket?.on('data', (chunk: Buffer) => {
          bytes += chunk.length
        })
      })
      socket?.write('GET /api/hosting/small HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(999))
      socket?.write('GET /api/hosting/small HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
      await done
    }),
  )
  return [
    never('bytes missing of 1,000 pipelined answers', Math.max(0, expected - bytes)),
    growth('memory for 1,000 pipelined requests', grown, 100 * MiB),
  ]
}
