import { Database } from 'bun:sqlite'
import { beforeAll, describe, expect, test } from 'bun:test'
import { statSync } from 'node:fs'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { eventually } from '../support/eventually.ts'
import { withInside } from '../support/fixture.ts'
import { plantFiles } from '../support/many-files.ts'
import { openFiles } from '../support/open-files.ts'
import { openSocket } from '../support/socket.ts'

const FILES = 20_000

const holdfast = withInside()
const { api } = holdfast
beforeAll(async () => {
  plantFiles(holdfast, 'many', FILES)
})

const database = () => join(holdfast.dataPath, 'db', 'holdfast.sqlite')

/** Sends a GET. The response waits until the socket is read. */
async function ask(path: string): Promise<Socket> {
  const socket = await openSocket(holdfast.port)
  socket.on('error', () => {})
  socket.pause()
  // An answer to HTTP/1.0 has no chunks: its bytes are the same however they were cut.
  socket.write(`GET /api${path} HTTP/1.0\r\nAPI-Key: ${holdfast.key}\r\n\r\n`)
  return socket
}

/** Writes the log back. Returns true when no reader prevented it. */
function isLogFree(): boolean {
  using other = new Database(database(), { readwrite: true })
  other.run('PRAGMA busy_timeout = 0')
  return other.query<{ busy: number }, []>('PRAGMA wal_checkpoint(TRUNCATE)').get()?.busy === 0
}

async function read(socket: Socket): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of socket) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

describe('a client that reads slowly', () => {
  test.each(['/files', '/folders?key=many', '/folders/checksums'])(
    'gets all of %s and keeps no snapshot open meanwhile',
    async (path) => {
      const whole = await read((await ask(path)).resume())
      const socket = await ask(path)

      await eventually(() => holdfast.server.deps.store.readers.size > 0)
      await eventually(() => holdfast.server.deps.store.readers.size === 0)
      await api.createFolder(`beside${path.replaceAll(/\W/g, '-')}`)
      await eventually(isLogFree)

      const bodyOf = (answer: string) => answer.slice(answer.indexOf('\r\n\r\n'))
      expect(Bun.hash(bodyOf(await read(socket)))).toBe(Bun.hash(bodyOf(whole)))
    },
  )

  test('gets all of an archive and keeps no snapshot open meanwhile', async () => {
    for (let n = 0; n < 12; n += 1) await api.upload(`f${n}`, 'x'.repeat(900_000), 'large')
    const socket = await ask('/folders/download?key=large')
    await eventually(() => socket.readableLength > 0)

    expect(holdfast.server.deps.store.readers.size).toBe(0)
    expect((await read(socket)).length).toBeGreaterThan(12 * 900_000)
  })

  test('releases everything when it disconnects', async () => {
    const sockets = await Promise.all(Array.from({ length: 5 }, () => ask('/files')))
    await eventually(() => holdfast.server.deps.store.readers.size > 0)
    await eventually(() => holdfast.server.deps.store.readers.size === 0)
    for (const socket of sockets) socket.destroy()

    const spools = () => openFiles().filter((path) => path.startsWith(join(holdfast.dataPath, 'tmp')))
    await eventually(() => spools().length === 0)
  })
})

test('many long lists at once share a few connections to the database', async () => {
  await api.upload('x', 'x', 'few')
  const before = databaseFiles()
  const answers = await Promise.all(
    Array.from({ length: 60 }, () => api.send('GET', '/folders/checksums?key=few')),
  )
  await Promise.all(answers.map((answer) => answer.text()))

  expect(databaseFiles() - before).toBeLessThanOrEqual(16)
})

const databaseFiles = () => openFiles().filter((path) => path.startsWith(database())).length

test('the keys of a list are those of one moment, whatever is renamed meanwhile', async () => {
  const { id } = await api.createFolder('before')
  for (const name of ['a', 'b']) await api.upload(name, 'x', 'before')
  const socket = await ask('/files?orderBy=name&orderDirection=desc')
  await eventually(() => holdfast.server.deps.store.readers.size > 0)
  await api.data('PUT', '/folders', { id, name: 'after' })

  const keys = [...(await read(socket)).matchAll(/"key":"(before|after)\//g)].map(([, name]) => name)
  expect(new Set(keys).size).toBe(1)
})

describe('the write-ahead log', () => {
  const size = () => statSync(`${database()}-wal`).size

  test('is written again from its start, also while clients read slowly', async () => {
    const sockets = await Promise.all(Array.from({ length: 5 }, () => ask('/files')))
    const { id } = await api.createFolder('renamed')
    for (let round = 0; round < 400; round += 1)
      await api.data('PUT', '/folders', { id, name: `renamed${round}` })
    for (const socket of sockets) socket.destroy()

    expect(size()).toBeLessThan(12 * 1024 ** 2)
  })
})
