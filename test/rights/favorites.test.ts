import { describe, expect, test } from 'bun:test'
import type { Favorite } from '../../src/client/index.ts'
import type { Api } from '../support/api.ts'
import { withInside } from '../support/fixture.ts'
import { addGuest, bindKey, newFolder, VIEW } from './guests.ts'

const holdfast = withInside()
const { api } = holdfast

const itemsOf = async (by: Api) => (await by.data<{ items: Favorite[] }>('GET', '/favorites')).items
const idsOf = async (by: Api) =>
  (await itemsOf(by)).map((item) => (item.kind === 'file' ? item.file : item.folder).id)

describe('a favorite outside the folders of its account', () => {
  test('is neither listed nor confirmed, and returns with the rights', async () => {
    const [top, other] = [await newFolder(holdfast), await newFolder(holdfast)]
    const below = await newFolder(holdfast, top.key)
    const file = await api.upload('in another.txt', 'x', other.key)
    const guest = await addGuest(holdfast, { [top.id]: VIEW, [other.id]: VIEW })
    const root = await holdfast.server.deps.store.folders.root()
    const all = { fileIds: [file.id], folderIds: [below.id, other.id] }
    await guest.api.data('PUT', '/favorites', all)
    const marked = await idsOf(guest.api)
    expect(marked).toHaveLength(3)

    await guest.limit({ [below.id]: VIEW })

    // The folder above is outside, and so is its id.
    expect(await itemsOf(guest.api)).toEqual([{ kind: 'folder', folder: { ...below, parentId: root } }])
    for (const method of ['PUT', 'DELETE'])
      expect(await guest.api.refusal(method, '/favorites', { fileIds: [file.id] })).toEqual([
        404,
        'File not found',
      ])
    await guest.limit({ [top.id]: VIEW, [other.id]: VIEW })
    expect(await idsOf(guest.api)).toEqual(marked)
  })

  test('is unknown to an API key for one folder', async () => {
    const folder = await newFolder(holdfast)
    const inside = await api.upload('inside.txt', 'x', folder.key)
    const outside = await api.upload('outside.txt', 'x')
    await api.data('PUT', '/favorites', { fileIds: [inside.id, outside.id] })

    expect(await idsOf(await bindKey(holdfast, folder.id))).toEqual([inside.id])
  })
})
