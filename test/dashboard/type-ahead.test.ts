import { expect, test } from 'bun:test'
import { findByStart } from '../../src/dashboard/pages/files/list/keys.ts'

const names = ['Alpha', 'Ärger', 'beta', 'arm', 'gamma', 'Straße', 'e\u0301te\u0301'].map((name) => ({
  name,
}))

test.each([
  ['a', 0, 1],
  ['a', 1, 3],
  ['aa', 3, 0],
  ['ar', 1, 1],
  ['ARM', 0, 3],
  ['strasse', 0, 5],
  ['été', 0, 6],
  ['x', 0, -1],
])('typing "%s" at index %d goes to index %d', (typed, current, index) => {
  expect(findByStart(names, typed, current)).toBe(index)
})
