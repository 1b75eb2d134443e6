import { expect, test } from 'bun:test'
import { withHoldfast } from '../support/fixture.ts'
import { createKey, messageOf } from '../support/holdfast.ts'
import { expectNoIntents } from '../support/intents.ts'
import { metadata, sendBegin, tusOf, VERSION } from './tus.ts'

const holdfast = withHoldfast()
const { api } = holdfast
const tus = tusOf(holdfast)

test('a resumable upload replaces the bytes of a file, which keeps its id and visibility', async () => {
  const { id } = await api.upload('film.mp4', 'old bytes', 'films')
  await api.data('PUT', '/files', { id, visibility: 'private' })
  const before = await api.file(id)

  const fields = { replaces: id, folder: 'elsewhere', visibility: 'public' }
  const path = await tus.begin({ length: 9, fields })
  const begun = await api.data<{ upload: { folder: string } }>('GET', path.slice('/api'.length))
  expect(begun.upload.folder).toBe('films')
  await tus.sendPiece({ path, offset: 0, body: 'new ' })
  expect((await api.file(id)).size).toBe(before.size)
  expect(await tus.offsetOf(path)).toBe(4)
  expect((await tus.sendPiece({ path, offset: 4, body: 'films' })).status).toBe(204)
  const { upload } = await api.data<{ upload: { file: { id: string } } }>('GET', path.slice('/api'.length))
  expect(upload.file.id).toBe(id)
  const after = await api.file(id)
  expect({ ...after, updatedAt: before.updatedAt }).toEqual({ ...before, size: 9 })
  expect(await (await api.send('GET', `/files/download/${id}`)).text()).toBe('new films')
  expect((await api.browse()).folders.map(({ name }) => name)).not.toContain('elsewhere')
  const [entry] = holdfast.catalog.activities.newest(holdfast.userId, 1)
  expect(entry).toMatchObject({ type: 'file.replaced', target: 'film.mp4' })
  await expectNoIntents(holdfast)
})

test('a resumable upload that comes with its bytes replaces a file at once', async () => {
  const { id } = await api.upload('at-once.txt', 'old')
  const headers = {
    ...VERSION,
    ...holdfast.withKey,
    'Content-Type': 'application/offset+octet-stream',
    'Upload-Length': '3',
    'Upload-Metadata': metadata({ filename: 'ignored.txt', replaces: id }),
  }

  expect((await holdfast.fetch('/api/uploads', { method: 'POST', headers, body: 'new' })).status).toBe(201)
  expect(await api.hosted('at-once.txt')).toBe('new')
})

test('a resumable upload for a file that does not exist is answered with 404, at its begin and at its end', async () => {
  const { id } = await api.upload('deleted.txt', 'old')
  const path = await tus.begin({ length: 3, fields: { replaces: id } })
  await api.data('DELETE', '/files', { id })

  const piece = await tus.sendPiece({ path, offset: 0, body: 'new' })
  const another = await tus.sendBegin({ length: 3, fields: { replaces: id } })

  expect([piece.status, await messageOf(piece)]).toEqual([404, 'File not found'])
  expect(another.status).toBe(404)
})

test('a resumable upload by a key without the scope replaces nothing', async () => {
  const { id } = await api.upload('guarded.txt', 'old')
  const key = await createKey(holdfast, holdfast.cookie, { name: 'reads', scopes: ['files:read'] })

  const refused = await sendBegin(holdfast, { 'API-Key': key }, { length: 0, fields: { replaces: id } })

  expect(refused.status).toBe(403)
  expect(await api.hosted('guarded.txt')).toBe('old')
})
