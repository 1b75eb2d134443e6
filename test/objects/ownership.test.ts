import { afterEach, beforeEach, expect, test } from 'bun:test'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { apiOf } from '../support/api.ts'
import { type Inside, register, startInside, TestClock } from '../support/holdfast.ts'
import { S3Store } from '../support/s3-store.ts'
import { sweep } from './store.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

let store: S3Store
let clock: TestClock
let folder: string

beforeEach(async () => {
  store = await S3Store.start()
  clock = new TestClock()
  folder = mkdtempSync(join(tmpdir(), 'holdfast-'))
})

afterEach(async () => {
  await store.stop()
  rmSync(folder, { recursive: true })
})

function start(name: string): Promise<Inside> {
  const { endpoint, bucket, accessKeyId, secretAccessKey } = store.location
  return startInside({
    dataPath: join(folder, name),
    clock,
    environment: {
      S3_ENDPOINT: endpoint,
      S3_BUCKET: bucket,
      S3_ACCESS_KEY_ID: accessKeyId,
      S3_SECRET_ACCESS_KEY: secretAccessKey,
    },
  })
}

const blobCount = () => [...store.objects.keys()].filter((key) => key.startsWith('blobs/')).length

const contested = ({ securityLines }: Inside) =>
  securityLines.filter(({ message }) => message.includes('another server uses the objects')).length

/** Starts an instance with a file that was deleted more than an hour ago. */
async function startWithDeleted() {
  const holdfast = await start('original')
  const account = await register(holdfast)
  const api = apiOf(holdfast, account)
  const file = await api.upload('deleted', 'deleted')
  await api.upload('stays', 'stays')
  await api.data('DELETE', '/files', { id: file.id })
  clock.advance(HOUR_MS)
  return { holdfast, account, api }
}

test('objects are removed once a server has had them for a while', async () => {
  const { holdfast } = await startWithDeleted()
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
  const { holdfast, account, api } = await startWithDeleted()
  const shared = await api.upload('shared', 'shared')
  await holdfast.stop()
  cpSync(join(folder, 'original'), join(folder, 'copy'), { recursive: true })
  const original = await start('original')
  const copy = await start('copy')
  await apiOf(copy, account).data('DELETE', '/files', { id: shared.id })

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
  const { holdfast } = await startWithDeleted()
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
  const { holdfast } = await startWithDeleted()
  await holdfast.stop()
  store.fault = ({ method }) => (method === 'GET' ? undefined : { status: 403, code: 'AccessDenied' })
  const again = await start('original')
  clock.advance(HOUR_MS)
  await sweep(again)
  store.fault = () => undefined
  expect(blobCount()).toBe(2)
  await again.stop()
})
