import { beforeAll, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FolderView } from '../support/api.ts'
import { withHoldfast } from '../support/fixture.ts'
import { type FileView, filesUnder, sendUpload } from '../support/holdfast.ts'
import { expectNoIntents } from '../support/intents.ts'
import { trashOf } from '../support/trash.ts'
import { begin, sendBegin, sendPiece } from '../uploads/tus.ts'
import { buildArchive } from '../zip/build-archive.ts'

let uploads: string
const holdfast = withHoldfast()
beforeAll(async () => {
  uploads = join(holdfast.dataPath, 'uploads')
})

/** Replaces the folder of the stored files by another until it is disposed of. */
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

/** Subjects of the changes. */
interface Standing {
  file: FileView
  folder: FolderView
  piecePath: string
  /** A version of the file. */
  version: string
  /** A file and a folder in the trash. */
  trashed: string[]
}

/** Returns the status of each kind of change to names or bytes. */
async function everyChange({ file, folder, piecePath, version, trashed }: Standing) {
  const api = holdfast.api
  const archive = buildArchive([{ path: 'a', content: Buffer.from('a') }])
  const { withKey } = holdfast
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
    replace(file, 'other'),
    api.send('POST', '/files/versions/restore', { id: version }),
    api.send('DELETE', `/files/versions?id=${version}`),
    api.send('POST', '/files/copy', { fileIds: [file.id], folderIds: [folder.id], folder: 'made' }),
    api.send('POST', '/trash', { fileIds: [file.id] }),
    api.send('POST', '/trash', { folderIds: [folder.id] }),
    ...trashed.map((id) => api.send('POST', '/trash/restore', { ids: [id] })),
    api.send('DELETE', '/trash', { ids: trashed }),
    api.send('DELETE', '/trash', { all: true }),
    api.send('POST', '/folders/replace', { id: folder.id, replaces: file.folderId }),
    ...trashed.slice(1).map((id) => api.send('POST', '/folders/replace', { id, replaces: folder.id })),
  ]
  return (await Promise.all(answers)).map(({ status }) => status)
}

const replace = (file: FileView, body: string) => holdfast.api.replace(file.id, body)

const ALL_FOLDERS = ['uploads', 'tmp', 'trash', 'versions'] as const

test.each([
  ['no marker', undefined],
  ['the marker of another', 'another\n'],
])('every change is 503 and changes nothing while the volume has %s', async (_, marker) => {
  const api = holdfast.api
  const trash = trashOf(api)
  const name = `kept${marker?.length ?? ''}`
  const file = await api.upload(name, 'kept', `in-${name}`)
  const folder = await api.createFolder(`empty-${name}`)
  const piecePath = await begin(holdfast, holdfast.withKey, { length: 1, fields: { name: `late-${name}` } })
  await replace(file, 'kept')
  const { versions } = await api.data<{ versions: { id: string }[] }>('GET', `/files/versions?id=${file.id}`)
  const gone = await api.upload('gone', 'gone', `gone-${name}`)
  const goneFolder = await api.createFolder(`gone-folder-${name}`)
  await trash.put({ fileIds: [gone.id], folderIds: [goneFolder.id] })
  const trashed = [gone.id, goneFolder.id]
  const all = async () => [
    ...ALL_FOLDERS.map((folder) => filesUnder(holdfast, folder)),
    await api.list(),
    (await trash.list()).items,
  ]
  const before = await all()
  {
    using _away = swapVolume(marker)

    const statuses = await everyChange({
      file,
      folder,
      piecePath,
      version: versions[0]?.id ?? '',
      trashed,
    })

    expect(statuses).toEqual(statuses.map(() => 503))
    expect(readdirSync(uploads)).toEqual(marker === undefined ? [] : ['.holdfast-volume'])
  }
  expect(await all()).toEqual(before)
  await expectNoIntents(holdfast)
  expect(await api.hosted(file.key)).toBe('kept')
  expect((await trash.restore(...trashed)).failed).toEqual([])
  expect((await api.createFolder(`again-${name}`)).key).toBe(`again-${name}`)
})
