import { describe, expect, test } from 'bun:test'
import { MultipartError } from '../../src/multipart/error.ts'
import { multipartBoundary } from '../../src/multipart/header.ts'

const LONGEST = 'b'.repeat(70)

describe('multipartBoundary()', () => {
  test.each([
    ['multipart/form-data; boundary=abc', 'abc'],
    ['multipart/form-data;boundary="a b\'()+_,-./:=?c"', "a b'()+_,-./:=?c"],
    ['Multipart/Form-Data; BOUNDARY=abc', 'abc'],
    ['multipart/form-data; charset=utf-8; boundary=abc;', 'abc'],
    ['multipart/form-data ; boundary=----=_Part_1_2.3', '----=_Part_1_2.3'],
    [`multipart/form-data; boundary=${LONGEST}`, LONGEST],
  ])('reads the boundary of %p', (contentType, boundary) => {
    expect(multipartBoundary(contentType)).toBe(boundary)
  })

  test.each([
    [null],
    [''],
    ['application/json'],
    ['application/x-www-form-urlencoded'],
    ['multipart/mixed; boundary=abc'],
    ['multipart/form-data-x; boundary=abc'],
    ['x; multipart/form-data; boundary=abc'],
  ])('refuses the type %p', (contentType) => {
    expect(() => multipartBoundary(contentType)).toThrow(
      new MultipartError('Cannot read request body: Content-Type is not multipart/form-data'),
    )
  })

  test.each([
    ['multipart/form-data'],
    ['multipart/form-data; boundary'],
    ['multipart/form-data; boundary='],
    ['multipart/form-data; boundary=""'],
    ['multipart/form-data; boundary="abc "'],
    ['multipart/form-data; boundary="abc'],
    ['multipart/form-data; boundary=a b'],
    ['multipart/form-data; boundary=é'],
    ['multipart/form-data; boundary="a\tb"'],
    ['multipart/form-data; boundary=a; boundary=b'],
    ['multipart/form-data; boundary=a, multipart/form-data; boundary=b'],
    [`multipart/form-data; boundary=${LONGEST}b`],
  ])('refuses the boundary of %p', (contentType) => {
    expect(() => multipartBoundary(contentType)).toThrow(
      new MultipartError('Cannot read multipart body: Content-Type has no valid boundary'),
    )
  })
})
