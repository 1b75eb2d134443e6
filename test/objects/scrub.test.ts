import { expect, test } from 'bun:test'
import { TestClock } from '../support/holdfast.ts'
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
    'The object store has 1 object(s) that the database does not know: `holdfast verify` lists them',
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
