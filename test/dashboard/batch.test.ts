import { describe, expect, test } from 'bun:test'
import { type Batchable, shareOut, takeBatch } from '../../src/dashboard/uploads/batch.ts'

const KIB = 1024
const waiting = (name: string, size = KIB, more: Partial<Batchable> = {}): Batchable => ({
  file: { name, size },
  folder: '',
  ...more,
})
const namesOf = (batch: Batchable[]) => batch.map(({ file }) => file.name)

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
