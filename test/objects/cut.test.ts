import { describe, expect, test } from 'bun:test'
import { Cut } from '../../src/store/objects/shared-partial.ts'

async function* chunksOf(text: string, size: number, failure?: Error): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < text.length; at += size) yield new TextEncoder().encode(text.slice(at, at + size))
  yield new Uint8Array()
  if (failure) throw failure
}

/** Returns the texts of all pieces. The memory of each chunk is detached, as a receiver may free it. */
async function piecesOf(cut: Cut, size: number): Promise<string[]> {
  const pieces: string[] = []
  while (await cut.hasMore()) {
    let piece = ''
    for await (const chunk of cut.piece(size)) {
      piece += Buffer.from(chunk).toString()
      if (chunk.buffer instanceof ArrayBuffer) chunk.buffer.transfer(0)
    }
    pieces.push(piece)
  }
  return pieces
}

describe('Cut', () => {
  test.each([1, 2, 3, 5, 10, 100])('cuts chunks of %d bytes into pieces of three', async (size) => {
    const cut = new Cut(chunksOf('abcdefghij', size))

    expect(await piecesOf(cut, 3)).toEqual(['abc', 'def', 'ghi', 'j'])
    expect(() => cut.assertWhole()).not.toThrow()
  })

  test('has no piece of an empty source', async () => {
    expect(await piecesOf(new Cut(chunksOf('', 1)), 3)).toEqual([])
  })

  test('ends the last piece where its source fails, and reports that afterwards', async () => {
    const cut = new Cut(chunksOf('abcd', 2, new Error('gone')))

    expect(await piecesOf(cut, 3)).toEqual(['abc', 'd'])
    expect(() => cut.assertWhole()).toThrow('gone')
  })
})
