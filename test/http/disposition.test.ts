import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { contentDisposition } from '../../src/http/file-response.ts'
import { forAll } from '../support/for-all.ts'

const EXT_VALUE = /^(?:[A-Za-z0-9!#$&+\-.^_`|~]|%[0-9A-F]{2})*$/
const HEADER = /^inline; filename="([\x20\x21\x23-\x5b\x5d-\x7e]*)"; filename\*=UTF-8''(.*)$/

/** Decodes the exact name for clients that support `filename*`. */
function decodedName(header: string): string {
  const [, , extValue = ''] = HEADER.exec(header) ?? []
  expect(extValue).toMatch(EXT_VALUE)
  return decodeURIComponent(extValue)
}

describe('contentDisposition()', () => {
  test.each([
    ['a.txt', 'a.txt', 'a.txt'],
    ['a b.txt', 'a b.txt', 'a%20b.txt'],
    ['a"b.txt', 'a_b.txt', 'a%22b.txt'],
    ['a\\b', 'a_b', 'a%5Cb'],
    ['a;b=c,d', 'a;b=c,d', 'a%3Bb%3Dc%2Cd'],
    ['50%.txt', '50_.txt', '50%25.txt'],
    ['%0d%0aX: y', '_0d_0aX: y', '%250d%250aX%3A%20y'],
    ['a\r\nX: y', 'a__X: y', 'a%0D%0AX%3A%20y'],
    ['nul\0tab\tdel\x7f', 'nul_tab_del_', 'nul%00tab%09del%7F'],
    ["it's (1)*.txt", "it's (1)*.txt", 'it%27s%20%281%29%2A.txt'],
    ['é.png', '_.png', '%C3%A9.png'],
    ['e\u0301.png', 'e_.png', 'e%CC%81.png'],
    ['日本.txt', '__.txt', '%E6%97%A5%E6%9C%AC.txt'],
    ['😀.gif', '_.gif', '%F0%9F%98%80.gif'],
    ['\u202egnp.exe', '_gnp.exe', '%E2%80%AEgnp.exe'],
    ['\ud800x', '_x', '%EF%BF%BDx'],
    ['x\udc00', 'x_', 'x%EF%BF%BD'],
    ['!~-._', '!~-._', '!~-._'],
    ['', '', ''],
  ])('names %j', (name, fallback, encoded) => {
    const expected = `filename="${fallback}"; filename*=UTF-8''${encoded}`

    expect(contentDisposition('inline', name)).toBe(`inline; ${expected}`)
    expect(contentDisposition('attachment', name)).toBe(`attachment; ${expected}`)
  })

  test.each([
    ['letters', 'a'.repeat(255)],
    ['two-byte characters', 'é'.repeat(127)],
    ['emoji', '😀'.repeat(63)],
  ])('keeps a name of 255 bytes of %s', (_, name) => {
    expect(decodedName(contentDisposition('inline', name))).toBe(name)
  })

  test('returns a header that preserves any name', async () => {
    const units = fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code))
    await forAll(fc.string({ unit: units }), {}, (name) => {
      const header = contentDisposition('inline', name)

      expect(new Headers({ 'content-disposition': header }).get('content-disposition')).toBe(header)
      expect(header).toMatch(HEADER)
      expect(decodedName(header)).toBe(name.toWellFormed())
    })
  })
})
