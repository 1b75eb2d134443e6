import { expect, test } from 'bun:test'
import { createTurns } from '../src/platform/time.ts'

const loopTurn = () => new Promise(setImmediate)

test('of several that wait, one has its turn in each turn of the event loop, in their order', async () => {
  const nextTurn = createTurns()
  const done: string[] = []
  for (const name of ['a', 'b', 'c']) void nextTurn().then(() => done.push(name))

  const seen: string[] = []
  for (let n = 0; n < 4; n += 1) {
    seen.push(done.join(''))
    await loopTurn()
  }

  expect([...seen, done.join('')]).toEqual(['', 'a', 'ab', 'abc', 'abc'])
})

test('a second request of one caller queues behind those already waiting', async () => {
  const nextTurn = createTurns()
  const done: string[] = []
  const work = async (name: string) => {
    for (let n = 0; n < 2; n += 1) {
      await nextTurn()
      done.push(name)
    }
  }

  await Promise.all([work('a'), work('b')])

  expect(done).toEqual(['a', 'b', 'a', 'b'])
})
