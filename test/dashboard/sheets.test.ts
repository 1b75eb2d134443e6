import { expect, test } from 'bun:test'
import { join } from 'node:path'

/** Classes have no types: this test finds those that are misspelt, and rules that no element needs. */

const DASHBOARD = join(import.meta.dir, '../../src/dashboard')
/** Beginning of the classes that the highlighter sets. */
const FOREIGN = 'hljs-'
/** Classes by which scripts find an element, without a rule. */
const UNSTYLED = ['other', 'visits']

const read = async (pattern: string): Promise<string> => {
  const paths = [...new Bun.Glob(pattern).scanSync({ cwd: DASHBOARD, absolute: true })]
  return (await Promise.all(paths.map((path) => Bun.file(path).text()))).join('\n')
}

const sheets = (await read('**/*.css')).replace(/\/\*.*?\*\//gs, '')
const scripts = await read('**/*.{ts,tsx}')
const styled = new Set([...sheets.matchAll(/\.([a-z][\w-]*)(?=[^;{}]*\{)/g)].map(([, name = '']) => name))

test('every rule is for classes that elements can have', () => {
  const texts = [...scripts.matchAll(/'[^'\n]*'|"[^"\n]*"|`[^`]*`/g)].join(' ')
  const words = new Set(texts.split(/[^\w-]+/))
  const beginnings = [...texts.matchAll(/([a-z][\w-]*-)\$\{/g)].map(([, beginning = '']) => beginning)
  const isUsed = (name: string) =>
    words.has(name) || [FOREIGN, ...beginnings].some((beginning) => name.startsWith(beginning))
  expect([...styled].filter((name) => !isUsed(name))).toEqual([])
})

test('every class of an element has a rule', () => {
  const named = [...scripts.matchAll(/className="([^"]*)"/g)].flatMap(([, names = '']) => names.split(' '))
  expect(named.filter((name) => !styled.has(name) && !UNSTYLED.includes(name))).toEqual([])
})
