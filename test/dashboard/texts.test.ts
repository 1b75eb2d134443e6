import { describe, expect, test } from 'bun:test'
import { countLines, decode, detectEncoding } from '../../src/dashboard/pages/files/preview/text/decode.ts'
import { highlight } from '../../src/dashboard/pages/files/preview/text/highlight.ts'
import { formatOf } from '../../src/dashboard/pages/files/preview/text/language.ts'

const TEXT = 'Grüße aus Köln\nzweite Zeile\n'

const swapped = (text: string) => Buffer.from(text, 'utf16le').swap16()

describe('detectEncoding()', () => {
  test.each([
    ['UTF-8', Buffer.from(TEXT), 'utf-8'],
    ['UTF-8 that is cut within a character', Buffer.from('Grü').subarray(0, 3), 'utf-8'],
    ['UTF-8 with a byte order mark', Buffer.from(`\ufeff${TEXT}`), 'utf-8'],
    ['UTF-16 with a byte order mark', Buffer.from(`\ufeff${TEXT}`, 'utf16le'), 'utf-16le'],
    ['big-endian UTF-16 with a byte order mark', swapped(`\ufeff${TEXT}`), 'utf-16be'],
    ['UTF-16', Buffer.from(TEXT, 'utf16le'), 'utf-16le'],
    ['big-endian UTF-16', swapped(TEXT), 'utf-16be'],
    ['Latin-1', Buffer.from(TEXT, 'latin1'), 'windows-1252'],
  ] as const)('%s is read as it was written', (_, bytes, encoding) => {
    expect(detectEncoding(bytes)).toBe(encoding)
    expect(TEXT).toStartWith(decode(bytes, encoding))
  })

  test.each([
    ['a ZIP archive', Buffer.from('PK\x03\x04\x14\x00\x06\x00word/document.xml', 'latin1')],
    ['bytes without zeroes', Buffer.from(Array.from({ length: 900 }, (_, n) => 1 + (n % 255)))],
  ])('%s is no text', (_, bytes) => {
    expect(detectEncoding(bytes)).toBeUndefined()
  })
})

describe('countLines()', () => {
  test.each([
    ['utf-8', Buffer.from(TEXT)],
    ['utf-16le', Buffer.from(`${TEXT}\u0a0a\u0a00`, 'utf16le')],
    ['utf-16be', swapped(`${TEXT}\u0a0a\u000b`)],
  ] as const)('counts the line feeds of %s alone', (encoding, bytes) => {
    expect(countLines(bytes, encoding)).toBe(2)
  })
})

describe('formatOf()', () => {
  test.each([
    ['main.ts', '', { is: 'code', language: 'typescript' }],
    ['Dockerfile', '', { is: 'code', language: 'dockerfile' }],
    ['Makefile', '', { is: 'code', language: 'makefile' }],
    ['.env', '', { is: 'code', language: 'ini' }],
    ['run', '#!/usr/bin/env python3\n', { is: 'code', language: 'python' }],
    ['README.MD', '', { is: 'markdown', language: 'markdown' }],
    ['table.csv', '', { is: 'table' }],
    ['LICENSE', 'MIT', { is: 'text' }],
    ['toString', '', { is: 'text' }],
  ])('%s', (name, beginning, format) => {
    expect(formatOf(name, beginning)).toEqual(format as ReturnType<typeof formatOf>)
  })
})

describe('highlight()', () => {
  test('the lines have the whole text, markup included', () => {
    const code = 'const a = "<b>&amp;\'</b>"\n\n// <script>\nlet b = `\n`'

    const lines = highlight(code, 'typescript').map((line) => line.map(([text]) => text).join(''))

    expect(lines.join('\n')).toBe(code)
  })
})
