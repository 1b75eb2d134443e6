import { beforeAll, describe, expect, test } from 'bun:test'
import { withInside } from '../support/fixture.ts'
import { type FileView, filesUnder, refusalOf, sendUpload } from '../support/holdfast.ts'
import { begin, offsetOf, sendBegin, sendPiece, terminate } from '../uploads/tus.ts'
import { buildArchive } from '../zip/build-archive.ts'
import { ADD, ALL, addGuest, bindKey, type Guest, newFolder, VIEW } from './guests.ts'

const holdfast = withInside({ environment: { DEFAULT_FILE_VISIBILITY: 'public' } })

/** Key and id of a folder where the guest may upload and share, of one where it may upload, and of one that it may read. */
let open: { id: string; key: string }
let quiet: { id: string; key: string }
let shown: { id: string; key: string }
let guest: Guest

beforeAll(async () => {
  ;[open, quiet, shown] = [await newFolder(holdfast), await newFolder(holdfast), await newFolder(holdfast)]
  await holdfast.api.createFolder('outside')
  guest = await addGuest(holdfast, { [open.id]: ALL, [quiet.id]: ADD, [shown.id]: VIEW })
})

type Fields = Record<string, string>

let count = 0
const newName = () => {
  count += 1
  return `file ${count}.txt`
}

/** Ways to send a file: each returns its response. */
const WAYS = {
  form: (who: Pick<Guest, 'withKey'>, fields: Fields) =>
    sendUpload(holdfast, who.withKey, { files: { [newName()]: 'text' }, ...fields }),
  archive: (who: Pick<Guest, 'withKey'>, fields: Fields) =>
    holdfast.fetch(`/api/folders/import?${new URLSearchParams(fields)}`, {
      method: 'POST',
      headers: who.withKey,
      body: buildArchive([{ path: newName(), content: 'text' }]),
    }),
  pieces: (who: Pick<Guest, 'withKey'>, fields: Fields) =>
    sendBegin(holdfast, who.withKey, { length: 0, fields: { filename: newName(), ...fields } }),
}

const MISSING = (right: string): [number, string] => [403, `Missing right "${right}" in this folder`]
const NO_FOLDER: [number, string] = [404, 'Folder not found']

const newest = async () => (await holdfast.api.list({ limit: 1 }))[0]

describe.each(Object.entries(WAYS))('a file that arrives as %s', (_, send) => {
  test('is stored where its sender may write, also in a new folder', async () => {
    expect((await send(guest, { folder: `${quiet.key}/new/${newName()}` })).ok).toBe(true)
    expect((await newest())?.key).toStartWith(`${quiet.key}/new/`)
  })

  test('is refused where its sender may only read', async () => {
    expect(await refusalOf(await send(guest, { folder: shown.key }))).toEqual(MISSING('write'))
    expect(await refusalOf(await send(guest, { folder: `${shown.key}/new` }))).toEqual(MISSING('write'))
  })

  test.each(['outside', 'missing', 'outside/new'])('does not find the folder %p', async (folder) => {
    expect(await refusalOf(await send(guest, { folder }))).toEqual(NO_FOLDER)
  })

  test('is private where its sender may not share, whatever the default', async () => {
    await send(guest, { folder: quiet.key })
    expect(await newest()).toMatchObject({ visibility: 'private' })
    await send(guest, { folder: open.key })
    expect(await newest()).toMatchObject({ visibility: 'public' })
  })

  test('is public on request where its sender may share', async () => {
    const refused = await send(guest, { folder: quiet.key, visibility: 'public' })
    expect(await refusalOf(refused)).toEqual(MISSING('share'))
    expect((await send(guest, { folder: open.key, visibility: 'public' })).ok).toBe(true)
  })

  test('needs the name of a folder when there are several', async () => {
    const refused = await send(guest, { folder: '' })
    expect([refused.headers.get('error-code'), await refusalOf(refused)]).toEqual([
      'right-missing',
      [403, 'Name a folder'],
    ])
    expect(await refusalOf(await send(guest, {}))).toEqual([403, 'Name a folder'])
  })

  test('goes to the only folder where its sender may write', async () => {
    const one = await addGuest(holdfast, { [quiet.id]: ADD, [shown.id]: VIEW })
    expect((await send(one, {})).ok).toBe(true)
    expect(await newest()).toMatchObject({ folderId: quiet.id })
    expect((await send(one, { folder: '' })).ok).toBe(true)
  })

  test('is refused for a sender that may write nowhere', async () => {
    const none = await addGuest(holdfast, { [shown.id]: VIEW })
    expect(await refusalOf(await send(none, {}))).toEqual(MISSING('write'))
  })
})

describe('a name that is taken', () => {
  const upload = (fields: Fields) =>
    sendUpload(holdfast, guest.withKey, { files: { 'taken.txt': 'new' }, ...fields })

  test.each(['rename', 'replace', 'skip'])('is handled by %s inside alone', async (onConflict) => {
    for (const { key } of [quiet, shown]) await upload({ folder: key })
    expect((await upload({ folder: quiet.key, onConflict })).status).toBe(200)
    expect(await refusalOf(await upload({ folder: shown.key, onConflict }))).toEqual(MISSING('write'))
    expect(await refusalOf(await upload({ folder: 'outside', onConflict }))).toEqual(NO_FOLDER)
    expect(await refusalOf(await upload({ folder: 'none', onConflict }))).toEqual(NO_FOLDER)
  })

  test('does not become public where its sender may not share', async () => {
    await holdfast.api.upload('own.txt', 'old', quiet.key, 'private')
    const refused = await sendUpload(holdfast, guest.withKey, {
      files: { 'own.txt': 'new' },
      ...{ folder: quiet.key, onConflict: 'replace', visibility: 'public' },
    })
    expect(await refusalOf(refused)).toEqual(MISSING('share'))
  })
})

test('a form that asks for public files after them says nothing of taken names without the right', async () => {
  await guest.limit({ [quiet.id]: ADD })
  const { name } = await holdfast.api.upload(newName(), 'old', quiet.key)
  const form = new FormData()
  form.set('folder', quiet.key)
  form.append('files', new File(['new'], name))
  form.set('visibility', 'public')
  const sent = { method: 'POST', headers: guest.withKey, body: form }
  expect(await refusalOf(await holdfast.fetch('/api/files', sent))).toEqual(MISSING('share'))
})

describe('an upload in pieces', () => {
  const start = async (folder: string, more: Fields = {}) => {
    const path = await begin(holdfast, guest.withKey, {
      length: 4,
      fields: { filename: newName(), folder, ...more },
    })
    await sendPiece(holdfast, guest.withKey, { path, offset: 0, body: 'te' })
    return path
  }
  const last = (path: string) => sendPiece(holdfast, guest.withKey, { path, offset: 2, body: 'xt' })
  const keysIn = async (key: string) => (await holdfast.api.browse({ key })).files.map(({ key }) => key)

  test('is refused at its beginning when it is to be public without the right', async () => {
    await guest.limit({ [quiet.id]: ADD })
    const fields = { filename: newName(), folder: quiet.key, visibility: 'public' }
    const begun = await sendBegin(holdfast, guest.withKey, { length: 4, fields })
    expect(await refusalOf(begun)).toEqual(MISSING('share'))
  })

  test('disappears with the grant, and continues once it returns', async () => {
    const { id, key } = await newFolder(holdfast)
    await guest.limit({ [open.id]: ALL, [id]: ADD })
    const path = await start(key)
    await guest.limit({ [open.id]: ALL })
    expect(await refusalOf(await last(path))).toEqual([404, 'Upload not found'])
    expect((await holdfast.fetch(path, { headers: guest.withKey })).status).toBe(404)
    expect((await terminate(holdfast, guest.withKey, path)).status).toBe(404)
    await expect(offsetOf(holdfast, guest.withKey, path)).rejects.toThrow('404')
    expect(await keysIn(key)).toEqual([])
    await guest.limit({ [id]: VIEW })
    expect(await refusalOf(await last(path))).toEqual(MISSING('write'))
    expect(await offsetOf(holdfast, guest.withKey, path)).toBe(2)
    await guest.limit({ [id]: ADD })
    expect((await last(path)).status).toBe(204)
    expect(await keysIn(key)).toHaveLength(1)
  })

  test('is lost with its folder, also when another is made there', async () => {
    const { id, key } = await newFolder(holdfast)
    await guest.limit({ [id]: ADD })
    const path = await start(key)
    await holdfast.trash.put({ folderIds: [id] })
    expect(await refusalOf(await last(path))).toEqual([404, 'Upload not found'])
    await holdfast.api.createFolder(key)
    expect(await refusalOf(await last(path))).toEqual([404, 'Upload not found'])
    expect(await keysIn(key)).toEqual([])
  })

  test('is gone once its file has left for a folder outside', async () => {
    await guest.limit({ [open.id]: ALL })
    const path = await start(open.key)
    expect((await last(path)).status).toBe(204)
    const shown = () => holdfast.fetch(path, { headers: guest.withKey })
    const { data } = (await (await shown()).json()) as { data: { upload: { file: { id: string } } } }
    const moved = { id: data.upload.file.id, folder: 'outside' }
    expect(await holdfast.api.status('POST', '/files/move', moved)).toBe(200)
    expect(await refusalOf(await shown())).toEqual([404, 'Upload not found'])
  })

  test('replaces a file where its sender may write', async () => {
    await guest.limit({ [quiet.id]: ADD, [shown.id]: VIEW })
    const { id } = await holdfast.api.upload(newName(), 'old', quiet.key)
    const other = await holdfast.api.upload(newName(), 'old', shown.key)
    const outside = await holdfast.api.upload(newName(), 'old', 'outside')
    const sendFor = (replaces: string) =>
      sendBegin(holdfast, guest.withKey, { length: 4, fields: { replaces } })
    expect(await refusalOf(await sendFor(other.id))).toEqual(MISSING('write'))
    expect(await refusalOf(await sendFor(outside.id))).toEqual([404, 'File not found'])
    const path = await start('', { replaces: id })
    await guest.limit({ [shown.id]: VIEW })
    expect(await refusalOf(await last(path))).toEqual([404, 'Upload not found'])
    await guest.limit({ [quiet.id]: ADD })
    expect((await last(path)).status).toBe(204)
    expect((await holdfast.api.file(id)).size).toBe(4)
  })

  test('of a bound key ends with the folder of the key', async () => {
    const { id, key } = await newFolder(holdfast)
    const bound = await bindKey(holdfast, id)
    const { files } = await bound.browse({ key })
    expect(files).toEqual([])
    await holdfast.trash.put({ folderIds: [id] })
    const form = new FormData()
    form.append('file', new File(['text'], 'late.txt'))
    expect(await refusalOf(await bound.sendBody('POST', '/files', form))).toEqual(MISSING('write'))
    expect((await holdfast.api.list()).some(({ name }: FileView) => name === 'late.txt')).toBe(false)
    expect(filesUnder(holdfast, 'tmp').some((name) => name.includes('late'))).toBe(false)
  })
})
