import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { LANGUAGES } from '../../src/platform/languages.ts'

/** Texts of all languages. The compiler compares their shapes; this is what it does not see. */

const DASHBOARD = join(import.meta.dir, '../../src/dashboard')
const read = (path: string) => readFileSync(join(DASHBOARD, path), 'utf8')
const ENGLISH = ['texts.ts', ...new Bun.Glob('texts/*.ts').scanSync(DASHBOARD)].filter(
  (path) => path !== 'texts/translation.ts',
)

test.each(ENGLISH)('%s names each of its texts as their constant, and exports nothing else', (path) => {
  const exported = [...read(path).matchAll(/^export (?:const|function|let) (\w+)(.*)/gm)]

  expect(exported.length).toBeGreaterThan(0)
  for (const [, name, rest] of exported) expect(rest).toEndWith(`= inLanguage('${name}', {`)
})

test('a language must have the texts of every file', () => {
  const required = read('texts/translation.ts')

  expect(ENGLISH.filter((path) => !required.includes(path.replace('texts/', './')))).toEqual([])
})

/** Calls a text with arguments that are easy to find, and returns those that are in the result. */
const CALL = `
  const strings = ['Aa', 'Bb', 'Cc', 'Dd']
  const spoken = (say) => {
    try {
      const said = String(say(...strings))
      return strings.filter((word) => said.includes(word)).join()
    } catch {
      return 'needs other arguments'
    }
  }
  const list = (texts, path) =>
    Object.entries(texts).flatMap(([name, text]) =>
      typeof text === 'string'
        ? [[path + name, text.trim() === '' ? 'empty' : 'text']]
        : typeof text === 'function'
          ? [[path + name, spoken(text)]]
          : list(text, path + name + '.'),
    )
`

test.each(Object.keys(LANGUAGES).filter((tag) => tag !== 'en'))(
  'the texts in %s say what they are given',
  async (tag) => {
    const script = `${CALL}
    const english = {}
    for (const path of ${JSON.stringify(ENGLISH)}) Object.assign(english, await import(${JSON.stringify(DASHBOARD)} + '/' + path))
    await import(${JSON.stringify(DASHBOARD)} + '/texts/${tag}/index.ts')
    const { tag, texts } = globalThis.holdfastLanguage
    delete english.texts.trash
    delete english.texts.uploads
    console.log(JSON.stringify({ tag, english: list(english, ''), own: list(texts, '') }))`
    const run = Bun.spawn([process.execPath, '-e', script], { stdout: 'pipe' })
    const said = JSON.parse(await new Response(run.stdout).text())

    expect(said.tag).toBe(tag)
    expect(Object.fromEntries(said.own)).toEqual(Object.fromEntries(said.english))
  },
)
