import { expect, test } from 'bun:test'
import { withInside } from '../support/fixture.ts'
import type { FileView } from '../support/holdfast.ts'
import { fieldPart, filePart, MULTIPART, multipartBody } from '../support/multipart.ts'
import { begin, sendPiece } from '../uploads/tus.ts'

const holdfast = withInside()

const COUNT = 100
const names = Array.from({ length: COUNT }, (_, index) => String(index))

const tagOf = async (key: string) => (await holdfast.fetch(`/api/hosting/${key}`)).headers.get('etag')

/** Uploads `COUNT` files of the same size in one request. */
async function uploadTogether(folder: string): Promise<void> {
  const parts = names.map((name) => filePart(name, name.padEnd(20)))
  const response = await holdfast.fetch('/api/files', {
    method: 'POST',
    headers: { ...holdfast.withKey, ...MULTIPART },
    body: multipartBody([...parts, fieldPart('folder', folder)]),
  })
  expect(response.status).toBe(200)
}

async function uploadInPieces(folder: string): Promise<void> {
  const send = async (name: string) => {
    const path = await begin(holdfast, holdfast.withKey, { length: 20, fields: { name, folder } })
    const sent = await sendPiece(holdfast, holdfast.withKey, { path, offset: 0, body: name.padEnd(20) })
    expect(sent.status).toBe(204)
  }
  await Promise.all(names.map(send))
}

test('no two files have the same tag, also those of one size that came at once', async () => {
  await Promise.all([uploadTogether('one'), uploadTogether('two'), uploadInPieces('three')])

  const keys = ['one', 'two', 'three'].flatMap((folder) => names.map((name) => `${folder}/${name}`))
  const tags = await Promise.all(keys.map(tagOf))

  expect(tags.every((tag) => /^"14-[\da-f]+"$/.test(tag ?? ''))).toBe(true)
  expect(new Set(tags).size).toBe(3 * COUNT)
})

test('a file never gets the entity tag of the one of its size that it replaced', async () => {
  const api = holdfast.api
  await uploadTogether('swapped')
  const idOf = async (key: string) => (await api.data<{ file: FileView }>('GET', `/files?key=${key}`)).file.id
  const [first, second] = [await idOf('swapped/1'), await idOf('swapped/2')]
  const before = await tagOf('swapped/1')

  await api.data('DELETE', '/files', { id: first })
  await api.data('PUT', '/files', { id: second, name: '1' })

  const headers = { 'If-None-Match': before ?? '', Range: 'bytes=0-3', 'If-Range': before ?? '' }
  const response = await holdfast.fetch('/api/hosting/swapped/1', { headers })
  expect(response.status).toBe(200)
  expect(await response.text()).toBe('2'.padEnd(20))
})
