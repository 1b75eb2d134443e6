import { describe, expect, test } from 'bun:test'
import { type Plan, readPlan } from '../../src/store/folder/plan.ts'

const identity = { inode: '1', size: 1, mtimeMs: 1 }
const place = (key: string) => ({ parentId: 'p', name: 'n', key })

const swap = (key: string, from: string): Plan => ({
  kind: 'swap',
  key,
  old: { id: 'o', held: 'h/n', identity },
  next: { id: 'n', from, isTrash: false, identity },
})

/** Returns a plan of each kind, with `key` in each of its key fields. */
const plansWith = (key: string): Plan[] => [
  { kind: 'upload', folders: [key], files: [] },
  { kind: 'upload', folders: [], files: [{ key, identity }] },
  { kind: 'delete', id: 'i', key, aside: 'd', identity },
  { kind: 'move', what: 'file', id: 'i', from: place(key), to: place('b'), identity },
  { kind: 'move', what: 'file', id: 'i', from: place('a'), to: place(key), identity },
  { kind: 'move', what: 'file', id: 'i', from: place('a'), to: place('b'), folders: [key], identity },
  { kind: 'discard', folderId: 'f', key, birth: '1 1', aside: 'd' },
  {
    kind: 'replace',
    id: 'i',
    key,
    version: 'v',
    old: null,
    new: identity,
    isCommitted: false,
    isKept: false,
  },
  swap(key, 'b'),
  swap('a', key),
]

describe('a stored plan', () => {
  test('with a key that leads out of uploads/ is refused', () => {
    for (const key of ['..', '../a', 'a/../../b', 'a/..', '.', './a', '', '/', '/a', 'a/', 'a//b', 'a\0b'])
      for (const plan of plansWith(key)) expect(() => readPlan(plan)).toThrow()
  })

  test('with any other key is read', () => {
    for (const key of ['a', 'a/b/c', '...', '..a', 'a..', 'a/.b/c', 'a b/\u0085', 'é/ü'])
      for (const plan of plansWith(key)) expect(readPlan(plan)).toEqual(plan)
  })
})
