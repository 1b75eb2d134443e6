import { describe, expect, test } from 'bun:test'
import { type Batchable, shareOut, takeBatch } from '../../src/dashboard/uploads/batch.ts'
import { findConflicts, isReplaceable, withFreeNames } from '../../src/dashboard/uploads/names.ts'

const KIB = 1024
const waiting = (name: string, size = KIB, more: Partial<Batchable> = {}): Batchable => ({
  file: { name, size },
  folder: '',
  ...more,
})
const namesOf = (batch: Batchable[]) => batch.map(({ file }) => file.name)

describe('findConflicts()', () => {
  const picked = (name: string, folder = '', more = {}) => ({ file: new File(['x'], name), folder, ...more })

  test('finds a name that is taken, and the later ones of files with one name', () => {
    const files = [picked('a'), picked('a'), picked('b'), picked('a', 'deep'), picked('b')]
    const taken = new Map([['to/a', { id: '1', size: 3 }]])
    const conflicts = findConflicts(files, 'to', taken)

    expect(conflicts.map((one) => files.indexOf(one.picked))).toEqual([0, 1, 4])
    expect(conflicts.map(isReplaceable)).toEqual([true, false, false])
    expect(
      withFreeNames(files, 'to', {
        taken: taken.keys(),
        renamed: new Set(conflicts.map((one) => one.picked)),
      }).map(({ file }) => file.name),
    ).toEqual(['a (2)', 'a (3)', 'b', 'a', 'b (2)'])
  })

  test('passes over files that replace others', () => {
    const taken = new Map([['to/a', { id: '1', size: 3 }]])

    expect(findConflicts([picked('a', '', { replaces: '1' })], 'to', taken)).toEqual([])
  })
})

describe('takeBatch()', () => {
  test('takes twenty small files', () => {
    const all = Array.from({ length: 50 }, (_, n) => waiting(`${n}`))

    expect(namesOf(takeBatch(all))).toEqual(Array.from({ length: 20 }, (_, n) => `${n}`))
  })

  test('takes no more than eight megabytes', () => {
    const all = Array.from({ length: 12 }, (_, n) => waiting(`${n}`, 1000 * KIB))

    expect(takeBatch(all)).toHaveLength(8)
  })

  test('takes replacements together, apart from new files', () => {
    const [b, d] = [waiting('b', KIB, { replaces: '1' }), waiting('d', KIB, { replaces: '2' })]
    const all = [waiting('a'), b, waiting('c'), d]

    expect(namesOf(takeBatch(all))).toEqual(['a', 'c'])
    expect(namesOf(takeBatch(all.slice(1)))).toEqual(['b', 'd'])
  })

  test('sends a large file alone, in its turn', () => {
    const [small, large] = [waiting('small'), waiting('large', 1025 * KIB)]

    expect(namesOf(takeBatch([large, small]))).toEqual(['large'])
    expect(namesOf(takeBatch([small, large]))).toEqual(['small'])
  })

  test('sends the halves of a refused batch separately', () => {
    const [first, second] = [waiting('first', KIB, { group: 1 }), waiting('second', KIB, { group: 2 })]

    const third = waiting('third', KIB, { group: 1 })
    expect(namesOf(takeBatch([first, second, third]))).toEqual(['first', 'third'])
    expect(namesOf(takeBatch([waiting('other'), first]))).toEqual(['other'])
  })

  test('leaves other folders and repeated names for the next batch', () => {
    const all = [waiting('a'), waiting('b', KIB, { folder: 'below' }), waiting('a', 2 * KIB), waiting('c')]

    expect(namesOf(takeBatch(all))).toEqual(['a', 'c'])
  })

  test('returns nothing for an empty queue', () => {
    expect(takeBatch([])).toEqual([])
  })
})

test.each([
  [0, [0, 0, 0]],
  [150, [100, 0, 50]],
  [300, [100, 0, 200]],
])('shareOut() gives %d sent bytes to the files in their order', (sent, shares) => {
  expect(shareOut([waiting('a', 100), waiting('b', 0), waiting('c', 200)], sent)).toEqual(shares)
})
