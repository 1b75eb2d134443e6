import { describe, expect, test } from 'bun:test'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { done } from '../../src/catalog/engine/query.ts'
import { eventually } from '../support/eventually.ts'
import { startInsideWithAccount } from '../support/fixture.ts'
import { startInside, TestClock } from '../support/holdfast.ts'
import { objectStoreAt } from '../support/objects.ts'
import { startOnObjects, sweep } from './store.ts'

const LIMITS = { maxBytes: 1024 ** 3, claim: () => {} }

async function* bytesOf(...chunks: string[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield Buffer.from(chunk)
}

describe('bytes that arrived before the server was killed', () => {
  test('are removed by the next start, small ones and parts of large ones', async () => {
    const instance = await startOnObjects()
    await using _ = instance
    const { holdfast, store } = instance
    const staging = await holdfast.server.deps.store.stage('killed')
    await staging.receive(bytesOf('small'), LIMITS)
    await staging.receive(bytesOf(...Array<string>(40).fill('x'.repeat(1024 ** 2))), LIMITS)
    await staging.sync()
    const unfinished = await holdfast.server.deps.store.stage('cut off')
    const cut = unfinished.receive(cutOff(), LIMITS)
    expect(cut).rejects.toThrow('cut off')
    await cut.catch(() => {})
    expect(store.objects.size).toBe(2)
    expect(store.uploads.size).toBe(1)
    await holdfast.stop()

    const next = await instance.restart()
    await sweep(next)

    expect([store.objects.size, store.uploads.size]).toEqual([0, 0])
    expect(await next.server.deps.store.blobs.after('', 9)).toEqual([])
    await next.stop()
  })

  test('cannot be published once another process gave them up', async () => {
    await using instance = await startOnObjects()
    const { holdfast, api } = instance
    const { store } = holdfast.server.deps
    const staging = await store.stage('paused')
    const staged = await staging.receive(bytesOf('late'), LIMITS)
    await staging.sync()
    await store.transact(() => store.blobs.doomAbandoned('another process', 0))

    const published = store.publishUpload({
      folders: [[]],
      files: [{ folder: [], name: 'late.txt', staged }],
      uploadedBy: holdfast.userId,
      decide: () => done({ visibility: 'public' }),
    })

    expect(published).rejects.toMatchObject({ reason: 'unavailable' })
    await published.catch(() => {})
    expect(await api.list()).toEqual([])
  })
})

async function* cutOff(): AsyncGenerator<Uint8Array> {
  for (let n = 0; n < 40; n++) yield Buffer.alloc(1024 ** 2)
  throw new Error('cut off')
}

test('bytes of a refused upload are removed', async () => {
  await using instance = await startOnObjects()
  const { holdfast, api, store } = instance
  await api.upload('taken.txt', 'first')
  expect(api.upload('taken.txt', 'second')).rejects.toThrow('exists in this folder already')
  await api.upload('taken.txt', 'second').catch(() => {})

  const doomed = await holdfast.server.deps.store.blobs.doomed(Number.MAX_SAFE_INTEGER, 9)

  expect(doomed.map(({ id }) => store.objects.has(`blobs/${id}`)).length).toBe(store.objects.size - 1)
})

describe('while the object store is away', () => {
  test('uploads and files that are not cached respond with 503, lists and cached files as ever', async () => {
    await using instance = await startOnObjects()
    const { holdfast, api, store } = instance
    const [cached, cold] = [await api.upload('cached', 'cached'), await api.upload('cold', 'cold')]
    const download = (id: string) => holdfast.api.send('GET', `/files/download/${id}`)
    const copyOf = async (id: string) => {
      const { blobId } = (await holdfast.server.deps.store.files.byId(id)) ?? {}
      return join(holdfast.dataPath, 'cache', blobId?.at(-1) ?? '', blobId ?? '')
    }
    await eventually(async () => existsSync(await copyOf(cached.id)) && existsSync(await copyOf(cold.id)))
    rmSync(await copyOf(cold.id))
    store.fault = () => 'hang up'

    const refused = await download(cold.id)

    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
    expect(await (await download(cached.id)).text()).toBe('cached')
    expect(api.upload('new', 'new')).rejects.toThrow()
    expect((await api.list()).map(({ name }) => name).sort()).toEqual(['cached', 'cold'])
    store.fault = () => undefined
    expect(await (await download(cold.id)).text()).toBe('cold')
  })
})

describe('a start', () => {
  test('serves although the object store refuses to remove objects that are due', async () => {
    const clock = new TestClock()
    await using instance = await startOnObjects({ clock })
    const { holdfast, store, api } = instance
    const file = await api.upload('gone', 'gone')
    await api.upload('stays', 'stays')
    await api.data('DELETE', '/files', { id: file.id })
    await holdfast.stop()
    clock.advance(2 * 3_600_000)
    store.fault = ({ method }) => (method === 'POST' ? { status: 403, code: 'AccessDenied' } : undefined)

    await using again = await instance.restart()

    expect((await again.api.list()).map(({ name }) => name)).toEqual(['stays'])
    expect(again.logged.map(({ message }) => message)).toContain(
      'Unfinished operations could not be finished',
    )
    expect(store.objects.size).toBe(2)
  })

  test('with another place for the bytes than they are in is refused', async () => {
    await using instance = await startOnObjects()
    const { holdfast, store, api } = instance
    const { dataPath } = holdfast
    await api.upload('a', 'a')
    await holdfast.stop()

    expect(startInside({ dataPath })).rejects.toThrow('are in the object store "bucket"')
    expect(
      startInside({ dataPath, objects: objectStoreAt(store.location, { prefix: 'other/' }) }),
    ).rejects.toThrow('not in "bucket/other/"')
  })

  test('on a data folder with files refuses an object store for them', async () => {
    await using instance = await startOnObjects()
    const embedded = await startInsideWithAccount()
    await embedded.api.upload('a', 'a')
    const { dataPath } = embedded
    await embedded.stop()

    expect(startInside({ dataPath, objects: objectStoreAt(instance.store.location) })).rejects.toThrow(
      'The bytes of all files are in the data folder',
    )
    rmSync(dataPath, { recursive: true })
  })
})
