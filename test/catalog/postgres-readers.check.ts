import { beforeAll, describe, expect, test } from 'bun:test'
import type { FileRow } from '../../src/catalog/tree/files.ts'
import { type RowSlices, SnapshotEnded } from '../../src/catalog/tree/snapshot.ts'
import { fileRow, folderRow, id, withBoth } from '../support/engines.ts'
import { eventually } from '../support/eventually.ts'

const FILES = 1234
const list = { orderBy: 'name', ascending: true, offset: 0, limit: undefined } as const
const never = new AbortController().signal

const both = withBoth()
const { same } = both

beforeAll(async () => {
  const folders = [folderRow(1, null, ''), folderRow(2, 1, 'one'), folderRow(3, 2, 'two')]
  const files = Array.from({ length: FILES }, (_, n) => fileRow(1000 + n, n % 2 === 0 ? 2 : 3, `file ${n}`))
  await same.folders.insert(folders)
  await same.files.insert(files)
})

async function allOf<Row>(slices: RowSlices<Row>): Promise<Row[]> {
  const rows: Row[] = []
  for await (const slice of slices) {
    expect(slice.length).toBeLessThanOrEqual(100)
    rows.push(...slice)
  }
  return rows
}

describe('a snapshot', () => {
  test('yields a long list as SQLite does, in slices', async () => {
    const { postgres, sqlite } = both
    using found = await postgres.readers.snapshot(never)
    using expected = await sqlite.readers.snapshot(never)
    for (const one of [list, { ...list, orderBy: 'size', offset: 100, limit: 777 } as const]) {
      const rows = await allOf(found.files(one))
      expect(rows).toEqual(await allOf(expected.files(one)))
    }
    const rows = await allOf(found.filesIn(['name', 'size'])(id(3)))
    expect(rows).toEqual(await allOf(expected.filesIn(['name', 'size'])(id(3))))
    expect(await found.page({ ...list, limit: 3 })).toHaveLength(3)
  })

  test('reads several lists side by side', async () => {
    const { postgres } = both
    using snapshot = await postgres.readers.snapshot(never)
    const names: string[] = []
    for await (const outer of snapshot.files({ ...list, folderId: id(2) })) {
      const inner: FileRow[] = await allOf(snapshot.files({ ...list, folderId: id(3), limit: 150 }))
      names.push(...outer.map(({ name }) => name))
      expect(inner).toHaveLength(150)
    }
    expect(names).toHaveLength(FILES / 2)
  })

  test('sees nothing of later changes, also in a query within another body', async () => {
    const { postgres } = both
    using snapshot = await postgres.readers.snapshot(never)
    await postgres.folders.update(id(3), { name: 'renamed' })
    await postgres.files.remove(id(1000))
    try {
      expect(await snapshot.folders.keyOf(id(3))).toBe('one/two')
      const { folders, totals } = snapshot
      const seen = await postgres.read(function* () {
        const { private: hidden } = yield* totals.byVisibility()
        return [yield* folders.keyOf(id(3)), yield* folders.idAt(['one', 'two']), hidden.count]
      })
      expect(seen).toEqual(['one/two', id(3), FILES])
      expect(await allOf(snapshot.files(list))).toHaveLength(FILES)
      expect(await postgres.folders.keyOf(id(3))).toBe('one/renamed')
    } finally {
      await postgres.folders.update(id(3), { name: 'two' })
      await postgres.files.insert([fileRow(1000, 2, 'file 0')])
    }
  })

  test('yields the folders in another', async () => {
    using snapshot = await both.postgres.readers.snapshot(never)
    expect((await snapshot.foldersAfter(id(1), '')).map(({ name }) => name)).toEqual(['one'])
    expect(await snapshot.folders.detached()).toEqual([])
  })

  test('that has ended reads no more, and gives its connection back', async () => {
    const { postgres } = both
    const snapshot = await postgres.readers.snapshot(never)
    const rows = (async function* () {
      yield* snapshot.files(list)
    })()
    await rows.next()
    snapshot.end()
    expect(rows.next()).rejects.toBeInstanceOf(SnapshotEnded)
    expect(snapshot.read(() => snapshot.folders.keyOf(id(2)))).rejects.toBeInstanceOf(SnapshotEnded)
    for (let n = 0; n < 20; n++) (await postgres.readers.snapshot(never)).end()
    await eventually(() => postgres.readers.size === 0)
  })
})
