import { expect, test } from 'bun:test'
import { zipSync } from 'fflate'
import { returnTree } from '../../src/store/trash/rows.ts'
import { openBeside } from '../support/engines.ts'
import { startInsideWithAccount } from '../support/fixture.ts'
import { storedIn } from '../support/stored.ts'

const FILES = 600
const FOLDERS = 300

test('a folder of many files and folders goes and returns whole', async () => {
  await using holdfast = await startInsideWithAccount()
  const { api, trash } = holdfast
  const paths = [
    ...Array.from({ length: FILES }, (_, index) => `flat/${index}.txt`),
    ...Array.from({ length: FOLDERS }, (_, index) => `wide/${index}/x.txt`),
    `${Array.from({ length: FOLDERS }, () => 'd').join('/')}/deepest.txt`,
  ]
  const archive = zipSync(Object.fromEntries(paths.map((path) => [path, new TextEncoder().encode(path)])))
  await holdfast.api.sendBody('POST', '/folders/import?folder=large', archive)
  const before = await api.checksums('large')
  expect(Object.keys(before)).toHaveLength(paths.length)
  const id = (await api.browse()).folders.find(({ key }) => key === 'large')?.id ?? ''

  expect(await trash.put({ folderIds: [id] })).toEqual({ trashed: [id], failed: [] })

  expect((await trash.list()).items).toMatchObject([{ count: paths.length }])
  expect(await storedIn(holdfast).trashed()).toHaveLength(paths.length)

  expect((await trash.restore(id)).restored).toMatchObject([{ key: 'large' }])

  expect(await api.checksums('large')).toEqual(before)
  expect(await api.list()).toHaveLength(paths.length)
  await trash.put({ folderIds: [id] })
  expect(await trash.empty()).toEqual({ deleted: 1, failed: [] })
  expect(await storedIn(holdfast).trashed()).toEqual([])
  expect(holdfast.catalog.trash.total()).toEqual({ count: 0, size: 0 })
})

test('the permanent delete of an item removes the rows that an interrupted restore left outside the trash', async () => {
  await using holdfast = await startInsideWithAccount()
  const { api, trash } = holdfast
  const { folderId } = await api.upload('a.txt', 'content of a', 'tree')
  await api.upload('b.txt', 'content of b', 'tree/sub')
  await trash.put({ folderIds: [folderId] })
  const beside = await openBeside(holdfast)
  await beside.transact(() => returnTree(beside, folderId))
  beside.close()
  expect(holdfast.catalog.files.after('', 10)).toHaveLength(2)

  expect(await trash.remove(folderId)).toEqual({ deleted: 1, failed: [] })

  expect(await storedIn(holdfast).trashed()).toEqual([])
  expect(holdfast.catalog.files.after('', 10)).toEqual([])
  expect(holdfast.catalog.folders.byId(folderId)).toBeUndefined()
  expect(holdfast.catalog.trash.total()).toEqual({ count: 0, size: 0 })
})
