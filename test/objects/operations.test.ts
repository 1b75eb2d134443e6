import { describe, expect, test } from 'bun:test'
import { eventually } from '../support/eventually.ts'
import { TestClock } from '../support/holdfast.ts'
import { trashOf } from '../support/trash.ts'
import { begin, sendBegin, sendPiece } from '../uploads/tus.ts'
import { startOnObjects, sweep } from './store.ts'

const HOUR_MS = 3_600_000

describe('a file in an object store', () => {
  test('is served whole and in part, and its object stays when it is renamed and moved', async () => {
    await using instance = await startOnObjects()
    const { api, holdfast, store } = instance
    const content = 'some text '.repeat(1000)
    const file = await holdfast.api.upload('a.txt', content, 'one/two', 'public')
    const objects = [...store.objects.keys()]
    expect(objects).toHaveLength(1)

    expect(await api.hosted('one/two/a.txt')).toBe(content)
    const part = await holdfast.fetch('/api/hosting/one/two/a.txt', { headers: { Range: 'bytes=5-8' } })
    expect([part.status, await part.text()]).toEqual([206, 'text'])
    await api.data('PUT', '/files', { id: file.id, name: 'b.txt' })
    await api.data('POST', '/files/move', { id: file.id, folder: 'three' })
    const [folder] = (await api.browse()).folders.filter(({ name }) => name === 'three')
    await api.data('PUT', '/folders', { id: folder?.id, name: 'four' })

    expect(await api.hosted('four/b.txt')).toBe(content)
    expect(await api.hosted('one/two/a.txt')).toBe(404)
    expect([...store.objects.keys()]).toEqual(objects)
  })

  test('keeps its entity tag when it is renamed, and gets another with other bytes', async () => {
    await using instance = await startOnObjects()
    const { api, holdfast } = instance
    const file = await api.upload('a.txt', 'first')
    const tag = async () => (await holdfast.api.send('GET', `/files/download/${file.id}`)).headers.get('etag')
    const before = await tag()
    await api.data('PUT', '/files', { id: file.id, name: 'b.txt' })
    expect(await tag()).toBe(before)

    const replaced = await holdfast.fetch(`/api/files/content?id=${file.id}`, {
      method: 'PUT',
      body: 'other',
      headers: { ...holdfast.withKey, 'If-Match': before ?? '' },
    })

    expect(replaced.status).toBe(200)
    expect(await tag()).not.toBe(before)
  })

  test('of an upload in pieces is one object', async () => {
    await using instance = await startOnObjects()
    const { api, holdfast, store } = instance
    const path = await begin(holdfast, holdfast.withKey, {
      length: 8,
      fields: { filename: 'pieces.txt', visibility: 'public' },
    })
    await sendPiece(holdfast, holdfast.withKey, { path, offset: 0, body: 'half' })
    expect(store.objects.size).toBe(0)
    await sendPiece(holdfast, holdfast.withKey, { path, offset: 4, body: 'half' })

    expect(await api.hosted('pieces.txt')).toBe('halfhalf')
    expect(store.objects.size).toBe(1)
  })
})

describe('an object', () => {
  test('is removed an hour after its file, with those of the versions', async () => {
    const clock = new TestClock()
    await using instance = await startOnObjects({ clock })
    const { api, holdfast, store } = instance
    const file = await api.upload('a.txt', 'first')
    await holdfast.api.replace(file.id, 'second')
    await api.upload('b.txt', 'stays')
    expect(store.objects.size).toBe(3)
    await api.data('DELETE', '/files', { id: file.id })

    await sweep(holdfast)
    expect(store.objects.size).toBe(3)
    clock.advance(HOUR_MS)
    await sweep(holdfast)

    expect(store.objects.size).toBe(1)
    expect(await holdfast.server.deps.store.blobs.doomed(Number.MAX_SAFE_INTEGER, 9)).toEqual([])
  })

  test('stays while its file is in the trash, and goes with the trash', async () => {
    const clock = new TestClock()
    await using instance = await startOnObjects({ clock })
    const { api, holdfast, store } = instance
    const trash = trashOf(api)
    for (const name of ['a', 'b', 'c']) await api.upload(name, name, 'tree/deep')
    const [folder] = (await api.browse()).folders
    await trash.put({ folderIds: [folder?.id ?? ''] })
    clock.advance(2 * HOUR_MS)
    await sweep(holdfast)
    expect(store.objects.size).toBe(3)
    await trash.restore(folder?.id ?? '')
    expect((await api.list()).map(({ key }) => key).sort()).toEqual([
      'tree/deep/a',
      'tree/deep/b',
      'tree/deep/c',
    ])

    await trash.put({ folderIds: [folder?.id ?? ''] })
    await trash.empty()
    clock.advance(HOUR_MS)
    await sweep(holdfast)

    expect(store.objects.size).toBe(0)
  })

  test('goes with a deleted folder, whose name is free at once', async () => {
    const clock = new TestClock()
    await using instance = await startOnObjects({ clock })
    const { api, holdfast, store } = instance
    for (let n = 0; n < 300; n++) await api.upload(`${n}`, `${n}`, `tree/${n % 7}`)
    const [folder] = (await api.browse()).folders
    await api.data('DELETE', '/folders', { id: folder?.id })
    await api.upload('new', 'new', 'tree')

    clock.advance(HOUR_MS)
    await sweep(holdfast)

    expect(store.objects.size).toBe(1)
    expect(await holdfast.server.deps.store.trash.total()).toEqual({ count: 0, size: 0 })
    expect(await holdfast.server.deps.store.folders.detached()).toEqual([])
  })
})

test('an object that the store does not remove stays due, and the others are removed', async () => {
  const clock = new TestClock()
  await using instance = await startOnObjects({ clock })
  const { api, holdfast, store } = instance
  const { blobs, files } = holdfast.server.deps.store
  const file = await api.upload('held', 'held')
  const { blobId = '' } = (await files.byId(file.id)) ?? {}
  store.held.add(`blobs/${blobId}`)
  await api.data('DELETE', '/files', { id: file.id })
  const other = await api.upload('other', 'other')
  await api.data('DELETE', '/files', { id: other.id })
  clock.advance(HOUR_MS)
  await sweep(holdfast)
  expect([...store.objects.keys()]).toEqual([`blobs/${blobId}`])
  expect((await blobs.doomed(Number.MAX_SAFE_INTEGER, 9)).map(({ id }) => id)).toEqual([blobId ?? ''])

  store.held.clear()
  clock.advance(HOUR_MS)
  await sweep(holdfast)

  expect(store.objects.size).toBe(0)
  expect(await blobs.doomed(Number.MAX_SAFE_INTEGER, 9)).toEqual([])
})

test('an upload in pieces that the local disk has no room for is refused', async () => {
  await using instance = await startOnObjects({ environment: { MAX_UPLOAD_SIZE: '100tb' } })
  const { holdfast } = instance
  const { capacity } = holdfast.server.deps.store.space()
  const fields = { filename: 'large' }
  const refused = await sendBegin(holdfast, holdfast.withKey, { length: capacity, fields })
  expect(refused.status).toBe(507)
  const whole = { length: 1000, fields }
  expect((await sendBegin(holdfast, holdfast.withKey, whole)).status).toBe(201)
})

test('a copy ends when its client leaves', async () => {
  await using instance = await startOnObjects()
  const { holdfast, api, store } = instance
  const { id } = await api.upload('original', 'original')
  store.fault = ({ headers }) => (headers.has('x-amz-copy-source') ? 'stall' : undefined)
  const client = new AbortController()
  const copying = holdfast.fetch('/api/files/copy', {
    method: 'POST',
    body: JSON.stringify({ fileIds: [id], folder: 'copies' }),
    headers: { ...holdfast.withKey, 'Content-Type': 'application/json' },
    signal: client.signal,
  })
  await eventually(async () => store.requests.some(({ headers }) => headers.has('x-amz-copy-source')))

  client.abort()

  await copying.catch(() => {})
  const doomed = async () => holdfast.server.deps.store.blobs.doomed(Number.MAX_SAFE_INTEGER, 9)
  await eventually(async () => (await doomed()).length === 1)
})
