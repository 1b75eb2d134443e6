import { describe, expect, test } from 'bun:test'
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { withHoldfast } from '../support/fixture.ts'
import { filesUnder } from '../support/holdfast.ts'
import { heldFiles } from '../support/trash.ts'

const holdfast = withHoldfast()
const { api, trash } = holdfast

const entries = () => readdirSync(join(holdfast.dataPath, 'trash'))

describe('a file in the trash', () => {
  test('lies below "trash" under its own name, in a folder named after the time', async () => {
    const file = await api.upload('readable name.txt', 'x', 'readable')
    await trash.put({ fileIds: [file.id] })

    expect(entries()).toEqual([expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d\.\d\d\.\d\d$/)])
    expect(heldFiles(holdfast)).toEqual(['readable name.txt'])
    expect(filesUnder(holdfast, 'uploads')).not.toContain(file.key)
    await trash.remove(file.id)
    expect(entries()).toEqual([])
  })
})

describe('a file whose bytes are missing', () => {
  test('is named in the history when it cannot go to the trash', async () => {
    const file = await api.upload('no bytes.txt', 'x')
    rmSync(holdfast.path('no bytes.txt'))

    expect((await trash.put({ fileIds: [file.id] })).trashed).toEqual([])

    const [entry] = holdfast.catalog.activities.newest(holdfast.userId, 1)
    expect(entry).toMatchObject({ type: 'file.delete-failed', target: 'no bytes.txt' })
    await api.data('DELETE', '/files', { id: file.id })
  })
})

describe('restoring', () => {
  test('puts a number after a name that an unknown entry on disk has', async () => {
    const file = await api.upload('strange.txt', 'ours', 'strange')
    await trash.put({ fileIds: [file.id] })
    writeFileSync(holdfast.path('strange/strange.txt'), 'not ours')

    const { restored } = await trash.restore(file.id)

    expect(restored).toMatchObject([{ key: 'strange/strange (2).txt' }])
    expect(await api.hosted('strange/strange (2).txt')).toBe('ours')
  })

  test('refuses an item whose bytes are gone from the folder "trash"', async () => {
    const file = await api.upload('lost.txt', 'x')
    await trash.put({ fileIds: [file.id] })
    for (const entry of entries())
      rmSync(join(holdfast.dataPath, 'trash', entry, 'lost.txt'), { force: true })

    const { failed } = await trash.restore(file.id)

    expect(failed).toEqual([{ id: file.id, message: '"lost.txt" is missing in the folder "trash" on disk' }])
    await trash.remove(file.id)
    expect(entries()).toEqual([])
  })
})

describe('a folder in the trash', () => {
  test('takes entries that the catalog does not know along, and brings them back', async () => {
    const { folderId: id } = await api.upload('known.txt', 'x', 'with strangers')
    writeFileSync(holdfast.path('with strangers/unknown.txt'), 'mine')

    await trash.put({ folderIds: [id] })
    expect(heldFiles(holdfast)).toContain('with strangers/unknown.txt')
    await trash.restore(id)

    expect(filesUnder(holdfast, 'uploads')).toContain('with strangers/unknown.txt')
  })
})
