import { expect, test } from 'bun:test'
import type { Right } from '../../src/client/index.ts'
import { levelOf, rightsOf } from '../../src/dashboard/lib/levels.ts'

const OTHERS: readonly Right[] = ['write', 'delete', 'share']

/** Each set of rights that a folder can have. */
const SETS = Array.from({ length: 8 }, (_, bits): Right[] => [
  'read',
  ...OTHERS.filter((_, at) => (bits & (1 << at)) !== 0),
])

test.each(SETS.map((rights) => [rights]))('the level of %p stands for these rights', (rights) => {
  expect(rightsOf(levelOf(rights), rights.includes('share')).toSorted()).toEqual(rights.toSorted())
})
