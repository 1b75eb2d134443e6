import { expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Api } from '../support/api.ts'
import { apiOf } from '../support/api.ts'
import { type Inside, register, startInside } from '../support/holdfast.ts'
import { refuseRemovals } from '../support/refusing.ts'
import { trashOf } from '../support/trash.ts'

/** A server whose disk keeps the bytes of versions, and a file with one. */
async function startRefusing() {
  const holdfast = await startInside()
  const account = await register(holdfast)
  const api = apiOf(holdfast, account)
  const folder = join(holdfast.dataPath, 'versions')
  const { id, folderId } = await api.upload('a.txt', 'first', 'deep')
  const headers = account.withKey
  await holdfast.fetch(`/api/files/content?id=${id}`, { method: 'PUT', body: 'second', headers })
  const refusing = refuseRemovals(folder)
  return {
    holdfast,
    api,
    id,
    folderId,
    left: () => readdirSync(folder),
    release: () => refusing[Symbol.dispose](),
    alerts: async () => {
      const stats = await holdfast.fetch('/api/stats', { headers: { Cookie: account.cookie } })
      const { data } = (await stats.json()) as { data: { alerts: { type: string; count: number }[] } }
      return data.alerts.filter(({ type }) => type === 'unfinished').map(({ count }) => count)
    },
    [Symbol.asyncDispose]: () => holdfast.stop(),
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
