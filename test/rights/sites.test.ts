import { expect, test } from 'bun:test'
import { withInside } from '../support/fixture.ts'
import { ADD, ALL, addGuest, newFolder } from './guests.ts'

const holdfast = withInside({ environment: { SITES_DOMAIN: 'sites.test' } })

const MISSING = (right: string): [number, string] => [403, `Missing right "${right}" in this folder`]

test('a folder becomes a site with the rights to write and share there', async () => {
  const [add, shown, all] = [await newFolder(holdfast), await newFolder(holdfast), await newFolder(holdfast)]
  const { api } = await addGuest(holdfast, { [add.id]: ADD, [shown.id]: ['read', 'share'], [all.id]: ALL })
  const siteOf = ({ id }: { id: string }) => ({ folderId: id, name: `site-${id}` })
  expect(await api.refusal('POST', '/sites', siteOf(add))).toEqual(MISSING('share'))
  expect(await api.refusal('POST', '/sites', siteOf(shown))).toEqual(MISSING('write'))
  expect(await api.status('POST', '/sites', siteOf(all))).toBe(200)
})

test('a preview, whose folder goes with it, needs the right to delete', async () => {
  const [kept, all] = [await newFolder(holdfast), await newFolder(holdfast)]
  const { api } = await addGuest(holdfast, { [kept.id]: ['read', 'write', 'share'], [all.id]: ALL })
  const preview = { name: 'www--pr-1', expiresAt: new Date(Date.now() + 86_400_000).toISOString() }
  const folderId = kept.id
  expect(await api.refusal('POST', '/sites', { ...preview, folderId })).toEqual(MISSING('delete'))
  const made = await holdfast.api.data<{ site: { id: string } }>('POST', '/sites', { ...preview, folderId })
  const later = { id: made.site.id, expiresAt: new Date(Date.now() + 2 * 86_400_000).toISOString() }
  expect(await api.refusal('PUT', '/sites', later)).toEqual(MISSING('delete'))
  expect(await api.status('POST', '/sites', { ...preview, name: 'www--pr-2', folderId: all.id })).toBe(200)
})
