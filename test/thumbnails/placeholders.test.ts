import { expect, test } from 'bun:test'
import { makePng } from '../browser/png.ts'
import type { Api } from '../support/api.ts'
import { withInside } from '../support/fixture.ts'

// Each server has a cache of its own.
const holdfast = withInside({ isAlone: true })
const { api } = holdfast

const askFor = async (by: Api, ...files: { id: string }[]) => {
  const query = files.map(({ id }) => id).join(',')
  const path = `/files/placeholders?ids=${query}`
  return (await by.data<{ placeholders: Record<string, string> }>('GET', path)).placeholders
}

const openThumbnail = async ({ id }: { id: string }) => {
  const response = await holdfast.fetch(`/api/files/thumbnail/${id}`, { headers: holdfast.withKey })
  expect(response.status).toBe(200)
}

test('a placeholder has few bytes, and is there from the first thumbnail of a picture on', async () => {
  const picture = await api.upload('wide.png', makePng(900, 450))
  const other = await api.upload('other.png', makePng(901, 450))
  const text = await api.upload('text.txt', 'text')
  expect(await askFor(api, picture, other, text)).toEqual({})
  await openThumbnail(picture)
  const placeholders = await askFor(api, picture, other, text)

  expect(Object.keys(placeholders)).toEqual([picture.id])
  const bytes = Uint8Array.fromBase64(placeholders[picture.id] ?? '')
  expect(bytes.length).toBeLessThan(150)
  expect(await new Bun.Image(bytes).metadata()).toMatchObject({ format: 'webp', width: 16, height: 8 })
})
