import { beforeEach, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import type { Activity as Entry } from '../../src/client/types.ts'
import type { Failure, FolderView } from '../support/api.ts'
import { withInside } from '../support/fixture.ts'
import { type FileView, filesUnder } from '../support/holdfast.ts'
import { expectNoIntents } from '../support/intents.ts'
import { REFUSED, refuseRemovals } from '../support/refusing.ts'

const holdfast = withInside()
const { api } = holdfast

let count = 0
let folder: string
let file: FileView
beforeEach(async () => {
  folder = `held${count++}`
  file = await api.upload('a.txt', 'stays', folder)
})

const refusing = (key: string) => refuseRemovals(join(holdfast.dataPath, 'uploads', key))
const everything = () => [filesUnder(holdfast, 'uploads'), filesUnder(holdfast, 'tmp')]
const folderAt = async (key: string): Promise<FolderView> => {
  const { folders } = await api.browse({ key: key.split('/').slice(0, -1).join('/') })
  const found = folders.find((each) => each.key === key)
  if (!found) throw new Error(`There is no folder ${key}`)
  return found
}

async function asAdmin<Data>(path: string): Promise<Data> {
  const answer = await holdfast.fetch(path, { headers: { Cookie: holdfast.cookie } })
  return ((await answer.json()) as { data: Data }).data
}

const latestEntry = async () => (await asAdmin<{ activities: Entry[] }>('/api/activity')).activities[0]
const alertTypes = async () =>
  (await asAdmin<{ alerts: { type: string }[] }>('/api/stats')).alerts.map(({ type }) => type)

describe('a disk that refuses', () => {
  test('a delete leaves file and row, and makes an entry and an alert', async () => {
    const before = everything()
    const told = `The file "${file.key}" could not be deleted: ${REFUSED}`
    {
      using _refusing = refusing(folder)
      expect(await api.refusal('DELETE', '/files', { id: file.id })).toEqual([500, told])
    }

    expect(await api.hosted(file.key)).toBe('stays')
    expect(everything()).toEqual(before)
    await expectNoIntents(holdfast)
    expect(await latestEntry()).toMatchObject({ type: 'file.delete-failed', target: 'a.txt', detail: told })
    expect(await alertTypes()).toContain('deletes-failed')
    await api.data('DELETE', '/files', { id: file.id })
    expect(filesUnder(holdfast, 'uploads')).not.toContain(file.key)
  })

  test('one delete of a batch leaves that file, and the others are deleted', async () => {
    const other = await api.upload('b.txt', 'goes', `${folder}-other`)
    using _refusing = refusing(folder)

    const outcome = await api.data<{ deleted: string[]; failed: Failure[] }>('DELETE', '/files', {
      ids: [file.id, other.id],
    })

    const told = `The file "${file.key}" could not be deleted: ${REFUSED}`
    expect(outcome).toEqual({ deleted: [other.id], failed: [{ id: file.id, message: told }] })
    expect(await api.hosted(file.key)).toBe('stays')
    expect(holdfast.logged.filter(({ message }) => message === told)).toHaveLength(1)
  })

  test('a rename or a move leaves the file under its name alone', async () => {
    const place = await api.createFolder(`${folder}-place`)
    const before = everything()
    using _refusing = refusing(folder)

    const refusals = [
      await api.refusal('PUT', '/files', { id: file.id, name: 'b.txt', visibility: 'private' }),
      await api.refusal('POST', '/files/move', { id: file.id, folderId: place.id }),
      await api.refusal('POST', '/files/move', { id: file.id, folder: `${folder}-new/deep` }),
    ]
    const batch = await api.data<{ files: FileView[]; failed: Failure[] }>('POST', '/files/move', {
      ids: [file.id],
      folderId: place.id,
    })

    const told = `"${file.key}" could not be moved: ${REFUSED}`
    expect(refusals).toEqual(Array(3).fill([500, told]))
    expect(batch).toEqual({ files: [], failed: [{ id: file.id, message: told }] })
    expect(everything()).toEqual(before)
    expect(await api.file(file.id)).toEqual(file)
    expect(await api.hosted(file.key)).toBe('stays')
    await expectNoIntents(holdfast)
  })

  test('a delete, rename or move of a folder leaves it where it is', async () => {
    const inner = await api.upload('deep.txt', 'stays', `${folder}/inner`)
    const { id } = await folderAt(`${folder}/inner`)
    const before = everything()
    using _refusing = refusing(folder)

    const deleted = await api.refusal('DELETE', '/folders', { id })
    const entry = await latestEntry()
    const renamed = await api.refusal('PUT', '/folders', { id, name: 'other' })
    const moved = await api.refusal('POST', '/folders/move', { id, folder: '' })

    const told = `The folder "${folder}/inner" could not be deleted: ${REFUSED}`
    expect(deleted).toEqual([500, told])
    expect(entry).toMatchObject({ type: 'folder.delete-failed', target: 'inner', detail: told })
    expect([renamed, moved]).toEqual(Array(2).fill([500, `"${folder}/inner" could not be moved: ${REFUSED}`]))
    expect(everything()).toEqual(before)
    expect(await api.hosted(inner.key)).toBe('stays')
    await expectNoIntents(holdfast)
  })

  test('the purge of a deleted folder gives its name free, alerts, and is tried again', async () => {
    await api.upload('deep.txt', 'goes', `${folder}/inner`)
    const { unfinished } = holdfast.server.deps.store
    const { id } = await folderAt(folder)
    {
      using _refusing = refusing(`${folder}/inner`)
      await api.data('DELETE', '/folders', { id })
      const [aside] = unfinished.asideNames()

      expect(await api.hosted(file.key)).toBe(404)
      expect(filesUnder(holdfast, 'uploads').filter((key) => key.startsWith(folder))).toEqual([])
      expect((await api.upload('a.txt', 'new', folder)).key).toBe(file.key)
      expect(await alertTypes()).toContain('unfinished')
      await unfinished.retry()
      const told = holdfast.logged.filter(({ message }) => message.includes(`tmp/${aside}`))
      expect(told).toHaveLength(1)
    }

    await unfinished.retry()

    expect(filesUnder(holdfast, 'tmp')).toEqual([])
    expect(await alertTypes()).not.toContain('unfinished')
    expect(await api.hosted(file.key)).toBe('new')
  })
})
