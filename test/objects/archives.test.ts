import { expect, test } from 'bun:test'
import { unzipSync, zipSync } from 'fflate'
import { eventually } from '../support/eventually.ts'
import { startInsideWithAccount } from '../support/fixture.ts'
import { S3Store } from '../support/s3-store.ts'
import { variablesOf } from './store.ts'

const FILES = 40
/** Blobs that one archive opens ahead. */
const EACH_AHEAD = 8

test('an archive requests further blobs while the object store is slow to send one', async () => {
  const store = await S3Store.start()
  const environment = { ...variablesOf(store), CACHE_SIZE: '0' }
  await using holdfast = await startInsideWithAccount({ environment })
  const names = Array.from({ length: FILES }, (_, n) => `${n}.txt`)
  const archive = zipSync(Object.fromEntries(names.map((name) => [name, Buffer.from(name)])))
  await holdfast.api.sendBody('POST', '/folders/import?folder=many', archive)
  const download = (signal?: AbortSignal) =>
    holdfast.fetch('/api/folders/download?key=many', {
      headers: holdfast.withKey,
      ...(signal && { signal }),
    })
  const whole = Buffer.from(await (await download()).bytes())
  expect(names.every((name) => whole.includes(`many/${name}`))).toBe(true)

  // The first file of the archive: of several requests at once, any may arrive first.
  const { files } = await holdfast.api.browse({ key: 'many' })
  const { id } = files.find(({ name }) => name === '0.txt') ?? { id: '' }
  const first = `blobs/${holdfast.catalog.files.byId(id)?.blobId}`
  const requested = new Set<string>()
  store.fault = ({ method, key }) => {
    if (method !== 'GET' || !key.startsWith('blobs/')) return undefined
    requested.add(key)
    return key === first ? 'stall' : undefined
  }
  const leaving = new AbortController()
  const stalled = download(leaving.signal).catch(() => 'aborted')
  await eventually(() => requested.size === 1 + EACH_AHEAD)
  expect(requested).toContain(first)
  leaving.abort()
  expect(await stalled).toBe('aborted')
  await store.stop()
})

test('an archive leaves out a file whose object is known to be missing, until it is back', async () => {
  const store = await S3Store.start()
  const environment = { ...variablesOf(store), CACHE_SIZE: '0' }
  await using holdfast = await startInsideWithAccount({ environment })
  const { api } = holdfast
  await api.upload('a.bin', 'a'.repeat(3 * 1024 ** 2), 'many')
  const lost = await api.upload('lost.txt', 'lost', 'many')
  await api.upload('z.txt', 'z', 'many')
  const { scrub, files } = holdfast.server.deps.store
  const key = `blobs/${(await files.byId(lost.id))?.blobId}`
  const object = store.objects.get(key)
  store.objects.delete(key)
  await scrub.lookAgain()
  const paths = async () => {
    const response = await api.send('GET', '/folders/download?key=many')
    return Object.keys(unzipSync(await response.bytes()))
  }

  expect(await paths()).toEqual(['many/', 'many/a.bin', 'many/z.txt'])
  if (object) store.objects.set(key, object)
  expect(await paths()).toEqual(['many/', 'many/a.bin', 'many/lost.txt', 'many/z.txt'])
  await store.stop()
})
