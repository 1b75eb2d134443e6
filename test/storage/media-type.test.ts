import { describe, expect, test } from 'bun:test'
import { mediaType } from '../../src/store/content.ts'

describe('mediaType()', () => {
  test.each([
    ['a.txt', 'text/plain'],
    ['a.html', 'text/html'],
    ['A.HTML', 'text/html'],
    ['a.xhtml', 'application/xhtml+xml'],
    ['a.svg', 'image/svg+xml'],
    ['a.js', 'text/javascript'],
    ['a.json', 'application/json'],
    ['a.pdf', 'application/pdf'],
    ['a.png', 'image/png'],
    ['a.mp4', 'video/mp4'],
    ['a.zip', 'application/zip'],
    ['a.tar.gz', 'application/gzip'],
    ['photo.of.me.jpg', 'image/jpeg'],
    ['é 😀.css', 'text/css'],
  ])('derives the type of %s from its extension: %s', (name, expected) => {
    expect(mediaType(name)).toBe(expected)
  })

  test.each([
    'README',
    'png',
    'html',
    'a.',
    'a.unknown-type',
    'a.png ',
    '.',
    '',
    'a.constructor',
    'a.__proto__',
  ])('does not know %j', (name) => {
    expect(mediaType(name)).toBe('application/octet-stream')
  })

  test('names no charset', () => {
    expect(['a.txt', 'a.html', 'a.json', 'a.css'].map(mediaType).join()).not.toInclude('charset')
  })
})
