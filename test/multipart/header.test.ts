import { describe, expect, test } from 'bun:test'
import { MultipartError } from '../../src/multipart/error.ts'
import { findDisposition, parseParameters } from '../../src/multipart/header.ts'

describe('parseParameters()', () => {
  test('preserves the case of values and lowers that of everything else', () => {
    expect(parseParameters('Form-Data; NAME=Ab; Other="C"')).toEqual({
      value: 'form-data',
      parameters: new Map([
        ['name', 'Ab'],
        ['other', 'C'],
      ]),
    })
  })

  test('is undefined for a repeated parameter, in any case', () => {
    expect(parseParameters('x; a=1; A=1')).toBeUndefined()
  })

  test('returns no value for names on the prototype of objects', () => {
    expect(parseParameters('x; __proto__=1; constructor=2')?.parameters.size).toBe(2)
  })
})

describe('findDisposition()', () => {
  test.each([
    ['\r\nContent-Disposition: form-data', 'form-data'],
    ['\t \r\nX: 1\r\ncontent-disposition:\tform-data', 'form-data'],
    ['\r\nContent-Disposition: form-data;\r\n name=a\r\nX: 1', 'form-data; name=a'],
    ['\r\nContent-Disposition: form-data; name="a\r\n\tb"', 'form-data; name="a\tb"'],
    ['\r\nContent-Disposition: ', ''],
  ])('finds the value in %p', (block, value) => {
    expect(findDisposition(block)).toBe(value)
  })

  test.each([
    ['', 'no Content-Disposition'],
    ['\r\nContent-Type: text/plain', 'no Content-Disposition'],
    ['\r\nContent-Disposition: a\r\nContent-Disposition: a', 'two Content-Disposition'],
    ['\r\nContent-Disposition: a\r\nnothing', 'name and a colon'],
    ['\r\nContent-Disposition: a\r\n: b', 'name and a colon'],
    ['\r\nContent-Disposition : a', 'name and a colon'],
    ['\r\nContent-Disposition: a\r\nX Y: b', 'name and a colon'],
    ['\r\nContent-Disposition: a\nX: b', 'bare'],
    ['\r\nContent-Disposition: a\rX: b', 'bare'],
    ['\r\nContent-Disposition: a\0', 'bare'],
    ['\nContent-Disposition: a', 'boundary line'],
    ['x\r\nContent-Disposition: a', 'boundary line'],
    ['-\r\nContent-Disposition: a', 'boundary line'],
    ['\r\n Content-Disposition: a', 'boundary line'],
  ])('refuses %p', (block, reason) => {
    expect(() => findDisposition(block)).toThrow(MultipartError)
    expect(() => findDisposition(block)).toThrow(reason)
  })
})
