import { expect, test } from 'bun:test'
import { makePng } from '../browser/png.ts'
import { withHoldfast } from '../support/fixture.ts'
import { metadata, VERSION } from '../uploads/tus.ts'
import { createShare, PASSWORD } from './visitors.ts'

/** Requests of strangers that must get nothing, beside those of the other files here. */

const holdfast = withHoldfast()
const { api } = holdfast

const share = (body: object) => createShare(api, body)
const picture = (name: string, folder: string) => api.upload(name, makePng(64, 64), folder, 'private')

test('a password guards every way to the bytes: HEAD, ranges, conditions, thumbnails, archives and uploads', async () => {
  const { id, folderId } = await picture('guarded.png', 'guarded')
  const items = [{ fileId: id }]
  const { slug } = await share({ items, password: PASSWORD, canWrite: true, folderId })
  const pieces = { ...VERSION, 'Upload-Length': '1', 'Upload-Metadata': metadata({ filename: 'a' }) }

  for (const [method, path, headers] of [
    ['GET', `files/${id}`, {}],
    ['HEAD', `files/${id}`, {}],
    ['GET', `files/${id}`, { Range: 'bytes=0-0' }],
    ['GET', `files/${id}`, { Range: 'bytes=99999-' }],
    ['GET', `files/${id}`, { 'If-None-Match': '*' }],
    ['GET', `files/${id}`, { 'If-Match': '"x"' }],
    ['GET', `files/no-such-file`, {}],
    ['GET', `thumbs/${id}`, {}],
    ['HEAD', `thumbs/${id}?width=200`, {}],
    ['GET', 'archive', {}],
    ['HEAD', 'archive', {}],
    ['POST', 'files', { 'Content-Type': 'multipart/form-data; boundary=x' }],
    ['POST', 'uploads', pieces],
    ['HEAD', 'uploads/no-such-upload', VERSION],
    ['PATCH', 'uploads/no-such-upload', { ...VERSION, 'Upload-Offset': '0' }],
    ['DELETE', 'uploads/no-such-upload', VERSION],
  ] as const) {
    const response = await holdfast.fetch(`/api/s/${slug}/${path}`, { method, headers })
    expect([method, path, response.status]).toEqual([method, path, 401])
    expect(response.headers.get('etag') ?? response.headers.get('content-range')).toBeNull()
  }
})

test('a file that moves into a shared folder is open, one that moves out is not, thumbnails included', async () => {
  const inner = await picture('inner.png', 'moving/in')
  const outer = await picture('outer.png', 'moving/out')
  const { slug } = await share({ items: [{ folderId: inner.folderId }] })
  const statuses = async ({ id }: { id: string }) => {
    const paths = [`files/${id}`, `thumbs/${id}`, `archive?ids=${id}`]
    return Promise.all(paths.map(async (path) => (await holdfast.fetch(`/api/s/${slug}/${path}`)).status))
  }
  expect([await statuses(inner), await statuses(outer)]).toEqual([
    [200, 200, 200],
    [404, 404, 404],
  ])

  await api.data('POST', '/files/move', { id: outer.id, folderId: inner.folderId })
  await api.data('POST', '/files/move', { id: inner.id, folderId: outer.folderId })

  expect([await statuses(inner), await statuses(outer)]).toEqual([
    [404, 404, 404],
    [200, 200, 200],
  ])
})

test('a slug is exact: no other spelling of it opens the share', async () => {
  const { id } = await picture('spelled.png', 'spelled')
  const { slug } = await share({ items: [{ fileId: id }], slug: 'Exact-Slug' })
  const absent = await holdfast.fetch('/api/s/never-was')
  const body = await absent.text()
  const spellings = ['exact-slug', 'EXACT-SLUG', 'Exact-Slu', 'Exact-Slug-', 'Exact-Slug%00', 'Exact%20Slug']
  for (const other of [...spellings, '%', '*']) {
    const response = await holdfast.fetch(`/api/s/${other}`)
    expect([other, response.status, await response.text()]).toEqual([other, 404, body])
  }
  expect((await holdfast.fetch(`/api/s/${slug}`)).status).toBe(200)
})

test('HTML from a visitor runs nothing: not in the share, not for its owner', async () => {
  const folder = await api.createFolder('dropped')
  const rules = { canWrite: true, folderId: folder.id }
  const { slug } = await share({ items: [{ folderId: folder.id }], ...rules })
  const form = new FormData()
  form.append('files', new File(['<script>alert(1)</script>'], 'page.html'))
  await holdfast.fetch(`/api/s/${slug}/files`, { method: 'POST', body: form })
  const [file] = (await api.browse({ key: 'dropped' })).files

  for (const [path, headers] of [
    [`/api/s/${slug}/files/${file?.id}`, {}],
    [`/api/hosting/dropped/page.html`, holdfast.withKey],
  ] as const) {
    const response = await holdfast.fetch(path, { headers })
    expect([path, response.status]).toEqual([path, 200])
    expect(response.headers.get('content-security-policy')).toBe('sandbox')
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
  }
  await api.upload('film.webm', '<script>alert(1)</script>', 'dropped')
  const film = (await api.browse({ key: 'dropped' })).files.find(({ name }) => name === 'film.webm')
  const played = await holdfast.fetch(`/api/s/${slug}/files/${film?.id}`)
  expect(played.headers.get('content-type')).toBe('video/webm')
  expect(played.headers.get('x-content-type-options')).toBe('nosniff')
  expect(played.headers.get('content-security-policy')).toStartWith("default-src 'none';")
  expect(played.headers.get('content-security-policy')).not.toContain('script-src')
  expect((await holdfast.fetch('/api/hosting/dropped/page.html')).status).toBe(404)
})
