import { describe, expect, test } from 'bun:test'
import { type Event, explain } from './search.ts'

/** Register: the simplest shared object. */
interface Register {
  value: number
  digest: string
}

const register = (value: number): Register => ({ value, digest: String(value) })

const write = (begin: number, end: number, value: number): Event<Register> => ({
  begin,
  end,
  apply: () => register(value),
})
const read = (begin: number, end: number, seen: number): Event<Register> => ({
  begin,
  end,
  apply: (state) => (state.value === seen ? state : undefined),
})

const verdictOf = (...events: Event<Register>[]) => explain(register(0), events).kind

describe('a history', () => {
  test('of no operations is explained', () => {
    expect(verdictOf()).toBe('explained')
  })

  test('is explained when a read during a write sees the old or the new value', () => {
    expect(verdictOf(write(1, 4, 7), read(2, 3, 0))).toBe('explained')
    expect(verdictOf(write(1, 4, 7), read(2, 3, 7))).toBe('explained')
  })

  test('is not explained when a read after a write sees the old value', () => {
    expect(verdictOf(write(1, 2, 7), read(3, 4, 0))).toBe('unexplained')
  })

  test('is not explained when a read sees a value and a later read the one before it', () => {
    expect(verdictOf(write(1, 8, 7), read(2, 3, 7), read(4, 5, 0))).toBe('unexplained')
  })

  test('is not explained when two readers see two writes in different orders', () => {
    const writes = [write(1, 20, 1), write(2, 21, 2)]
    const [one, other] = [
      [read(3, 4, 1), read(5, 6, 2)],
      [read(3, 4, 2), read(7, 8, 1)],
    ]
    expect(verdictOf(...writes, ...(one ?? []))).toBe('explained')
    expect(verdictOf(...writes, ...(one ?? []), ...(other ?? []))).toBe('unexplained')
  })

  test('is not explained by a value that was never written', () => {
    expect(verdictOf(write(1, 4, 7), read(2, 3, 5))).toBe('unexplained')
  })

  test('may omit or place a write that had not ended', () => {
    const pending = { ...write(1, Number.POSITIVE_INFINITY, 7), isPending: true }
    expect(verdictOf(pending, read(2, 3, 0))).toBe('explained')
    expect(verdictOf(pending, read(2, 3, 7))).toBe('explained')
    expect(verdictOf(pending, read(2, 3, 7), read(4, 5, 0))).toBe('unexplained')
  })

  test('of many writes at once is explained without trying each of their orders', () => {
    const writes = Array.from({ length: 14 }, (_, value) => write(1 + value, 100 + value, value))
    expect(verdictOf(...writes, read(200, 201, 3))).toBe('explained')
  })

  test('is undecided when it has more orders than the limit', () => {
    const writes = Array.from({ length: 14 }, (_, value) => write(1 + value, 100 + value, value))
    expect(explain(register(0), [...writes, read(200, 201, 99)], 1000).kind).toBe('undecided')
  })

  test('that is not explained comes with the longest order', () => {
    expect(explain(register(0), [write(1, 2, 7), read(3, 4, 0)])).toEqual({
      kind: 'unexplained',
      longest: [0],
    })
  })
})
