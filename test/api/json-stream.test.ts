import { describe, expect, test } from 'bun:test'
import { jsonStream, Slices } from '../../src/api/json-stream.ts'

const textOf = (value: unknown) => [...jsonStream(value)].join('')

describe('jsonStream()', () => {
  test.each<[unknown, string]>([
    [{}, '{}'],
    [{ a: 1, b: 'x"', c: null, d: [1, { e: 2 }] }, '{"a":1,"b":"x\\"","c":null,"d":[1,{"e":2}]}'],
    [{ files: new Slices([]) }, '{"files":[]}'],
    [
      { files: new Slices([[], [1, 2], [], [{ a: 3 }], []]), more: true },
      '{"files":[1,2,{"a":3}],"more":true}',
    ],
    [
      { data: { a: new Slices([['x']]), b: new Slices([['y']]) }, error: null },
      '{"data":{"a":["x"],"b":["y"]},"error":null}',
    ],
  ])('writes %p as JSON', (value, text) => {
    expect(textOf(value)).toBe(text)
  })

  test('yields an empty text for an empty slice', () => {
    expect([...jsonStream(new Slices([[], [1]]))]).toEqual(['[', '', '1', ']'])
  })

  test('reads a slice only when its text is needed', () => {
    let read = 0
    function* slices() {
      for (read = 1; ; read += 1) yield [read]
    }
    const texts = jsonStream(new Slices(slices()))
    for (let n = 0; n < 3; n += 1) texts.next()

    expect(read).toBe(2)
  })
})
