import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Glob } from 'bun'
import { findDroppedQueries } from './support/dropped-queries.ts'

const ROOT = join(import.meta.dir, '..')
const EXAMPLES = 'test/support/dropping.ts'
const textOf = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const mentionsRows = (path: string) => /\b(?:store|catalog|deps)\b/.test(textOf(path))
const isBrowsers = (path: string) => path.startsWith('src/dashboard/') || path === EXAMPLES

test('neither a query nor a promise is dropped', async () => {
  const paths = [...new Glob('{src,test}/**/*.ts').scanSync(ROOT)]
    .filter((path) => !isBrowsers(path) && mentionsRows(path))
    .sort()
  const dropping = textOf(EXAMPLES)
    .split('\n')
    .flatMap((line, index) => (/ \/\/ \w+$/.test(line) ? [`${EXAMPLES}:${index + 1}`] : []))

  const found = await findDroppedQueries([EXAMPLES, ...paths])

  expect(found.toSorted()).toEqual(dropping.toSorted())
})
