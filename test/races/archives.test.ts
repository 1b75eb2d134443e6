import { expect, test } from 'bun:test'
import { unzipSync } from 'fflate'
import { withInside } from '../support/fixture.ts'
import { buildArchive } from '../zip/build-archive.ts'

const ROUNDS = 12
const FILES = 150

const holdfast = withInside()
const { api } = holdfast

async function newFolder(name: string): Promise<string> {
  const files = Array.from({ length: FILES }, (_, at) => ({ path: `sub/${at}`, content: `${at}` }))
  await api.sendBody('POST', `/folders/import?folder=${name}`, buildArchive(files))
  return (await api.browse()).folders.find((folder) => folder.name === name)?.id ?? ''
}

/** Downloads the archive of a folder. Returns the number of its files, or the status of a refusal. */
async function archived(id: string): Promise<number> {
  const response = await api.send('GET', `/folders/download?id=${id}`)
  if (response.status !== 200) return response.status
  return Object.keys(unzipSync(await response.bytes())).filter((path) => !path.endsWith('/')).length
}

test('an archive of a folder under deletion has all of its files or is refused', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const id = await newFolder(`folder ${round}`)
    const archiving = Promise.all([archived(id), archived(id), archived(id)])
    for (let turn = 0; turn < round; turn += 1) await new Promise(setImmediate)

    await api.data('DELETE', '/folders', { id })

    expect((await archiving).filter((found) => found !== FILES && found !== 404)).toEqual([])
  }
})

test('an archive of files has them all while they are moved', async () => {
  const names = ['one', 'two']
  const ids = await Promise.all(names.map(async (name) => (await api.upload(name, name)).id))
  for (let round = 0; round < ROUNDS; round += 1) {
    const moving = api.data('POST', '/files/move', { ids, folder: round % 2 === 0 ? 'away' : '' })

    const response = await api.send('POST', '/files/download', { ids })

    expect(response.status).toBe(200)
    expect(Object.keys(unzipSync(await response.bytes()))).toHaveLength(2)
    await moving
  }
})
