import { describe, expect, test } from 'bun:test'
import { fileRow, folderRow, id, NOW, withBoth } from '../support/engines.ts'

/** Runs functions of the catalog on SQLite and on PostgreSQL, and compares what they return. */

const both = withBoth()
const { same } = both

const NAMES = ['b', 'a', 'ä', 'Z', 'z', '😀', '\u{ff5e}', 'a b', "'", 'A']

describe('the tree', () => {
  test('has the same rows', async () => {
    await same.folders.hasRoot()
    await same.folders.insert([folderRow(1, null, ''), folderRow(2, 1, 'one'), folderRow(3, 2, 'zwei ä')])
    await same.folders.insert(NAMES.map((name, n) => folderRow(100 + n, 3, name)))
    await same.folders.root()
    await same.folders.byId(id(3))
    await same.folders.byId('none')
    await same.folders.byName(id(1), 'one')
  })

  test('has the same keys and paths', async () => {
    for (const n of [1, 2, 3, 100, 999]) await same.folders.keyOf(id(n))
    for (const segments of [
      [],
      ['one'],
      ['one', 'zwei ä'],
      ['one', 'zwei ä', '😀'],
      ['none'],
      ['one', 'none', 'a'],
    ])
      await same.folders.idAt(segments)
    for (const n of [1, 3, 999])
      expect(await both.postgres.longestPathBelow(id(n))).toBe(await both.sqlite.longestPathBelow(id(n)))
    for (const bytes of [5, 10, 15, 20, 400])
      expect(await both.postgres.hasPathBelow(id(1), bytes, 5)).toBe(
        await both.sqlite.hasPathBelow(id(1), bytes, 5),
      )
  })

  test('is listed in the same order', async () => {
    const listed = await same.folders.inFolder(id(3))
    expect(listed.map(({ name }) => name)).toEqual(
      NAMES.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
    )
    await same.folders.inFolderAfter(id(3), 'a', 3)
    await same.folders.after(id(2), 3)
    await same.folders.hasMoreThan(id(3), NAMES.length - 1)
    await same.folders.hasMoreThan(id(3), NAMES.length)
  })

  test('changes in the same way', async () => {
    await same.folders.update(id(101), { name: 'renamed', updatedAt: NOW + 5 })
    await same.folders.update(id(102), { parentId: id(101), name: 'moved' })
    await same.folders.keyOf(id(102))
    await same.folders.isPurging()
    await same.folders.detach(id(101))
    await same.folders.insertDetached({ madeForKeys: false, id: id(150), createdAt: NOW, updatedAt: NOW })
    await same.folders.isPurging()
    await same.folders.keyOf(id(102))
    await same((catalog) => catalog.folders.detached().into((rows) => rows.map((row) => row.id).sort()))
    await same.folders.update(id(101), { parentId: id(3), name: 'back' })
    await same.folders.remove(id(150))
    await same.folders.isPurging()
    await same.totals.folders()
  })
})

describe('files', () => {
  test('are the same rows', async () => {
    const rows = NAMES.map((name, n) =>
      fileRow(200 + n, n % 2 === 0 ? 2 : 3, `${name}.txt`, { size: n * 1e12 }),
    )
    await same.files.any()
    await same.files.insert(rows)
    await same.files.any()
    await same.files.byId(id(203))
    await same.files.byId(id(1))
    await same((catalog) =>
      catalog.files.byIds([id(201), id(205), 'none']).into((found) => found.map((row) => row.id).sort()),
    )
    await same.files.byIds([])
    await same.files.lockAll([id(201)])
    await same.files.byName(id(2), 'b.txt')
    for (const name of ['b.txt', 'two', 'none'])
      for (const folder of [1, 2, 3]) await same.names.holderOf(id(folder), name)
    for (const segments of [['one'], ['one', 'two'], ['none'], []])
      for (const name of ['a.txt', 'b.txt']) await same((catalog) => catalog.accessAt(segments, name))
    await same.files.inFolderAfter(id(3), 'Z.txt', 10)
    await same.files.inFolderBefore(id(3), 'a.txt', 10)
    await same.files.after(id(203), 3)
  })

  test('are listed in the same order, whatever it is', async () => {
    for (const orderBy of ['createdAt', 'updatedAt', 'name', 'size'] as const)
      for (const ascending of [true, false])
        for (const only of [{}, { folderId: id(3) }, { name: 'a.txt' }])
          for (const part of [
            { offset: 0, limit: undefined },
            { offset: 2, limit: 3 },
          ])
            await same.lists.page({ orderBy, ascending, ...only, ...part })
  })

  test('change in the same way, and their totals', async () => {
    const totals = async () => {
      await same.totals.types()
      await same.totals.byVisibility()
      await same((catalog) =>
        catalog.totals
          .addedSince('2023-11-15')
          .into((days) => days.filter(({ count }) => count > 0).sort((a, b) => (a.date < b.date ? -1 : 1))),
      )
    }
    await totals()
    await same.files.update(id(200), {
      name: 'new.png',
      mimeType: 'image/png',
      size: 7,
      visibility: undefined,
    })
    await same.files.setVisibility([id(200), id(201)], { visibility: 'public', updatedAt: NOW + 9 })
    await totals()
    await same.bulk.hasMoreBelow(id(2), 3)
    await same.bulk.hasMoreBelow(id(2), 100)
    const change = { folderId: id(2), visibility: 'public', updatedAt: NOW + 99 } as const
    expect(await same.bulk.setVisibilityBelow(change)).toBe(8)
    expect(await same.bulk.setVisibilityBelow(change)).toBe(0)
    await totals()
    await same.files.remove(id(209))
    await same.files.removeAll([id(208), 'none'])
    await totals()
    await both.postgres.foldTotals()
    await totals()
    await same.files.byId(id(200))
  })
})
