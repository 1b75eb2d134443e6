import { beforeAll, expect, test } from 'bun:test'
import { unzipSync, zipSync } from 'fflate'
import { archiveFolder } from '../../src/modules/archives/folder.ts'
import { createPlacesAhead } from '../../src/modules/archives/open-ahead.ts'
import { withInside } from '../support/fixture.ts'

/** Trees of folders with few files, because work on files yields turns as well. */

const FOLDERS = 300
const DEEP = Array.from({ length: FOLDERS }, () => 'd').join('/')

const holdfast = withInside()
const { api } = holdfast
beforeAll(async () => {
  const names = Array.from({ length: FOLDERS }, (_, n) => `wide/${String(n).padStart(3, '0')}/`)
  const directories = zipSync(Object.fromEntries(names.map((name) => [name, new Uint8Array()])))
  const headers = holdfast.withKey
  await holdfast.fetch('/api/folders/import', { method: 'POST', headers, body: directories })
  await api.upload('last', 'x', DEEP)
})

/** Returns how many turns of the event loop other work gets while `work` runs. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0
  let isDone = false
  const count = () => {
    turns += 1
    if (!isDone) setImmediate(count)
  }
  setImmediate(count)
  await work()
  isDone = true
  return turns
}

test.each(['wide', 'd'])(
  'others have their turn between the folders of "%s" while it is archived',
  async (key) => {
    const attempt = {
      leaving: new AbortController().signal,
      placesAhead: createPlacesAhead(),
      unreadable: new Set<string>(),
      damaged: new Set<string>(),
      isLast: true,
    }
    const archive = async () => (await archiveFolder(holdfast.server.deps, { key }, attempt)).close()

    expect(await turnsDuring(archive)).toBeGreaterThanOrEqual(FOLDERS)
  },
)

test.each(['wide', 'd'])(
  'others have their turn between the folders of "%s" while its checksums are read',
  async (key) => {
    const read = async () => (await api.send('GET', `/folders/checksums?key=${key}`)).text()

    expect(await turnsDuring(read)).toBeGreaterThanOrEqual(FOLDERS)
  },
)

test('an archive has wide and deep trees in order', async () => {
  const pathsOf = async (key: string) => {
    const response = await api.send('GET', `/folders/download?key=${key}`)
    return Object.keys(unzipSync(new Uint8Array(await response.arrayBuffer())))
  }

  const [wide, deep] = [await pathsOf('wide'), await pathsOf('d')]

  expect(wide).toHaveLength(FOLDERS + 1)
  expect(wide).toEqual(wide.toSorted())
  expect(deep).toHaveLength(FOLDERS + 1)
  expect(deep.at(-1)).toBe(`${DEEP}/last`)
})

test('the checksums of a deep tree have its keys', async () => {
  const { data } = (await (await api.send('GET', '/folders/checksums?key=d')).json()) as {
    data: { files: { key: string; name?: string }[] }
  }

  expect(data.files).toMatchObject([{ key: `${DEEP}/last`, size: 1 }])
  expect(data.files[0]?.name).toBeUndefined()
})
