import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { apiOf, type FolderView } from '../support/api.ts'
import {
  type Account,
  type FileView,
  filesUnder,
  type Holdfast,
  register,
  sendUpload,
  startHoldfast,
} from '../support/holdfast.ts'
import { expectNoIntents } from '../support/intents.ts'
import { begin, sendBegin, sendPiece } from '../uploads/tus.ts'
import { buildArchive } from '../zip/build-archive.ts'

let holdfast: Holdfast
let account: Account
let uploads: string
beforeAll(async () => {
  holdfast = await startHoldfast()
  account = await register(holdfast)
  uploads = join(holdfast.dataPath, 'uploads')
})
afterAll(() => holdfast[Symbol.asyncDispose]())

/** Has another folder in the place of the stored files until it is disposed of. */
function swapVolume(marker?: string): Disposable {
  renameSync(uploads, `${uploads}-away`)
  mkdirSync(uploads)
  if (marker !== undefined) writeFileSync(join(uploads, '.holdfast-volume'), marker)
  return {
    [Symbol.dispose]: () => {
      rmSync(uploads, { recursive: true })
      renameSync(`${uploads}-away`, uploads)
    },
  }
}

/** The status of each kind of change that touches names or bytes. */
async function everyChange(file: FileView, folder: FolderView, piecePath: string) {
  const api = apiOf(holdfast, account)
  const archive = buildArchive([{ path: 'a', content: Buffer.from('a') }])
  const { withKey } = account
  const answers = [
    sendUpload(holdfast, withKey, { files: { new: 'new' } }),
    sendUpload(holdfast, withKey, { files: { new: 'new' }, folder: 'new/er' }),
    holdfast.fetch('/api/folders/import', { method: 'POST', headers: withKey, body: archive }),
    sendBegin(holdfast, withKey, { length: 1, fields: { name: 'tus' } }),
    sendPiece(holdfast, withKey, { path: piecePath, offset: 0, body: new Uint8Array(1) }),
    api.send('PUT', '/files', { id: file.id, name: 'renamed' }),
    api.send('POST', '/files/move', { id: file.id, folderId: folder.id }),
    api.send('POST', '/files/move', { ids: [file.id], folder: 'made' }),
    api.send('DELETE', '/files', { id: file.id }),
    api.send('DELETE', '/files', { ids: [file.id] }),
    api.send('POST', '/folders', { folder: 'made' }),
    api.send('PUT', '/folders', { id: folder.id, name: 'renamed' }),
    api.send('POST', '/folders/move', { id: folder.id, folder: 'made' }),
    api.send('DELETE', '/folders', { id: folder.id }),
  ]
  return (await Promise.all(answers)).map(({ status }) => status)
}

test.each([
  ['no marker', undefined],
  ['the marker of another', 'another\n'],
])('every change is 503 and changes nothing while the volume has %s', async (_, marker) => {
  const api = apiOf(holdfast, account)
  const name = `kept${marker?.length ?? ''}`
  const file = await api.upload(name, 'kept', `in-${name}`)
  const folder = await api.createFolder(`empty-${name}`)
  const piecePath = await begin(holdfast, account.withKey, { length: 1, fields: { name: `late-${name}` } })
  const before = [filesUnder(holdfast, 'uploads'), filesUnder(holdfast, 'tmp'), await api.list()]
  {
    using _away = swapVolume(marker)

    const statuses = await everyChange(file, folder, piecePath)

    expect(statuses).toEqual(statuses.map(() => 503))
    expect(readdirSync(uploads)).toEqual(marker === undefined ? [] : ['.holdfast-volume'])
  }
  expect([filesUnder(holdfast, 'uploads'), filesUnder(holdfast, 'tmp'), await api.list()]).toEqual(before)
  await expectNoIntents(holdfast)
  expect(await api.hosted(file.key)).toBe('kept')
  expect((await api.createFolder(`again-${name}`)).key).toBe(`again-${name}`)
})
