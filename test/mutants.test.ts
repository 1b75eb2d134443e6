import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { MUTATIONS } from './faults/mutations.ts'

/** The mutants run in commands of their own, which take minutes. A change of the source shows here what it moved. */
test.each(MUTATIONS.map((mutant) => [mutant.name, mutant] as const))(
  'the text of the mutant "%s" is once in its file',
  (_, { file, text, also }) => {
    for (const edit of also ? [{ file, text }, also] : [{ file, text }]) {
      const source = readFileSync(join(import.meta.dir, '..', edit.file), 'utf8')
      expect([edit.file, source.split(edit.text).length - 1]).toEqual([edit.file, 1])
    }
  },
)
