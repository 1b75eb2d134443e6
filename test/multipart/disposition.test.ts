import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { MultipartError } from '../../src/multipart/error.ts'
import { parseDisposition } from '../../src/multipart/header.ts'
import { forAll } from '../support/for-all.ts'
import { utf8 } from './samples.ts'

function filenameOf(header: string): string | undefined {
  return parseDisposition(utf8(header)).filename
}

describe('parseDisposition()', () => {
  test.each([
    ['form-data; name="a"', 'a'],
    ['form-data; name=a', 'a'],
    ['form-data;name=a;', 'a'],
    ['form-data ; ; name = "a" ; other=1', 'a'],
    ['FORM-DATA; NAME="Ä;=\'"', "Ä;='"],
    ['form-data; name="%22"', '"'],
    ['form-data; name=""', ''],
  ])('reads the name of %p', (header, name) => {
    expect(parseDisposition(utf8(header))).toEqual({ name, filename: undefined })
  })

  test.each([
    ['filename="a.txt"', 'a.txt'],
    ['filename=a.txt', 'a.txt'],
    ['filename=""', ''],
    ['filename="日本語 😀.txt"', '日本語 😀.txt'],
    ['filename="\uFEFFa"', '\uFEFFa'],
    ['filename="a;b=c, d"', 'a;b=c, d'],
    ['filename="C:\\dir\\x.txt"', 'C:\\dir\\x.txt'],
    ['filename="a\\"b\\\\c"', 'a"b\\c'],
    ['filename="\\\\\\\\host\\\\x"', '\\\\host\\x'],
    ['filename="../../etc/passwd"', '../../etc/passwd'],
    ['filename="%22 %0D%0A.txt"', '" \r\n.txt'],
    ['filename="100% %25 %20 %0d %zz %2522.txt"', '100% %25 %20 %0d %zz %2522.txt'],
    ["filename*=UTF-8''%2522", '%22'],
    ["filename*=UTF-8''%e2%82%ac.txt", '€.txt'],
    ["filename*=utf-8'en'a%20b!#$&+.^_`|~-", 'a b!#$&+.^_`|~-'],
    ["filename*=iso-8859-1''%A3%20%80", '£ \x80'],
    ["filename*=UTF-8''", ''],
    ['filename*="UTF-8\'\'a%2Fb"', 'a/b'],
    ["filename=plain; filename*=UTF-8''extended", 'extended'],
    ["filename*=UTF-8''extended; filename=plain", 'extended'],
    ["filename*=UTF-8''; filename=plain", ''],
  ])('reads the file name of %p', (parameters, filename) => {
    expect(filenameOf(`form-data; name=a; ${parameters}`)).toBe(filename)
  })

  test.each([
    ['', 'not form-data'],
    ['attachment; name=a', 'not form-data'],
    ['form-data', 'no name'],
    ['form-data; filename=a', 'no name'],
    ["form-data; name*=UTF-8''a", 'no name'],
    ['form-data name=a', 'not form-data'],
    ['form-data; name', 'malformed'],
    ['form-data; name=', 'malformed'],
    ['form-data; =a', 'malformed'],
    ['form-data; name="a', 'malformed'],
    ['form-data; name="a\\"', 'malformed'],
    ['form-data; name="a" b', 'malformed'],
    ['form-data; name=a b', 'malformed'],
    ['form-data; name="a", filename=b', 'malformed'],
    ['form-data; name=a; filename=é', 'malformed'],
    ['form-data; name=a; filename=C:\\x', 'malformed'],
    ['form-data; name=a; name=a', 'twice'],
    ['form-data; name=a; filename=x; FILENAME=y', 'twice'],
    ["form-data; name=a; filename*=UTF-8''x; filename*=UTF-8''y", 'twice'],
    ["form-data; name=a; filename*=UTF-8''%4", 'percent-encoded'],
    ["form-data; name=a; filename*=UTF-8''%zz; filename=fine", 'percent-encoded'],
    ["form-data; name=a; filename*=UTF-16''a", 'percent-encoded'],
    ["form-data; name=a; filename*=UTF-8'a", 'percent-encoded'],
    ['form-data; name=a; filename*=a', 'percent-encoded'],
    ["form-data; name=a; filename*=UTF-8''%ff", 'not UTF-8'],
  ])('refuses %p', (header, reason) => {
    expect(() => parseDisposition(utf8(header))).toThrow(MultipartError)
    expect(() => parseDisposition(utf8(header))).toThrow(reason)
  })

  test.each([
    ['form-data; name="\xff"'],
    ['form-data; name="a"; filename="caf\xe9.txt"'],
    ['form-data; name="a"; filename="\xed\xa0\x80"'],
    ['form-data; name="a"; filename="\xc0\xaf"; filename*=UTF-8\'\'fine'],
  ])('refuses text that is not UTF-8 in %p', (header) => {
    expect(() => parseDisposition(header)).toThrow(MultipartError)
  })

  test('reads back any name that a sender quotes', async () => {
    const names = fc.string({ unit: 'grapheme' }).filter((name) => !/%(22|0D|0A)/.test(name))
    await forAll(names, {}, (filename) => {
      const quoted = filename.replace(/["\\]/g, '\\$&')
      expect(filenameOf(`form-data; name=a; filename="${quoted}"`)).toBe(filename)
      expect(filenameOf(`form-data; name=a; filename*=UTF-8''${encodeAll(filename)}`)).toBe(filename)
    })
  })

  test('reads a long value that almost matches in linear time', () => {
    // In quadratic time each would take far longer than a test may.
    const hostile = ['\\"', '; a=', ' ', '\t;', "'", '%41', 'a='].map(
      (text) => `form-data; x="${text.repeat(50_000)}`,
    )

    for (const header of hostile) expect(() => parseDisposition(header)).toThrow(MultipartError)
  })
})

function encodeAll(text: string): string {
  return [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
}
