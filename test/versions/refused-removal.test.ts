import { expect, test } from 'bun:test'
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { makeRoom } from '../../src/store/trash/purge.ts'
import type { Api } from '../support/api.ts'
import { startInsideWithAccount } from '../support/fixture.ts'
import { type Inside, startInside } from '../support/holdfast.ts'
import { refuseRemovals } from '../support/refusing.ts'
import { trashOf } from '../support/trash.ts'

/** Starts a server whose disk refuses to remove versions, and a file with a version for each of `contents`. */
async function startRefusing(contents: readonly string[] = ['second']) {
  const holdfast = await startInsideWithAccount()
  const { api } = holdfast
  const folder = join(holdfast.dataPath, 'versions')
  const { id, folderId } = await api.upload('a.txt', 'first', 'deep')
  for (const body of contents) await api.replace(id, body)
  const refusing = refuseRemovals(folder)
  return {
    holdfast,
    api,
    id,
    folderId,
    left: () => readdirSync(folder),
    release: () => refusing[Symbol.dispose](),
    alerts: async () => {
      const { alerts } = await holdfast.bySession.data<{ alerts: { type: string; count: number }[] }>(
        'GET',
        '/stats',
      )
      return alerts.filter(({ type }) => type === 'unfinished').map(({ count }) => count)
    },
    [Symbol.asyncDispose]: () => holdfast[Symbol.asyncDispose](),
  }
}

type Removal = (world: { api: Api; id: string; folderId: string }) => Promise<unknown>

const REMOVALS: Record<string, Removal> = {
  'a delete of the file': ({ api, id }) => api.data('DELETE', '/files', { id }),
  'a delete of its folder': ({ api, folderId }) => api.data('DELETE', '/folders', { id: folderId }),
  'a removal of the file from the trash': async ({ api, id }) => {
    await trashOf(api).put({ fileIds: [id] })
    await trashOf(api).remove(id)
  },
  'a removal of the version': async ({ api, id }) => {
    const { versions } = await api.data<{ versions: { id: string }[] }>('GET', `/files/versions?id=${id}`)
    await api.data('DELETE', `/files/versions?id=${versions[0]?.id}`)
  },
}

const finish = ({ server }: Inside) => server.deps.store.finishLeftovers()

for (const [name, remove] of Object.entries(REMOVALS))
  test(`${name} stands although the disk refuses the bytes of its version, which go later`, async () => {
    await using world = await startRefusing()

    await remove(world)

    expect(world.left()).toHaveLength(1)
    expect(await world.alerts()).toEqual([1])
    await finish(world.holdfast)
    const messages = world.holdfast.logged.map(({ message }) => message)
    expect(messages.filter((message) => message.includes('in the folder "versions"'))).toHaveLength(1)

    world.release()
    await finish(world.holdfast)

    expect(world.left()).toEqual([])
    expect(await world.alerts()).toEqual([])
  })

test('a disk that is short and refuses the bytes of versions costs one version, and nothing of the trash', async () => {
  await using world = await startRefusing(['second', 'third', 'fourth'])
  const { api, id, holdfast } = world
  const trash = trashOf(api)
  const { id: other } = await api.upload('other.txt', 'x')
  await trash.put({ fileIds: [other] })
  const { store, ...deps } = holdfast.server.deps

  for (let turn = 0; turn < 3; turn += 1)
    await makeRoom({ ...deps, store: { ...store, isShort: () => true } })

  const { versions } = await api.data<{ versions: unknown[] }>('GET', `/files/versions?id=${id}`)
  expect(versions).toHaveLength(2)
  expect((await trash.list()).total).toBe(1)
  world.release()
})

test('bytes that cannot be removed block neither others nor a start', async () => {
  await using first = await startInsideWithAccount()
  const { api } = first
  const folder = join(first.dataPath, 'versions')
  const ids: string[] = []
  for (const name of ['a.txt', 'b.txt']) {
    const { id } = await api.upload(name, 'first')
    await first.api.replace(id, 'second')
    ids.push(id)
  }
  const { versions } = await api.data<{ versions: { id: string }[] }>('GET', `/files/versions?id=${ids[0]}`)
  const blocked = join(folder, versions[0]?.id ?? '')
  rmSync(blocked)
  mkdirSync(blocked)

  for (const id of ids) await api.data('DELETE', '/files', { id })

  expect(readdirSync(folder)).toEqual([versions[0]?.id ?? ''])
  await first.stop()
  await using second = await startInside({ dataPath: first.dataPath })
  expect(second.logged.map(({ message }) => message)).toContain(
    'Leftovers in the folder "versions" could not be removed',
  )
  expect((await second.fetch('/api/health')).status).toBe(200)
})
