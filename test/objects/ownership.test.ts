import { afterEach, beforeEach, expect, test } from 'bun:test'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { startAgain, startInsideWithAccount } from '../support/fixture.ts'
import { type Inside, startInside, TestClock } from '../support/holdfast.ts'
import { S3Store } from '../support/s3-store.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { sweep, variablesOf } from './store.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

let store: S3Store
let clock: TestClock
let folder: ReturnType<typeof temporaryFolder>

beforeEach(async () => {
  store = await S3Store.start()
  clock = new TestClock()
  folder = temporaryFolder()
})
afterEach(async () => {
  await store.stop()
  folder[Symbol.dispose]()
})

/** Returns the options of the instance in a data folder. */
const optionsOf = (name: string) => ({
  dataPath: join(folder.path, name),
  clock,
  environment: variablesOf(store),
})
const start = (name: string): Promise<Inside> => startInside(optionsOf(name))

const blobCount = () => [...store.objects.keys()].filter((key) => key.startsWith('blobs/')).length

const contested = ({ securityLines }: Inside) =>
  securityLines.filter(({ message }) => message.includes('another server uses the objects')).length

/** Starts an instance with a file that was deleted more than an hour ago. */
async function startWithDeleted() {
  const holdfast = await startInsideWithAccount(optionsOf('original'))
  const { api } = holdfast
  const file = await api.upload('deleted', 'deleted')
  await api.upload('stays', 'stays')
  await api.data('DELETE', '/files', { id: file.id })
  clock.advance(HOUR_MS)
  return holdfast
}

test('objects are removed once a server has had them for a while', async () => {
  const holdfast = await startWithDeleted()
  await holdfast.stop()
  const again = await start('original')
  await sweep(again)
  expect(blobCount()).toBe(2)
  clock.advance(5 * MINUTE_MS)
  await sweep(again)
  expect(blobCount()).toBe(1)
  await again.stop()
})

test('neither a server nor a copy of its data folder beside it removes objects, until one is restarted alone', async () => {
  const holdfast = await startWithDeleted()
  const shared = await holdfast.api.upload('shared', 'shared')
  await holdfast.stop()
  cpSync(join(folder.path, 'original'), join(folder.path, 'copy'), { recursive: true })
  const original = await start('original')
  const copy = await startAgain(holdfast, optionsOf('copy'))
  await copy.api.data('DELETE', '/files', { id: shared.id })

  for (let minutes = 0; minutes < 90; minutes++) {
    for (const each of [original, copy]) await sweep(each)
    clock.advance(MINUTE_MS)
  }

  expect(blobCount()).toBe(3)
  expect([contested(original), contested(copy)]).toEqual([1, 1])
  await copy.stop()
  await original.stop()
  const alone = await start('original')
  clock.advance(5 * MINUTE_MS)
  await sweep(alone)
  expect(blobCount()).toBe(2)
  await alone.stop()
})

test('a server whose store was away at its start removes objects later', async () => {
  const holdfast = await startWithDeleted()
  await holdfast.stop()
  store.fault = () => ({ status: 503 })
  const again = await start('original')
  await sweep(again)
  store.fault = () => undefined
  await sweep(again)
  expect(blobCount()).toBe(2)
  clock.advance(5 * MINUTE_MS)
  await sweep(again)
  expect(blobCount()).toBe(1)
  await again.stop()
})

test('a server that may only read starts, and removes nothing', async () => {
  const holdfast = await startWithDeleted()
  await holdfast.stop()
  store.fault = ({ method }) => (method === 'GET' ? undefined : { status: 403, code: 'AccessDenied' })
  const again = await start('original')
  clock.advance(HOUR_MS)
  await sweep(again)
  store.fault = () => undefined
  expect(blobCount()).toBe(2)
  await again.stop()
})
