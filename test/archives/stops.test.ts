import { beforeAll, expect, test } from 'bun:test'
import type { Socket } from 'node:net'
import { eventually } from '../support/eventually.ts'
import { withInside } from '../support/fixture.ts'
import { KIND } from '../support/kind.ts'
import { plantFiles, plantFolders } from '../support/many-files.ts'
import { openSocket } from '../support/socket.ts'

const FILES = 50_000
/** Time slices of the walk that plans an archive of them. */
const SLICES = FILES / 100

const holdfast = withInside({ isAlone: true })
beforeAll(async () => {
  plantFiles(holdfast, 'many', FILES)
  plantFiles(holdfast, 'wide', 1)
  plantFolders(holdfast, 'wide', 2 * FILES)
})

const readers = () => holdfast.server.deps.store.readers.size

async function ask(path: string): Promise<{ socket: Socket; answer: () => string }> {
  const socket = await openSocket(holdfast.port)
  let answer = ''
  socket.on('error', () => {})
  socket.on('data', (chunk) => {
    answer += chunk
  })
  socket.write(`GET /api${path} HTTP/1.1\r\nHost: x\r\nAPI-Key: ${holdfast.key}\r\n\r\n`)
  return { socket, answer: () => answer }
}

/** Counts the time slices that long work takes from now on. */
function countSlices(): () => number {
  const { deps } = holdfast.server
  const { nextTurn } = deps
  let count = 0
  deps.nextTurn = () => {
    count += 1
    return nextTurn()
  }
  return () => count
}

test.each([
  '/folders/download?key=many',
  '/folders/checksums?key=many',
  '/files',
  '/folders/totals?key=wide',
  '/folders/sizes?key=wide',
])('the work for GET %s ends when its client disconnects', async (path) => {
  const count = countSlices()
  const { socket } = await ask(path)
  await eventually(() => readers() === 1)
  socket.destroy()

  await eventually(() => readers() === 0)
  expect(count()).toBeLessThan(SLICES / 2)
})

test('two archives are planned at a time, others wait, and beyond that requests get 503', async () => {
  const asked = await Promise.all(Array.from({ length: 80 }, () => ask('/folders/download?key=many')))
  const answered = () => asked.filter(({ answer }) => answer().includes('\r\n\r\n'))

  await eventually(() => answered().length >= 14)
  expect(readers()).toBeLessThanOrEqual(2)
  for (const { answer } of answered())
    expect(answer()).toMatch(
      /^HTTP\/1.1 503 .*\r\nretry-after: 1\r\n.*"Too many archives are being prepared/is,
    )

  for (const { socket } of asked) socket.destroy()
  await eventually(() => readers() === 0)
})

test('an archive frees each chunk of its plan after it has read it', async () => {
  for (const name of ['a', 'b']) await holdfast.api.upload(name, 'x', 'freed')
  const { store } = holdfast.server.deps
  const { createSpool } = store
  const taken: (Uint8Array | undefined)[] = []
  store.createSpool = () => {
    const spool = createSpool()
    const take = spool.take.bind(spool)
    spool.take = async () => {
      const bytes = await take()
      taken.push(bytes)
      return bytes
    }
    return spool
  }

  const archive = await holdfast.api.send('GET', '/folders/download?key=freed')
  store.createSpool = createSpool

  expect((await archive.bytes()).length).toBeGreaterThan(0)
  expect(taken.some((bytes) => bytes !== undefined)).toBe(true)
  expect(taken.map((bytes) => bytes?.length ?? 0)).toEqual(taken.map(() => 0))
})

test('the work to copy a folder of too many files yields, and ends at the limit', async () => {
  let turns = 0
  const watch = () => {
    if (readers() === 1) turns += 1
    watching = setImmediate(watch)
  }
  let watching = setImmediate(watch)

  const response = await holdfast.api.send('POST', '/files/copy', { folderIds: ['many'], folder: '' })

  clearImmediate(watching)
  const { data } = (await response.json()) as { data: { failed: { message: string }[] } }
  expect(data.failed.map(({ message }) => message)).toEqual([
    'A folder to copy may hold at most 10000 files and folders',
  ])
  expect(turns).toBeGreaterThan(SLICES / 10)
  // Turns pass as well while rows of PostgreSQL are on their way.
  if (KIND !== 'scale') expect(turns).toBeLessThan(SLICES / 2)
})
