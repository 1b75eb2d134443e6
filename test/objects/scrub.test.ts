import { expect, test } from 'bun:test'
import { TestClock } from '../support/holdfast.ts'
import { trashOf } from '../support/trash.ts'
import { startOnObjects } from './store.ts'

const DAY_MS = 86_400_000

test('a file without its object is recorded as damaged until the object is there again', async () => {
  await using instance = await startOnObjects()
  const { holdfast, api, store } = instance
  const { scrub, integrity, files } = holdfast.server.deps.store
  const [lost] = [
    await api.upload('lost', 'lost'),
    await api.upload('kept', 'kept'),
    await api.upload('short', 'short'),
  ]
  const object = async (id: string) => `blobs/${(await files.byId(id))?.blobId}`
  const key = await object(lost.id)
  const stored = store.objects.get(key)
  store.objects.delete(key)

  await scrub.lookAgain()
  expect(await integrity.byFile(lost.id)).toMatchObject({ problem: 'bytes are missing' })
  expect(await integrity.summary()).toMatchObject({ files: 1 })
  if (stored) store.objects.set(key, { ...stored, bytes: Buffer.from('lo') })
  await scrub.lookAgain()
  expect(await integrity.byFile(lost.id)).toMatchObject({ problem: 'size differs' })
  if (stored) store.objects.set(key, stored)
  await scrub.lookAgain()

  expect(await integrity.summary()).toBeUndefined()
})

test('an object without a row is logged and stays, an upload without one is aborted', async () => {
  const clock = new TestClock()
  clock.advance(Date.now() - clock.now())
  await using instance = await startOnObjects({ clock })
  const { holdfast, api, store } = instance
  const { scrub } = holdfast.server.deps.store
  await api.upload('known', 'known')
  const [known = ''] = store.objects.keys()
  const [old, recent] = ['0'.repeat(12), 'f'.repeat(12)].map((time) => `blobs/${time}7${'0'.repeat(19)}`)
  const stored = store.objects.get(known)
  if (!stored || !old || !recent) throw new Error('nothing was stored')
  store.objects.set(old, { ...stored, modifiedAt: clock.now() - 3 * DAY_MS })
  store.objects.set(recent, { ...stored, modifiedAt: clock.now() })
  store.uploads.set('upload-lost', { key: old, parts: new Map() })

  await scrub.lookAgain()
  await scrub.lookAgain()

  expect(store.uploads.size).toBe(0)
  expect([...store.objects.keys()].sort()).toEqual([old, known, recent].sort())
  expect(holdfast.logged.map(({ message }) => message)).toEqual([
    'The object store has 1 object that the database does not know: `holdfast verify` lists them',
  ])
})

test('an emptied bucket is an error, and no file is recorded as damaged', async () => {
  await using instance = await startOnObjects()
  const { holdfast, api, store } = instance
  await api.upload('a', 'a')
  store.objects.clear()

  expect(holdfast.server.deps.store.scrub.lookAgain()).rejects.toThrow('has no object of this instance')
  await holdfast.server.deps.store.scrub.lookAgain().catch(() => {})
  expect(await holdfast.server.deps.store.integrity.summary()).toBeUndefined()
})

test('versions and files in the trash without their objects are recorded as damaged', async () => {
  await using instance = await startOnObjects()
  const { holdfast, api, store } = instance
  const { scrub, integrity } = holdfast.server.deps.store
  const file = await api.upload('a', 'first')
  await holdfast.api.replace(file.id, 'second')
  const trashed = await api.upload('b', 'trashed')
  await trashOf(api).put({ fileIds: [trashed.id] })
  await api.upload('c', 'stays')
  const all = [...store.objects]
  for (const [key, { bytes }] of all)
    if (['first', 'trashed'].includes(bytes.toString())) store.objects.delete(key)

  await scrub.lookAgain()
  expect(await integrity.summary()).toMatchObject({ files: 0, versions: 1, trash: 1 })
  for (const [key, stored] of all) store.objects.set(key, stored)
  await scrub.lookAgain()

  expect(await integrity.summary()).toBeUndefined()
})

test('an object with other bytes of the same length is recorded as damaged once it is read', async () => {
  const clock = new TestClock()
  await using instance = await startOnObjects({ clock })
  const { holdfast, api, store } = instance
  const { scrub, integrity } = holdfast.server.deps.store
  const { id } = await api.upload('a', 'first')
  const [key = ''] = store.objects.keys()
  const stored = store.objects.get(key)
  if (!stored) throw new Error('nothing was stored')
  store.objects.set(key, { ...stored, bytes: Buffer.from('other') })

  clock.advance(31 * DAY_MS)
  await scrub.advance()
  expect(await integrity.byFile(id)).toMatchObject({ problem: 'content differs' })
  await scrub.lookAgain()
  expect(await integrity.byFile(id)).toMatchObject({ problem: 'content differs' })
  store.objects.set(key, stored)
  await scrub.lookAgain()

  expect(await integrity.summary()).toBeUndefined()
})

test('a store that fails, or leaves objects out of its list, is no damage', async () => {
  await using instance = await startOnObjects()
  const { holdfast, api, store } = instance
  const { scrub, integrity } = holdfast.server.deps.store
  for (const name of ['a', 'b', 'c']) await api.upload(name, name)
  const [left = ''] = store.objects.keys()
  store.unlisted.add(left)
  await scrub.lookAgain()
  expect(await integrity.summary()).toBeUndefined()
  store.fault = ({ method, key }) => (method === 'HEAD' && key !== '' ? { status: 503 } : undefined)
  expect(scrub.lookAgain()).rejects.toThrow('not available')
  await scrub.lookAgain().catch(() => {})
  expect(await integrity.summary()).toBeUndefined()
})

test('a stop does not wait for a whole list', async () => {
  await using instance = await startOnObjects()
  const { holdfast, api, store } = instance
  for (let n = 0; n < 6; n++) await api.upload(`${n}`, `${n}`)
  store.pageSize = 1
  store.requests.length = 0
  let stopped: Promise<void> | undefined
  store.fault = ({ query }) => {
    if (query.has('list-type')) stopped ??= holdfast.server.deps.store.scrub.stop()
    return undefined
  }
  await holdfast.server.deps.store.scrub.lookAgain()
  await stopped
  expect(store.requests.length).toBeLessThan(4)
})
