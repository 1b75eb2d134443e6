import { expect, test } from 'bun:test'
import { withMarks } from '../../src/dashboard/lib/format.ts'
import { withMarks as withMarksOnPages } from '../../src/platform/marks.ts'

test.each([
  ['invoice\u202efdp.exe', 'invoice[U+202E]fdp.exe'],
  ['a\u2066b\u2069', 'a[U+2066]b[U+2069]'],
  ['two\nlines', 'two[U+000A]lines'],
  ['zero\u200bwidth', 'zero[U+200B]width'],
  ['שלום.txt', 'שלום.txt'],
  ['👩‍💻.png', '👩‍💻.png'],
])('withMarks() shows the hidden characters in %j', (name, shown) => {
  expect([withMarks(name), withMarksOnPages(name)]).toEqual([shown, shown])
})
