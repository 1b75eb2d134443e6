import { describe, expect, test } from 'bun:test'
import { extended, NOTHING, toggled } from '../../src/dashboard/lib/selection.ts'
import { filterItems, type Item, toItems } from '../../src/dashboard/pages/files/items.ts'
import { itemsInBand } from '../../src/dashboard/pages/files/list/rubber-band.ts'
import { nextOrder } from '../../src/dashboard/pages/files/view.ts'
import { fileView, folderView } from '../support/file-rows.ts'

const BY_NAME = { by: 'name', direction: 'ASC' } as const
const files = ['a', 'b', 'c', 'd'].map((name) => fileView(name))
const items = toItems({ files, folders: [], isComplete: true }, BY_NAME)

describe('a selection', () => {
  test('adds and removes toggled items', () => {
    const once = toggled(NOTHING, 'a')

    expect([...once.ids]).toEqual(['a'])
    expect([...toggled(once, 'a').ids]).toEqual([])
  })

  test.each([
    ['b', 'd', ['b', 'c', 'd']],
    ['d', 'b', ['d', 'b', 'c']],
    ['c', 'c', ['c']],
  ])('goes from %s to %s, whichever stands first', (from, to, ids) => {
    expect([...extended(toggled(NOTHING, from), items, to).ids]).toEqual(ids)
  })

  test('keeps its anchor while it is extended', () => {
    const state = extended(extended(toggled(NOTHING, 'b'), items, 'c'), items, 'a')

    expect([...state.ids].sort()).toEqual(['a', 'b'])
    expect(state.anchor).toBe('b')
  })

  test('shrinks with its range, and retains the items from before it', () => {
    const before = toggled(toggled(NOTHING, 'd'), 'a')
    const long = extended(before, items, 'c')

    expect([...long.ids].sort()).toEqual(['a', 'b', 'c', 'd'])
    expect([...extended(long, items, 'b').ids].sort()).toEqual(['a', 'b', 'd'])
    expect([...extended(toggled(long, 'c'), items, 'd').ids].sort()).toEqual(['a', 'b', 'c', 'd'])
  })
})

describe('the items of a folder', () => {
  const names = (shown: Item[]) => shown.map(({ name }) => name)

  const mixed = {
    files: ['Zoo', 'eclair', 'Éclair', 'a10', 'A2', 'a1'].map((name) => fileView(name)),
    folders: [folderView('10'), folderView('9'), folderView('b')],
  }

  test('are its folders, then its files, numbers by their value and letters without case and accents', () => {
    const shown = toItems({ ...mixed, isComplete: true }, BY_NAME)

    expect(names(shown)).toEqual(['9', '10', 'b', 'a1', 'A2', 'a10', 'eclair', 'Éclair', 'Zoo'])
  })

  test("stay in the server's order while more are loading", () => {
    const shown = toItems({ ...mixed, isComplete: false }, BY_NAME)

    expect(names(shown)).toEqual(['9', '10', 'b', 'Zoo', 'eclair', 'Éclair', 'a10', 'A2', 'a1'])
  })

  test('of the same size go by their names in either direction', () => {
    const files = [fileView('b', { size: 5 }), fileView('c', { size: 9 }), fileView('a', { size: 5 })]
    const bySize = (direction: 'ASC' | 'DESC') =>
      names(toItems({ files, folders: [], isComplete: true }, { by: 'size', direction }))

    expect(bySize('ASC')).toEqual(['a', 'b', 'c'])
    expect(bySize('DESC')).toEqual(['c', 'a', 'b'])
  })

  test('of which the folders have the sizes of what is in them', () => {
    const folders = [folderView('small'), folderView('large'), folderView('empty')]
    const bytesInFolders = new Map([
      ['small', 1],
      ['large', 9],
    ])
    const bySize = { by: 'size', direction: 'DESC' } as const

    const shown = toItems({ files: [fileView('a')], folders, isComplete: true, bytesInFolders }, bySize)

    expect(names(shown)).toEqual(['large', 'small', 'empty', 'a'])
  })

  test('are searched by part of the name in any case, and folders have no type', () => {
    const all = toItems(
      {
        files: [fileView('Cat.png', { mimeType: 'image/png' }), fileView('cat.txt')],
        folders: [folderView('cats')],
        isComplete: true,
      },
      BY_NAME,
    )

    expect(names(filterItems(all, { search: ' CAT', kind: 'all' }))).toEqual(['cats', 'Cat.png', 'cat.txt'])
    expect(names(filterItems(all, { search: '', kind: 'image' }))).toEqual(['Cat.png'])
  })

  test.each([
    ['Übung 1.txt', 'ubung'],
    ['cafe\u0301.txt', 'café'],
    ['Straße', 'STRASSE'],
  ])('the filter finds "%s" for "%s"', (name, search) => {
    const all = toItems({ files: [fileView(name)], folders: [], isComplete: true }, BY_NAME)

    expect(names(filterItems(all, { search, kind: 'all' }))).toEqual([name])
  })
})

test('a heading sorts its column, and reverses it the next time', () => {
  expect(nextOrder('size-DESC', 'name')).toBe('name-ASC')
  expect(nextOrder('name-ASC', 'name')).toBe('name-DESC')
  expect(nextOrder('name-ASC', 'size')).toBe('size-DESC')
  expect(nextOrder('updatedAt-DESC', 'updatedAt')).toBe('updatedAt-ASC')
})

describe('a rubber band', () => {
  const list = { count: 5, columns: 1, rowHeight: 40, width: 900, gap: 0 }
  const grid = { count: 8, columns: 3, rowHeight: 204, width: 600, gap: 12 }

  test.each([
    ['one row', { x: 300, y: 50 }, { x: 310, y: 60 }, [1]],
    ['rows from below the last one', { x: 300, y: 900 }, { x: 310, y: 130 }, [3, 4]],
    ['nothing below the last row', { x: 300, y: 900 }, { x: 310, y: 950 }, []],
  ])('in a list touches %s', (_what, from, to, indexes) => {
    expect(itemsInBand([from, to], list)).toEqual(indexes)
  })

  test.each([
    ['the items on its way', { x: 195, y: 100 }, { x: 500, y: 210 }, [1, 2, 4, 5]],
    ['nothing between two items', { x: 190, y: 194 }, { x: 198, y: 202 }, []],
    ['no place after the last item', { x: 250, y: 420 }, { x: 590, y: 500 }, [7]],
  ])('in a grid touches %s', (_what, from, to, indexes) => {
    expect(itemsInBand([from, to], grid)).toEqual(indexes)
  })
})
