import { describe, expect, test } from 'bun:test'
import { extended, NOTHING, toggled } from '../../src/dashboard/lib/selection.ts'
import { filterItems, type Item, toItems } from '../../src/dashboard/pages/files/items.ts'
import { nextOrder } from '../../src/dashboard/pages/files/view.ts'

const WHEN = '2026-01-01 00:00:00'
const file = (name: string, mimeType = 'text/plain') => ({
  id: name,
  name,
  key: name,
  mimeType,
  size: 1,
  folderId: 'root',
  visibility: 'public' as const,
  url: `api/hosting/${name}`,
  createdAt: WHEN,
  updatedAt: WHEN,
})
const folder = (name: string) => ({
  id: name,
  name,
  key: name,
  parentId: 'root',
  createdAt: WHEN,
  updatedAt: WHEN,
})
const BY_NAME = { by: 'name', direction: 'ASC' } as const
const items = toItems({ files: ['a', 'b', 'c', 'd'].map((name) => file(name)), folders: [] }, BY_NAME)

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

    expect([...state.ids].sort()).toEqual(['a', 'b', 'c'])
    expect(state.anchor).toBe('b')
  })
})

describe('the items of a folder', () => {
  const names = (shown: Item[]) => shown.map(({ name }) => name)

  test("are its folders in natural order, then its files in the server's order", () => {
    const shown = toItems(
      { files: [file('z'), file('y')], folders: [folder('10'), folder('9'), folder('b')] },
      BY_NAME,
    )

    expect(names(shown)).toEqual(['9', '10', 'b', 'z', 'y'])
  })

  test('are searched by part of the name in any case, and folders have no type', () => {
    const all = toItems(
      { files: [file('Cat.png', 'image/png'), file('cat.txt')], folders: [folder('cats')] },
      BY_NAME,
    )

    expect(names(filterItems(all, { search: ' CAT', kind: 'all' }))).toEqual(['cats', 'Cat.png', 'cat.txt'])
    expect(names(filterItems(all, { search: '', kind: 'image' }))).toEqual(['Cat.png'])
  })
})

test('a heading sorts its column, and reverses it the next time', () => {
  expect(nextOrder('size-DESC', 'name')).toBe('name-ASC')
  expect(nextOrder('name-ASC', 'name')).toBe('name-DESC')
  expect(nextOrder('name-ASC', 'size')).toBe('size-DESC')
  expect(nextOrder('updatedAt-DESC', 'updatedAt')).toBe('updatedAt-ASC')
})
