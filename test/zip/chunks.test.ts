import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { ByteList, gather } from '../../src/zip/chunks.ts'
import { forAll } from '../support/for-all.ts'
import { collect } from './samples.ts'

const KIB = 1024
const BLOCK = 64 * KIB

async function* pieces(...lengths: number[]): AsyncGenerator<Uint8Array, void> {
  for (const [index, length] of lengths.entries()) yield new Uint8Array(length).fill(index + 1)
}

describe('gather()', () => {
  test.each<[number[], number[]]>([
    [[], []],
    [[0], []],
    [[1, 2, 3], [6]],
    [[...Array(4).fill(BLOCK - 1), 4], [4 * BLOCK]],
    [
      [...Array(4).fill(BLOCK - 1), 5],
      [4 * BLOCK - 4, 5],
    ],
    [[BLOCK], [BLOCK]],
    [
      [1, BLOCK, 2],
      [1, BLOCK, 2],
    ],
    [
      [16 * BLOCK, 0, BLOCK],
      [16 * BLOCK, BLOCK],
    ],
  ])('makes of pieces of %j bytes chunks of %j', async (lengths, expected) => {
    const chunks = await Array.fromAsync(gather(pieces(...lengths)))

    expect(chunks.map((chunk) => chunk.length)).toEqual(expected)
  })

  test('changes no byte and no order', async () => {
    const lengths = fc.array(fc.oneof(fc.nat(100), fc.nat(80 * KIB)), { maxLength: 30 })
    await forAll(lengths, {}, async (some) => {
      expect(await collect(gather(pieces(...some)))).toEqual(await collect(pieces(...some)))
    })
  })
})

describe('ByteList', () => {
  test('has the appended bytes in order, and their length', async () => {
    const length = fc.oneof(fc.nat(100), fc.nat(200 * KIB), fc.constant(64 * KIB))
    const lengths = fc.array(length, { maxLength: 9 })
    await forAll(lengths, {}, (some) => {
      const list = new ByteList()
      const appended = some.map((length, index) => new Uint8Array(length).fill(index + 1))
      for (const bytes of appended) list.append(bytes)

      expect(list.length).toBe(some.reduce((sum, length) => sum + length, 0))
      const drained = Array.from(list.drain(), (block) => block.slice())
      expect(Buffer.concat(drained)).toEqual(Buffer.concat(appended))
    })
  })

  test('frees a block when the next is requested', () => {
    const list = new ByteList()
    list.append(new Uint8Array(200 * KIB))

    const blocks = Array.from(list.drain(), (block) => ({ block, length: block.length }))

    expect(blocks.map(({ length }) => length)).toEqual([64 * KIB, 64 * KIB, 64 * KIB, 8 * KIB])
    expect(blocks.map(({ block }) => block.length)).toEqual([0, 0, 0, 8 * KIB])
  })

  test('frees chunks that were not pulled', () => {
    const list = new ByteList()
    list.append(new Uint8Array(200 * KIB))
    const drained = list.drain()
    const { value: first } = drained.next()

    list.free()

    expect(first?.length).toBe(64 * KIB)
    expect(drained.next().value?.length).toBe(8 * KIB)
  })
})
