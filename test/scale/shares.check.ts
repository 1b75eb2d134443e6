import { expect, test } from 'bun:test'
import type { Share } from '../../src/client/types.ts'
import { apiOf } from '../support/api.ts'
import type { Inside } from '../support/holdfast.ts'
import { metadata, sendPiece, VERSION } from '../uploads/tus.ts'
import { openPair } from './instances.ts'

const pair = openPair()

const LENGTH = 10

const begin = (node: Inside, slug: string, name: string) =>
  node.fetch(`/api/s/${slug}/uploads`, {
    method: 'POST',
    headers: { ...VERSION, 'Upload-Length': String(LENGTH), 'Upload-Metadata': metadata({ filename: name }) },
  })

test('two servers hold the limits of a drop box together, and continue its uploads at either', async () => {
  const { one, two: other } = pair
  const api = apiOf(one, pair.account)
  const folder = await api.createFolder('box')
  const body = { canRead: false, canWrite: true, folderId: folder.id, maxFiles: 3, maxBytes: 3 * LENGTH }
  const { slug, id } = (await api.data<{ share: Share }>('POST', '/shares', body)).share

  const began = await Promise.all(
    Array.from({ length: 8 }, (_, at) => begin(at % 2 === 0 ? one : other, slug, 'same.txt')),
  )

  const taken = began.filter(({ status }) => status === 201)
  expect(taken.length).toBeLessThanOrEqual(3)
  for (let more = taken.length; more < 3; more += 1) taken.push(await begin(one, slug, 'same.txt'))
  expect((await begin(other, slug, 'same.txt')).status).toBe(413)
  for (const [at, response] of taken.entries()) {
    const path = response.headers.get('location') ?? ''
    const cookie = { Cookie: response.headers.getSetCookie()[0]?.split(';')[0] ?? '' }
    const [first, second] = at % 2 === 0 ? [one, other] : [other, one]
    expect((await sendPiece(first, cookie, { path, offset: 0, body: 'hello' })).status).toBe(204)
    expect((await sendPiece(second, cookie, { path, offset: 5, body: 'world' })).status).toBe(204)
  }
  const names = (await api.browse({ key: 'box' })).files.map(({ name }) => name).toSorted()
  expect(names).toEqual(['same (2).txt', 'same (3).txt', 'same.txt'])
  const { shares } = await api.data<{ shares: Share[] }>('GET', '/shares')
  expect(shares.find((share) => share.id === id)).toMatchObject({ receivedFiles: 3, receivedBytes: 30 })
})
