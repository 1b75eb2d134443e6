import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { browserTestsOf } from './pages.ts'

/** Table of the browser tests that look at a file of `src`. */

const ROOT = join(import.meta.dir, '../..')
const find = (pattern: string) => [...new Bun.Glob(pattern).scanSync(ROOT)]
const checks = find('test/browser/*.check.ts')

test('browser tests look at every file of the dashboard', () => {
  const unseen = find('src/dashboard/**/*.{ts,tsx,css,html,svg}').filter(
    (path) => !path.endsWith('.d.ts') && browserTestsOf(path).length === 0,
  )

  expect(unseen).toEqual([])
})

test('the table has every browser test, and no other', () => {
  const named = new Set(find('src/**/*').flatMap(browserTestsOf))

  expect([...named].filter((path) => !checks.includes(path))).toEqual([])
  expect(checks.filter((path) => !named.has(path))).toEqual([])
})
