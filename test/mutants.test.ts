import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { MUTANTS as OF_COSTS } from './cost/mutants.ts'
import { MUTATIONS as OF_FAULTS } from './faults/mutations.ts'
import { MUTANTS as OF_ORDERS } from './linear/mutants.ts'

/** The mutants run in commands of their own, which take minutes. A change of the source shows here what it moved. */
test.each([...OF_FAULTS, ...OF_ORDERS, ...OF_COSTS].map((mutant) => [mutant.name, mutant] as const))(
  'the text of the mutant "%s" is once in its file',
  (_, { file, text, also }) => {
    for (const edit of also ? [{ file, text }, also] : [{ file, text }]) {
      const source = readFileSync(join(import.meta.dir, '..', edit.file), 'utf8')
      expect([edit.file, source.split(edit.text).length - 1]).toEqual([edit.file, 1])
    }
  },
)
