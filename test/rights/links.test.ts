import { expect, test } from 'bun:test'
import { withInside } from '../support/fixture.ts'
import { BASE_URL } from '../support/holdfast.ts'
import { ADD, ALL, addGuest, EDIT, newFolder } from './guests.ts'

/** Rights that a signed link for an upload needs. */

const holdfast = withInside()

const sign = (folderId: string, visibility?: 'public') => ({ folderId, ...(visibility && { visibility }) })

test('a link for public files needs the right to share', async () => {
  const folder = await newFolder(holdfast)
  const guest = await addGuest(holdfast, { [folder.id]: EDIT })

  expect(await guest.api.status('POST', '/uploads/sign', sign(folder.id, 'public'))).toBe(403)
  expect(await guest.api.status('POST', '/uploads/sign', sign(folder.id))).toBe(200)
})

test('a link ends while its account has lost the folder, or the right that it needs', async () => {
  const folder = await newFolder(holdfast)
  const guest = await addGuest(holdfast, { [folder.id]: ALL })
  const { url } = await guest.api.data<{ url: string }>('POST', '/uploads/sign', sign(folder.id, 'public'))
  const send = async (name: string) =>
    (
      await holdfast.fetch(`${new URL(url, BASE_URL).pathname}?name=${name}`, {
        method: 'PUT',
        body: 'content',
      })
    ).status

  await guest.limit({})
  expect(await send('a.txt')).toBe(410)
  await guest.limit({ [folder.id]: ADD })
  expect(await send('a.txt')).toBe(410)
  await guest.limit({ [folder.id]: ALL })
  expect(await send('a.txt')).toBe(200)
})
