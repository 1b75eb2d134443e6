import { describe, expect, test } from 'bun:test'
import { numberedName, searchNumber } from '../../src/platform/names.ts'

/** Returns the number that the search finds, and how often it asks. */
function search(isTaken: (number: number) => boolean, first?: number) {
  const asked = searchNumber(first)
  let questions = 0
  let step = asked.next()
  while (!step.done) {
    questions += 1
    step = asked.next(isTaken(step.value))
  }
  return { number: step.value, questions }
}

describe('the search for a free number', () => {
  test.each([0, 1, 2, 15, 16, 17, 18, 100, 1000, 123_456])('finds the next after %d', (count) => {
    const { number, questions } = search((asked) => asked <= count)
    expect(number).toBe(count + 1)
    expect(questions).toBeLessThan(20 + 2 * Math.log2(count + 1))
  })

  test('begins at a number', () => {
    expect(search((asked) => asked <= 1000, 1001)).toEqual({ number: 1001, questions: 1 })
  })

  test('finds a gap among the first', () => {
    expect(search((asked) => asked !== 7).number).toBe(7)
  })

  test('finds one after a taken one among gaps', () => {
    const isTaken = (asked: number) => asked <= 50 || asked % 3 === 0
    const { number = 0 } = search(isTaken)
    expect([isTaken(number - 1), isTaken(number)]).toEqual([true, false])
  })

  test('ends where none is free', () => {
    const { number, questions } = search(() => true)
    expect(number).toBeUndefined()
    expect(questions).toBeLessThan(100)
  })
})

test('a number stands before the extension of a file, and the name is cut to fit', () => {
  expect(numberedName({ name: 'a.b.jpg', kind: 'file' }, 1)).toBe('a.b.jpg')
  expect(numberedName({ name: 'a.b.jpg', kind: 'file' }, 12)).toBe('a.b (12).jpg')
  expect(numberedName({ name: 'a.b.jpg', kind: 'folder' }, 12)).toBe('a.b.jpg (12)')
  const long = numberedName({ name: `${'ü'.repeat(125)}.jpg`, kind: 'file' }, 1000)
  expect(long).toBe(`${'ü'.repeat(122)} (1000).jpg`)
})
