import { describe, expect, test } from 'bun:test'
import { WriteBehind } from '../../src/platform/write-behind.ts'

interface Count {
  name: string
  count: number
}

/** Creates a buffer of counts that saves to an array, and fails while `fails` is set. */
function createCounts(compare?: (one: Count, other: Count) => number) {
  const saved: Count[][] = []
  const state = { fails: false }
  const begun = Promise.withResolvers<void>()
  const counts = new WriteBehind<Count>({
    merge: (count, newer) => {
      count.count += newer.count
    },
    save: async (slice) => {
      begun.resolve()
      await Bun.sleep(0)
      if (state.fails) throw new Error('refused')
      saved.push(slice.map((count) => ({ ...count })))
    },
    ...(compare && { compare }),
  })
  return {
    counts,
    saved,
    state,
    begun: begun.promise,
    add: (name: string) => counts.add(name, { name, count: 1 }),
  }
}

describe('WriteBehind', () => {
  test('merges entries with the same key', async () => {
    const { counts, saved, add } = createCounts()
    for (const name of ['b', 'a', 'b']) add(name)

    await counts.flush()

    expect(saved).toEqual([
      [
        { name: 'a', count: 1 },
        { name: 'b', count: 2 },
      ],
    ])
    expect(counts.size).toBe(0)
  })

  test('saves an entry that is changed in place', async () => {
    const { counts, saved } = createCounts()
    const create = (name: string) => ({ name, count: 0 })
    for (let n = 0; n < 2; n += 1) counts.at('a', create).count += 1

    await counts.flush()
    counts.at('a', create).count += 5
    await counts.flush()

    expect(saved).toEqual([[{ name: 'a', count: 2 }], [{ name: 'a', count: 5 }]])
  })

  test('saves in the order of `compare`', async () => {
    const { counts, saved, add } = createCounts((one, other) => (one.name > other.name ? -1 : 1))
    for (const name of ['a', 'c', 'b']) add(name)

    await counts.flush()

    expect(saved.flat().map(({ name }) => name)).toEqual(['c', 'b', 'a'])
  })

  test('saves slices of 50 entries', async () => {
    const { counts, saved, add } = createCounts()
    for (let n = 0; n < 120; n += 1) add(`${n}`)

    await counts.flush()

    expect(saved.map((slice) => slice.length)).toEqual([50, 50, 20])
  })

  test('retains entries after a failure and merges newer ones into them', async () => {
    const { counts, saved, state, begun, add } = createCounts()
    state.fails = true
    add('a')
    add('b')
    const flush = counts.flush()
    await begun
    add('a')
    await expect(flush).rejects.toThrow('refused')
    expect(counts.size).toBe(2)
    state.fails = false

    await counts.flush()

    expect(saved).toEqual([
      [
        { name: 'a', count: 2 },
        { name: 'b', count: 1 },
      ],
    ])
  })

  test('counts the entries of a running flush as not saved', async () => {
    const { counts, begun, add } = createCounts()
    for (let n = 0; n < 60; n += 1) add(`${n}`)

    const flush = counts.flush()
    await begun
    add('more')

    expect(counts.size).toBe(61)
    await flush
    expect(counts.size).toBe(1)
  })

  test('saves additions during a flush with the next one, and resolves after both', async () => {
    const { counts, saved, begun, add } = createCounts()
    add('a')
    const first = counts.flush()
    await begun
    add('b')

    await counts.flush()

    expect(saved.flat().map(({ name }) => name)).toEqual(['a', 'b'])
    await first
  })
})
