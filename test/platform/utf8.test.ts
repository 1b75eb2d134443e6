import { expect, test } from 'bun:test'
import { Utf8Check } from '../../src/platform/utf8.ts'

function check(...chunks: Uint8Array[]): boolean {
  const utf8 = new Utf8Check()
  for (const chunk of chunks) utf8.update(chunk)
  return utf8.end()
}

const TEXT = Buffer.from('aé€😀z')

test('a text in UTF-8 is known wherever its chunks end', () => {
  for (let first = 0; first <= TEXT.length; first += 1)
    for (let second = first; second <= TEXT.length; second += 1)
      expect(check(TEXT.subarray(0, first), TEXT.subarray(first, second), TEXT.subarray(second))).toBe(true)
  expect(check(...[...TEXT].map((byte) => Uint8Array.of(byte)))).toBe(true)
})

test.each([
  ['no bytes', ''],
  ['ASCII', '616263'],
  ['Latin-1', '636166e9'],
  ['a character that is broken off at the end', '61e282'],
  ['a continuation without a beginning', '61808080808061'],
  ['a surrogate', 'eda080'],
  ['an overlong form', 'c0af'],
])('%s is no text that needs a charset', (_, hex) => {
  const bytes = Buffer.from(hex, 'hex')
  expect(check(bytes)).toBe(false)
  expect(check(...[...bytes].map((byte) => Uint8Array.of(byte)))).toBe(false)
})
