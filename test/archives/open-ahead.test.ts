import { expect, test } from 'bun:test'
import { createPlacesAhead, OpenAhead } from '../../src/modules/archives/open-ahead.ts'

const ARCHIVES = 20
const FILES = 30
/** Blobs that all archives open ahead, and one of them. */
const [ALL, EACH] = [64, 8]

const filesOf = (archive: number) =>
  Array.from({ length: FILES }, (_, n) => {
    const id = `${archive}-${n}`
    return { id, name: id, size: 1, crc32: 0, blobId: id, updatedAt: 0 }
  })

test('archives of slow clients open a bounded number of blobs ahead, and all are sent', async () => {
  const places = createPlacesAhead()
  const opened: string[] = []
  const archives = Array.from({ length: ARCHIVES }, (_, archive) => {
    const files = filesOf(archive)
    const ahead = new OpenAhead(files, places, async ({ id }) => {
      opened.push(id)
      return undefined
    })
    return { files, ahead }
  })

  for (const { files, ahead } of archives) for (const file of files.slice(0, 1)) await ahead.open(file)
  expect(opened.length).toBe(ARCHIVES + ALL)
  expect(opened.filter((id) => id.startsWith('0-')).length).toBe(1 + EACH)

  // A client that leaves gives its places to the others.
  for (const { ahead } of archives.slice(0, 8)) ahead[Symbol.dispose]()
  await Bun.sleep(0)
  for (const { files, ahead } of archives.slice(8)) for (const file of files.slice(1)) await ahead.open(file)
  const sent = archives.slice(8).flatMap(({ files }) => files.map(({ id }) => id))
  expect(opened.filter((id) => sent.includes(id)).sort()).toEqual(sent.sort())
  expect(places.use.held).toBe(0)
})
