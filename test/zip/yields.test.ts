import { expect, test } from 'bun:test'
import { readZip } from '../../src/zip/reader.ts'
import { buildArchive } from './build-archive.ts'

test('an archive of many empty folders that arrives at once is read in slices', async () => {
  const folders = Array.from({ length: 4500 }, (_, n) => ({ path: `${n}/`, content: '' }))
  const archive = buildArchive(folders)
  let isRead = false
  let turns = 0
  const countTurn = () => {
    turns += 1
    if (!isRead) setImmediate(countTurn)
  }
  setImmediate(countTurn)

  let read = 0
  for await (const _ of readZip(source(archive), { maxRatio: 1 })) read += 1
  isRead = true

  expect(read).toBe(folders.length)
  // Four slices of a thousand headers before the bytes of entries, and four of the directory.
  expect(turns).toBeGreaterThanOrEqual(8)
})

async function* source(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}
