import { expect, test } from 'bun:test'
import { lexMarkdown, withoutTags } from '../../src/dashboard/pages/files/preview/text/lex-markdown.ts'

test.each([
  ['plain', 'plain'],
  ['a <b onclick="x">bold</b> c', 'a bold c'],
  ['a <!-- <b>no</b> --> b', 'a  b'],
  ['a <!-- no end', 'a '],
  ['<SCRIPT>let a = "<b>"</script >after', 'after'],
  ['<style>a > b {}</style>after<script>never', 'after'],
  ['<scripture>text</scripture>', 'text'],
  ['1 < 2', '1 < 2'],
])('tags of %j are removed', (html, text) => {
  expect(withoutTags(html)).toBe(text)
})

test('many comments without an end are removed in one pass', () => {
  expect(withoutTags('<!--'.repeat(4 * 1024 * 1024))).toBe('')
})

test('the marks of a paragraph are read unless it is too long', () => {
  const [short] = lexMarkdown('*a*')
  const [long] = lexMarkdown('*a* '.repeat(64 * 1024))

  expect(short).toMatchObject({ type: 'paragraph', tokens: [{ type: 'em' }] })
  expect(long).toMatchObject({ type: 'paragraph', tokens: [{ type: 'text' }] })
})

test.each(['> '.repeat(200), Array.from({ length: 200 }, (_, n) => `${'  '.repeat(n)}- a`).join('\n')])(
  'Markdown that is nested too deeply is rejected',
  (text) => {
    expect(() => lexMarkdown(text)).toThrow(RangeError)
    expect(() => lexMarkdown('> > - a')).not.toThrow()
  },
)
