import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { Spool, SpoolSpace } from '../../src/volume/spool.ts'
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

const append = async (list: ByteList, bytes: Uint8Array) => void (await list.append(bytes))

describe('ByteList', () => {
  let tmp: string
  beforeAll(() => {
    tmp = mkdtempSync(join(tmpdir(), 'holdfast-'))
  })
  afterAll(() => rmSync(tmp, { recursive: true }))
  /** Returns an overflow with room for some bytes on disk, beside those that it holds in memory. */
  const overflowOf = (bytes: number) => {
    let left = bytes
    const takeRoom = (bytes: number) => {
      left -= bytes
      if (left < 0) throw new Error('full')
    }
    return new Spool(new SpoolSpace(tmp, takeRoom))
  }

  test('has the appended bytes in order, and their length, whatever its overflow holds', async () => {
    const length = fc.oneof(fc.nat(100), fc.nat(200 * KIB), fc.constant(64 * KIB))
    const lengths = fc.array(length, { maxLength: 9 })
    const room = fc.option(fc.nat(600 * KIB), { nil: undefined })
    await forAll(fc.tuple(lengths, room), {}, async ([some, room]) => {
      const list = new ByteList(room === undefined ? undefined : overflowOf(room))
      const appended = some.map((length, index) => new Uint8Array(length).fill(index + 1))
      for (const bytes of appended) await append(list, bytes)

      expect(list.length).toBe(some.reduce((sum, length) => sum + length, 0))
      const drained = await Array.fromAsync(list.drain(), (block) => block.slice())
      list.free()
      expect(Buffer.concat(drained)).toEqual(Buffer.concat(appended))
    })
  })

  test('holds at most 192 KiB in memory while its overflow has room', async () => {
    let onDisk = 0
    const space = new SpoolSpace(tmp, (bytes) => {
      onDisk += bytes
    })
    const list = new ByteList(new Spool(space))
    for (let n = 0; n < 1000; n += 1) await append(list, new Uint8Array(KIB))

    expect(1000 * KIB - onDisk).toBeWithin(0, 192 * KIB + 1)
    list.free()
  })

  test('frees a block when the next is requested', async () => {
    const list = new ByteList()
    await append(list, new Uint8Array(200 * KIB))

    const blocks = await Array.fromAsync(list.drain(), (block) => ({ block, length: block.length }))

    expect(blocks.map(({ length }) => length)).toEqual([64 * KIB, 64 * KIB, 64 * KIB, 8 * KIB])
    expect(blocks.map(({ block }) => block.length)).toEqual([0, 0, 0, 8 * KIB])
  })

  test('frees chunks that were not pulled', async () => {
    const list = new ByteList()
    await append(list, new Uint8Array(200 * KIB))
    const drained = list.drain()
    const { value: first } = await drained.next()

    list.free()

    expect(first?.length).toBe(64 * KIB)
    expect((await drained.next()).value?.length).toBe(8 * KIB)
  })
})
