import { beforeAll, describe, expect, test } from 'bun:test'
import { Reach } from '../../src/store/store.ts'
import { listResponse, toFileList } from '../../src/views/lists.ts'
import { createPages } from '../../src/views/pages.ts'
import { withInside } from '../support/fixture.ts'
import { trashOf } from '../support/trash.ts'

const holdfast = withInside()

const folders: Record<string, string> = {}

beforeAll(async () => {
  for (const key of ['family', 'other']) folders[key] = (await holdfast.api.createFolder(key)).id
  await holdfast.api.upload('inside.txt', 'x', 'family', 'private')
})

describe('a cached list of a limited caller', () => {
  const list = toFileList({ limit: 100 }, {})
  /** Returns a function that reads the list of a guest by way of the cache, and the number of times it was made. */
  const reading = () => {
    const { deps } = holdfast.server
    const pages = createPages(deps)
    const reach = new Reach({ grants: [{ folderId: folders['family'] ?? '', rights: ['read'] }] })
    const read = { made: 0, list: async (): Promise<string> => '' }
    read.list = async () => {
      const counted: typeof pages = (page) => {
        const make = () => {
          read.made += 1
          return page.make()
        }
        return pages({ ...page, make })
      }
      const reader = { ...deps, store: deps.store.within(reach), pages: counted }
      const response = await listResponse(reader, new Request('http://holdfast.test/'), list)
      return response.text()
    }
    return read
  }

  test('stays while others upload elsewhere', async () => {
    const kept = reading()
    const before = await kept.list()
    await holdfast.api.upload('elsewhere.txt', 'x', 'other', 'private')
    await holdfast.api.upload('elsewhere.txt', 'x', 'other/new', 'private')
    expect(await kept.list()).toBe(before)
    expect(kept.made).toBe(1)
  })

  test('is read again after each change that it shows', async () => {
    const { api } = holdfast
    const trash = trashOf(api)
    const { id } = await api.upload('kept.txt', 'x', 'family', 'private')
    const away = await api.upload('away.txt', 'x', 'other', 'private')
    const { id: deep } = await api.createFolder('family/deep')
    const { id: outer } = await api.createFolder('outer/below')
    await api.upload('in outer.txt', 'x', 'outer/below', 'private')
    const inTrash = async () => (await trash.list()).items[0]?.id ?? ''
    const changes: Record<string, () => Promise<unknown>> = {
      'a new file': () => api.upload('new.txt', 'x', 'family', 'private'),
      'a new file in a new folder': () => api.upload('new.txt', 'x', 'family/made/now', 'private'),
      'another name': () => api.data('PUT', '/files', { id, name: 'renamed.txt' }),
      'another visibility': () => api.data('PUT', '/files', { id, visibility: 'public' }),
      'a file that moves in': () => api.data('POST', '/files/move', { id: away.id, folderId: deep }),
      'a copy': () => api.data('POST', '/files/copy', { fileIds: [id], folderId: deep }),
      'a folder that moves in': () => api.data('POST', '/folders/move', { id: outer, folderId: deep }),
      'another name of a folder': () => api.data('PUT', '/folders', { id: deep, name: 'deeper' }),
      'another name of the folder itself': () =>
        api.data('PUT', '/folders', { id: folders['family'], name: 'clan' }),
      'another visibility of all in a folder': () =>
        api.data('PUT', '/folders', { id: folders['family'], visibility: 'public' }),
      'a folder that moves out': () =>
        api.data('POST', '/folders/move', { id: outer, folderId: folders['other'] }),
      'a file in the trash': () => trash.put({ fileIds: [id] }),
      'a file that is restored': async () => trash.restore(await inTrash()),
      'a folder in the trash': () => trash.put({ folderIds: [deep] }),
      'a folder that is restored': async () => trash.restore(await inTrash()),
      'a file deleted for good': () => api.data('DELETE', '/files', { ids: [id] }),
      'a folder deleted for good': () => api.data('DELETE', '/folders', { id: deep }),
      'the folder itself in the trash': () => trash.put({ folderIds: [folders['family'] ?? ''] }),
      'the folder itself restored': async () => trash.restore(await inTrash()),
      'the old name of the folder': () =>
        api.data('PUT', '/folders', { id: folders['family'], name: 'family' }),
    }
    const kept = reading()
    let before = await kept.list()
    for (const [what, change] of Object.entries(changes)) {
      await change()
      const after = await kept.list()
      expect({ what, isOther: after !== before }).toEqual({ what, isOther: true })
      expect({ what, list: after }).toEqual({ what, list: await reading().list() })
      before = after
    }
  })
})
