import { beforeEach, describe, expect, test } from 'bun:test'
import { openDatabase } from '../support/accounts.ts'
import type { FolderView } from '../support/api.ts'
import { withInside } from '../support/fixture.ts'
import { type FileView, sendUpload } from '../support/holdfast.ts'
import { parked } from '../support/parked.ts'
import { storedIn } from '../support/stored.ts'
import { begin, sendPiece } from '../uploads/tus.ts'
import { buildArchive } from '../zip/build-archive.ts'
import { ALL, addGuest, type Guest, newFolder } from './guests.ts'

const holdfast = withInside()
const { api: owner, trash } = holdfast

/** Folder of the guest, and what is in it. */
let own: FolderView
let folder: FolderView
let next: FolderView
let file: FileView
let trashed: string
let version: string
let guest: Guest

beforeEach(async () => {
  own = await newFolder(holdfast)
  folder = await newFolder(holdfast, own.key)
  next = await newFolder(holdfast, own.key)
  file = await owner.upload('file.txt', 'old', folder.key, 'private')
  await owner.replace(file.id, 'new')
  const { versions } = await owner.data<{ versions: { id: string }[] }>(
    'GET',
    `/files/versions?id=${file.id}`,
  )
  version = versions[0]?.id ?? ''
  trashed = (await owner.upload('trashed.txt', 'gone', folder.key)).id
  await trash.put({ fileIds: [trashed] })
  guest = await addGuest(holdfast, { [own.id]: ALL })
})

const selection = () => ({ fileIds: [file.id], folderIds: [next.id] })
const json = (method: string, path: string, body: () => unknown) => () => guest.api.send(method, path, body())

const REQUESTS: [what: string, send: () => Promise<Response>][] = [
  ['a rename of a file', json('PUT', '/files', () => ({ id: file.id, name: 'x' }))],
  ['a public file', json('PUT', '/files', () => ({ id: file.id, visibility: 'public' }))],
  ['public files', json('PUT', '/files/visibility', () => ({ ids: [file.id], visibility: 'public' }))],
  ['a public selection', json('PUT', '/items/visibility', () => ({ ...selection(), visibility: 'public' }))],
  ['a move of a file', json('POST', '/files/move', () => ({ id: file.id, folderId: next.id }))],
  ['a move of files', json('POST', '/files/move', () => ({ ids: [file.id], folderId: next.id }))],
  ['a copy of a file', json('POST', '/files/copy', () => ({ fileIds: [file.id], folderId: next.id }))],
  ['a copy of a folder', json('POST', '/items/copy', () => ({ folderIds: [folder.id], folderId: next.id }))],
  ['other bytes', () => guest.api.replace(file.id, 'other')],
  ['an earlier version', json('POST', '/files/versions/restore', () => ({ id: version }))],
  ['a deletion of a version', () => guest.api.send('DELETE', `/files/versions?id=${version}`)],
  ['a deletion of a file', json('DELETE', '/files', () => ({ id: file.id }))],
  ['a deletion of a selection', json('DELETE', '/items', selection)],
  ['a new folder', json('POST', '/folders', () => ({ folder: `${own.key}/new/deep` }))],
  ['a rename of a folder', json('PUT', '/folders', () => ({ id: folder.id, name: 'x' }))],
  ['a public folder', json('PUT', '/folders', () => ({ id: folder.id, visibility: 'public' }))],
  ['a move of a folder', json('POST', '/folders/move', () => ({ id: folder.id, folderId: next.id }))],
  ['a deletion of a folder', json('DELETE', '/folders', () => ({ id: folder.id }))],
  ['a replacement', json('POST', '/folders/replace', () => ({ id: next.id, replaces: folder.id }))],
  ['a selection for the trash', json('POST', '/trash', selection)],
  ['a return from the trash', json('POST', '/trash/restore', () => ({ ids: [trashed] }))],
  ['a removal from the trash', json('DELETE', '/trash', () => ({ ids: [trashed] }))],
  ['an upload', () => sendUpload(holdfast, guest.withKey, { files: { a: 'a' }, folder: own.key })],
  [
    'an upload in the place of a file',
    () =>
      sendUpload(holdfast, guest.withKey, {
        files: { 'file.txt': 'other' },
        ...{ folder: folder.key, onConflict: 'replace' },
      }),
  ],
  [
    'an archive',
    () =>
      guest.api.sendBody(
        'POST',
        `/folders/import?folder=${encodeURIComponent(own.key)}`,
        buildArchive([{ path: 'a/b', content: 'c' }]),
      ),
  ],
]

/** Returns the state that others see. */
const state = async () => ({
  below: await owner.checksums(own.key),
  folders: (await owner.browse({ key: own.key })).folders,
  file: await owner.file(file.id),
  versions: await owner.data<object>('GET', `/files/versions?id=${file.id}`),
  trash: await trash.list(),
  stored: await storedIn(holdfast).keys(),
})

/** Sends a request, and changes the grants of the guest in the transaction that the server waits for. */
async function sendMeanwhile(send: () => Promise<Response>, change: string): Promise<Response> {
  using database = openDatabase(holdfast)
  database.begin()
  const waiting = send()
  await parked(holdfast)
  database.run(change, [guest.id])
  database.run('COMMIT')
  return waiting
}

const LOSSES = [
  ['loses its folder', 'DELETE FROM folder_grants WHERE user_id = ?'],
  ['may only read from then on', 'UPDATE folder_grants SET rights = 1 WHERE user_id = ?'],
] as const

describe.each(LOSSES)('a caller that %s', (_, loss) => {
  test.each(REQUESTS)('while the server waits changes nothing by %s', async (_, send) => {
    const before = await state()

    const response = await sendMeanwhile(send, loss)

    const { data } = (await response.json()) as { data: { failed?: unknown[] } | null }
    if (response.status === 200) expect(data?.failed).not.toEqual([])
    else expect([403, 404]).toContain(response.status)
    expect(await state()).toEqual(before)
  })

  test('before the last piece of an upload stores nothing', async () => {
    const fields = { filename: 'late.txt', folder: own.key }
    const path = await begin(holdfast, guest.withKey, { length: 4, fields })
    const before = await owner.checksums(own.key)
    const piece = { path, offset: 0, body: 'late' }

    const response = await sendMeanwhile(() => sendPiece(holdfast, guest.withKey, piece), loss)

    expect([403, 404]).toContain(response.status)
    expect(await owner.checksums(own.key)).toEqual(before)
  })
})

test('a copy ends when its original is lost while the bytes are staged', async () => {
  const target = await newFolder(holdfast)
  await guest.limit({ [own.id]: ALL, [target.id]: ALL })
  for (const body of [{ fileIds: [file.id] }, { folderIds: [folder.id] }]) {
    const copy = () => guest.api.send('POST', '/items/copy', { ...body, folderId: target.id })
    const lose = `DELETE FROM folder_grants WHERE user_id = ? AND folder_id = '${own.id}'`
    expect((await sendMeanwhile(copy, lose)).status).toBe(404)
    expect(await owner.checksums(target.key)).toEqual({})
    await guest.limit({ [own.id]: ALL, [target.id]: ALL })
  }
})
