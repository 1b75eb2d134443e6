import { beforeEach, describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { withInside } from '../support/fixture.ts'
import { type FileView, filesUnder, messageOf } from '../support/holdfast.ts'
import { expectNoIntents } from '../support/intents.ts'
import { REFUSED, refuseChanges, refuseRemovals } from '../support/refusing.ts'
import { heldFiles } from '../support/trash.ts'

const holdfast = withInside()
const { api, trash } = holdfast

let count = 0
let folder: string
let file: FileView
beforeEach(async () => {
  await trash.empty()
  folder = `place${count++}`
  file = await api.upload('a.txt', 'stays', folder)
})

const inData = (...names: string[]) => join(holdfast.dataPath, ...names)
const inUploads = (key: string) => inData('uploads', key)
/** Returns the path of the only item's folder in `trash/`. */
const entry = () => inData('trash', readdirSync(inData('trash'))[0] ?? '')

const replace = (body: string) => holdfast.api.replace(file.id, body)
const versions = async () =>
  (await api.data<{ versions: { id: string }[] }>('GET', `/files/versions?id=${file.id}`)).versions

const FOLDERS = ['uploads', 'tmp', 'trash', 'versions'] as const

/** Returns the state that a refused change must not alter. */
const everything = async () => ({
  disk: FOLDERS.map((name) => filesUnder(holdfast, name)),
  files: await api.list(),
  folders: (await api.browse()).folders,
  trash: (await trash.list()).items,
  versions: await versions().catch(() => []),
})

/** Runs a change on a disk that refuses it, and expects that nothing is different. */
async function expectNoChange(refusing: () => Disposable, change: () => Promise<unknown>): Promise<void> {
  const before = await everything()
  {
    using _refusing = refusing()
    await change()
  }
  expect(await everything()).toEqual(before)
  await expectNoIntents(holdfast)
}

const PLACES: [string, () => string][] = [
  ['the folder of the file', () => inUploads(folder)],
  ['the trash', () => inData('trash')],
]

describe('a disk that refuses changes', () => {
  test.each(PLACES)('of %s leaves a file in the tree, with a reason', async (_, place) => {
    await expectNoChange(
      () => refuseChanges(place()),
      async () => {
        const { trashed, failed } = await trash.put({ fileIds: [file.id] })
        const message = `"${file.key}" could not be moved to the trash: ${REFUSED}`
        expect({ trashed, failed }).toEqual({ trashed: [], failed: [{ id: file.id, message }] })
      },
    )
    expect((await trash.put({ fileIds: [file.id] })).failed).toEqual([])
  })

  test('of the folder around it leaves a folder in the tree', async () => {
    const inner = await api.upload('b.txt', 'stays', `${folder}/inner`)
    await expectNoChange(
      () => refuseRemovals(inUploads(folder)),
      async () => {
        const { failed } = await trash.put({ folderIds: [inner.folderId] })
        const message = `"${folder}/inner" could not be moved to the trash: ${REFUSED}`
        expect(failed).toEqual([{ id: inner.folderId, message }])
      },
    )
  })

  test.each([
    ['the trash', entry],
    ['the folder to return to', () => inUploads(folder)],
  ])('of %s leaves an item in the trash', async (_, place) => {
    const inner = await api.upload('b.txt', 'returns', `${folder}/inner`)
    for (const [kind, id] of [
      ['file', file.id],
      ['folder', inner.folderId],
    ] as const) {
      await trash.put({ [`${kind}Ids`]: [id] })
      const key = kind === 'file' ? file.key : `${folder}/inner`
      await expectNoChange(
        () => refuseChanges(place()),
        async () => {
          const { restored, failed } = await trash.restore(id)
          const message = `"${key}" could not be restored: ${REFUSED}`
          expect({ restored, failed }).toEqual({ restored: [], failed: [{ id, message }] })
        },
      )
      expect((await trash.restore(id)).restored).toMatchObject([{ key }])
    }
    expect(await api.hosted(`${folder}/inner/b.txt`)).toBe('returns')
  })

  test('of the trash keeps bytes that are to be removed, which go later', async () => {
    await trash.put({ fileIds: [file.id] })
    const { store } = holdfast.server.deps
    {
      using _refusing = refuseRemovals(entry())
      const { deleted, failed } = await trash.remove(file.id)
      const message = `"a.txt" could not be removed from the trash: ${REFUSED}`
      expect({ deleted, failed }).toEqual({ deleted: 0, failed: [{ id: file.id, message }] })
      expect(await trash.list()).toMatchObject({ items: [], total: 0 })
      expect(await api.refusal('POST', '/trash/restore', { ids: [file.id] })).toEqual([
        404,
        'Not in the trash',
      ])
      await store.finishLeftovers()
      expect(heldFiles(holdfast)).toEqual(['a.txt'])
    }

    await store.finishLeftovers()

    expect(heldFiles(holdfast)).toEqual([])
    expect(holdfast.catalog.trash.total()).toEqual({ count: 0, size: 0 })
  })

  test.each([
    ['the folder around them', () => inUploads(folder)],
    ['the trash', () => inData('trash')],
  ])('of %s leaves both folders of a replacement where they are', async (_, place) => {
    const live = await api.upload('index.html', 'old', `${folder}/live`)
    const next = await api.upload('index.html', 'new', `${folder}/next`)
    const body = { id: next.folderId, replaces: live.folderId }
    await expectNoChange(
      () => refuseChanges(place()),
      async () => {
        const message = `"${folder}/live" could not be replaced: ${REFUSED}`
        expect(await api.refusal('POST', '/folders/replace', body)).toEqual([500, message])
      },
    )
    expect(await api.hosted(live.key)).toBe('old')
    expect(await api.hosted(next.key)).toBe('new')
  })

  test.each([
    ['the folder of the file', () => inUploads(folder)],
    ['the versions', () => inData('versions')],
  ])('of %s leaves the bytes of a file, and its versions', async (_, place) => {
    await replace('second')
    const [version] = await versions()
    const message = `The file "${file.key}" could not be replaced: ${REFUSED}`
    await expectNoChange(
      () => refuseChanges(place()),
      async () => {
        const refused = await replace('third')
        expect([refused.status, await messageOf(refused)]).toEqual([500, message])
        expect(await api.refusal('POST', '/files/versions/restore', { id: version?.id })).toEqual([
          500,
          message,
        ])
      },
    )
    expect(await api.hosted(file.key)).toBe('second')
    await api.data('POST', '/files/versions/restore', { id: version?.id })
    expect(await api.hosted(file.key)).toBe('stays')
  })

  test('of the destination adds nothing of a copy', async () => {
    const place = await api.createFolder(`${folder}-copies`)
    await expectNoChange(
      () => refuseChanges(inUploads(place.key)),
      async () => {
        const { copied, failed } = await api.data<{ copied: []; failed: { message: string }[] }>(
          'POST',
          '/files/copy',
          { fileIds: [file.id], folderIds: [file.folderId], folderId: place.id },
        )
        expect(copied).toEqual([])
        expect(failed.map(({ message }) => message)).toEqual([
          `"${place.key}/a.txt" could not be stored: ${REFUSED}`,
          expect.stringContaining(`could not be stored: ${REFUSED}`),
        ])
      },
    )
  })
})
