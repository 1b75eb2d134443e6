import { describe, expect, test } from 'bun:test'
import { Pace } from '../../src/dashboard/bulk/pace.ts'

const takeMany = (pace: Pace, count: number) => Array.from({ length: count }, () => pace.take())

describe('the pace of bulk work', () => {
  test('leaves half of the default limit to the pages', () => {
    let now = 0
    const pace = new Pace(() => now)

    expect(takeMany(pace, 150).every((wait) => wait === 0)).toBe(true)
    now = 1000
    expect(pace.take()).toBe(59_000)
    now = 60_000
    expect(pace.take()).toBe(0)
  })

  test('halves when the server refuses a request, down to ten', () => {
    const pace = new Pace(() => 0)
    for (let n = 0; n < 9; n += 1) pace.slowDown()

    expect(takeMany(pace, 11)).toEqual([...Array.from({ length: 10 }, () => 0), 60_000])
  })
})
