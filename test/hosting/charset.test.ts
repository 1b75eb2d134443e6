import { describe, expect, test } from 'bun:test'
import { withHoldfast } from '../support/fixture.ts'
import type { FileView } from '../support/holdfast.ts'
import { tusOf } from '../uploads/tus.ts'

const holdfast = withHoldfast()

const GREETING = 'Grüße aus Köln - 日本語\n'
const LATIN1 = Buffer.from(GREETING, 'latin1')

const typeAt = async (path: string, headers: Record<string, string> = {}) =>
  (await holdfast.fetch(path, { headers })).headers.get('content-type')
const hostedType = async ({ url }: FileView) => {
  const [fresh, cached] = [await typeAt(`/${url}`), await typeAt(`/${url}`)]
  expect(cached).toBe(fresh)
  return fresh
}

let names = 0
const store = (extension: string, content: string | Uint8Array<ArrayBuffer>) =>
  holdfast.api.upload(`text${names++}.${extension}`, content, 'texts')

describe('the charset of a text', () => {
  test.each([
    ['txt', 'text/plain; charset=utf-8'],
    ['html', 'text/html; charset=utf-8'],
    ['md', 'text/markdown; charset=utf-8'],
    ['js', 'text/javascript; charset=utf-8'],
    ['json', 'application/json'],
    ['svg', 'image/svg+xml'],
    ['bin', 'application/octet-stream'],
  ])('is in the type of .%s that hosting serves, as %s', async (extension, type) => {
    const file = await store(extension, GREETING)

    expect(await hostedType(file)).toBe(type)
    expect(file.mimeType).not.toContain('charset')
  })

  test('is not named for ASCII and other encodings', async () => {
    expect(await hostedType(await store('txt', 'plain'))).toBe('text/plain')
    expect(await hostedType(await store('txt', new Uint8Array(LATIN1)))).toBe('text/plain')
  })

  test('is known of a file that is hashed in a thread, and of one that arrives in pieces', async () => {
    const long = `${'ASCII '.repeat(900_000)}${GREETING}`
    expect(await hostedType(await store('txt', long))).toBe('text/plain; charset=utf-8')
    const other = new Uint8Array(Buffer.concat([Buffer.from(long), LATIN1]))
    expect(await hostedType(await store('txt', other))).toBe('text/plain')
    const { begin, sendPiece } = tusOf(holdfast)
    const body = Buffer.from(GREETING)
    const path = await begin({ length: body.length, fields: { filename: 'pieces.txt' } })
    // The first piece ends within a character.
    await sendPiece({ path, offset: 0, body: new Uint8Array(body.subarray(0, 3)) })
    const last = await sendPiece({ path, offset: 3, body: new Uint8Array(body.subarray(3)) })
    expect(last.status).toBe(204)
    expect(await typeAt('/api/hosting/pieces.txt')).toBe('text/plain; charset=utf-8')
  })

  test('is in signed links, downloads, versions and shares', async () => {
    const { api, withKey } = holdfast
    const file = await store('txt', GREETING)
    await api.data('PUT', '/files', { id: file.id, visibility: 'private' })
    const { url } = await api.data<{ url: string }>('POST', '/files/sign', { id: file.id })
    const share = await api.data<{ share: { slug: string } }>('POST', '/shares', {
      items: [{ fileId: file.id }],
    })
    const type = 'text/plain; charset=utf-8'

    expect(await typeAt(`/${url}`)).toBe(type)
    expect(await typeAt(`/api/files/download/${file.id}`, withKey)).toBe(type)
    expect(await typeAt(`/api/s/${share.share.slug}/files/${file.id}`)).toBe(type)
    await api.replace(file.id, 'ASCII now')
    expect(await typeAt(`/api/files/download/${file.id}`, withKey)).toBe('text/plain')
    const { versions } = await api.data<{ versions: { id: string }[] }>(
      'GET',
      `/files/versions?id=${file.id}`,
    )
    expect(await typeAt(`/api/files/versions/content?id=${versions[0]?.id}`, withKey)).toBe(type)
    await api.data('POST', '/files/versions/restore', { id: versions[0]?.id })
    expect(await typeAt(`/api/files/download/${file.id}`, withKey)).toBe(type)
  })

  test('follows the name and the bytes through renames, copies and the trash', async () => {
    const { api, trash } = holdfast
    const file = await store('bin', GREETING)
    const renamed = await api.data<{ file: FileView }>('PUT', '/files', { id: file.id, name: 'renamed.txt' })
    expect(await hostedType(renamed.file)).toBe('text/plain; charset=utf-8')
    const { copied } = await api.data<{ copied: { file: FileView }[] }>('POST', '/files/copy', {
      fileIds: [file.id],
      folder: 'copies',
    })
    await trash.put({ fileIds: [file.id] })
    await trash.restore(file.id)

    expect(await typeAt('/api/hosting/copies/renamed.txt')).toBe('text/plain; charset=utf-8')
    expect(copied).toHaveLength(1)
    expect(await hostedType(renamed.file)).toBe('text/plain; charset=utf-8')
  })
})
