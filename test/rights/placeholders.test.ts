import { expect, test } from 'bun:test'
import { makePng } from '../browser/png.ts'
import type { Api } from '../support/api.ts'
import { withInside } from '../support/fixture.ts'
import { addGuest, VIEW } from './guests.ts'

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

test('a guest has the placeholders of its folders alone', async () => {
  const inside = await api.upload('in.png', makePng(300, 100), 'inside')
  const outside = await api.upload('out.png', makePng(301, 100), 'outside')
  for (const file of [inside, outside]) await openThumbnail(file)
  const guest = await addGuest(holdfast, { [inside.folderId]: VIEW })

  expect(Object.keys(await askFor(api, inside, outside)).toSorted()).toEqual(
    [inside.id, outside.id].toSorted(),
  )
  expect(Object.keys(await askFor(guest.api, inside, outside))).toEqual([inside.id])
})
