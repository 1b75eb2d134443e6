import { describe, expect, test } from 'bun:test'
import { jsonStream, Slices } from '../../src/api/json-stream.ts'
import { rounds } from '../support/eventually.ts'

const textsOf = (value: unknown) => Array.fromAsync(jsonStream(value))

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
  ])('writes %p as JSON', async (value, text) => {
    expect((await textsOf(value)).join('')).toBe(text)
  })

  test('waits for slices that take time', async () => {
    async function* slices() {
      for (const slice of [[1, 2], [], [3]]) {
        await rounds(1)
        yield slice
      }
    }
    expect((await textsOf({ a: new Slices(slices()) })).join('')).toBe('{"a":[1,2,3]}')
  })

  test('yields an empty text for an empty slice', async () => {
    expect(await textsOf(new Slices([[], [1]]))).toEqual(['[', '', '1', ']'])
  })

  test('reads a slice only when its text is needed', async () => {
    let read = 0
    function* slices() {
      for (read = 1; ; read += 1) yield [read]
    }
    const texts = jsonStream(new Slices(slices()))
    for (let n = 0; n < 3; n += 1) await texts.next()

    expect(read).toBe(2)
  })
})
