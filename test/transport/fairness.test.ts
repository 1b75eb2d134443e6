import { expect, test } from 'bun:test'
import { Fairness, type Lane, REQUEST_COST } from '../../src/transport/fairness.ts'

/** Queues many requests for turns at once. Returns the lanes in the order of their turns. */
async function orderOf(lanes: readonly Lane[]): Promise<string[]> {
  const fairness = new Fairness()
  const order: string[] = []
  await Promise.all(
    lanes.map(async (lane, index) => {
      await fairness.turn(REQUEST_COST, lane)
      order.push(`${lane} ${index}`)
    }),
  )
  return order
}

const flood = (length: number, lane: Lane): Lane[] => Array.from({ length }, () => lane)

test.each<[Lane, Lane]>([
  ['reading', 'changing'],
  ['reading', 'sending'],
  ['changing', 'reading'],
  ['changing', 'sending'],
  ['sending', 'reading'],
  ['sending', 'changing'],
  ['taking', 'sending'],
  ['reading', 'taking'],
])('work in the lane "%s" waits for few of a flood in the lane "%s"', async (one, others) => {
  const order = await orderOf([...flood(100, others), one])

  expect(order).toHaveLength(101)
  expect(order.indexOf(`${one} 100`)).toBeLessThan(10)
})

test('those in one lane get their turns in the order in which they came', async () => {
  const lanes = flood(20, 'reading')

  expect(await orderOf(lanes)).toEqual(lanes.map((lane, index) => `${lane} ${index}`))
})

test('a turn starts at once while the time slice lasts, and other work runs between turns', async () => {
  const fairness = new Fairness()
  expect(fairness.turn(REQUEST_COST, 'reading')).toBeUndefined()
  let isReached = false
  setImmediate(() => {
    isReached = true
  })

  for (const lane of flood(20, 'changing')) await fairness.turn(REQUEST_COST, lane)

  expect(isReached).toBe(true)
})
