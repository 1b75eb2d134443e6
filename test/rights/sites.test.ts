import { expect, test } from 'bun:test'
import type { Site, Sites } from '../../src/client/types.ts'
import { withInside } from '../support/fixture.ts'
import { ADD, ALL, addGuest, newFolder } from './guests.ts'

const holdfast = withInside({ environment: { SITES_DOMAIN: 'sites.test' } })

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
const MISSING = (right: string): [number, string] => [403, `Missing right "${right}" in this folder`]

test('a folder becomes a site with the rights to write and share there', async () => {
  const [add, shown, all] = [await newFolder(holdfast), await newFolder(holdfast), await newFolder(holdfast)]
  const { api } = await addGuest(holdfast, { [add.id]: ADD, [shown.id]: ['read', 'share'], [all.id]: ALL })
  const siteOf = ({ id }: { id: string }) => ({ folderId: id, name: `site-${id}` })
  expect(await api.refusal('POST', '/sites', siteOf(add))).toEqual(MISSING('share'))
  expect(await api.refusal('POST', '/sites', siteOf(shown))).toEqual(MISSING('write'))
  expect(await api.status('POST', '/sites', siteOf(all))).toBe(200)
})

test('a preview, whose folder goes with it, needs the right to delete where that is', async () => {
  const [kept, all] = [await newFolder(holdfast), await newFolder(holdfast)]
  const { api } = await addGuest(holdfast, { [kept.id]: ['read', 'write', 'share'], [all.id]: ALL })
  const preview = { name: 'www--pr-1', expiresAt: inDays(1) }
  const above: [number, string] = [403, 'Missing right "delete" in the folder above']
  for (const { id } of [kept, all])
    expect(await api.refusal('POST', '/sites', { ...preview, folderId: id })).toEqual(above)
  const { site } = await holdfast.api.data<{ site: Site }>('POST', '/sites', { ...preview, folderId: all.id })
  expect(await api.refusal('PUT', '/sites', { id: site.id, expiresAt: inDays(2) })).toEqual(above)
  const inside = await holdfast.api.createFolder(`${all.key}/pr-2`)
  expect(await api.status('POST', '/sites', { ...preview, name: 'www--pr-2', folderId: inside.id })).toBe(200)
})

test('a site and its previews have one name and one password where an account may change both', async () => {
  const [theirs, own] = [await newFolder(holdfast), await newFolder(holdfast)]
  const guest = await addGuest(holdfast, { [own.id]: ALL })
  const site = (name: string, { id: folderId }: { id: string }, more = {}) => ({ folderId, name, ...more })
  const inside = await holdfast.api.createFolder(`${own.key}/draft`)
  const expiresAt = inDays(1)
  await holdfast.api.data('POST', '/sites', site('tide--draft', theirs, { expiresAt }))
  await holdfast.api.data('POST', '/sites', site('reef', theirs))
  const taken = (name: string, other: string): [number, string] => [
    409,
    `The name "${name}" belongs to the site "${other}"`,
  ]
  const refusal = (method: 'POST' | 'PUT', fields: object) => guest.api.refusal(method, '/sites', fields)

  expect(await refusal('POST', site('tide', own))).toEqual(taken('tide', 'tide--draft'))
  const draft = site('reef--draft', inside, { expiresAt })
  expect(await refusal('POST', draft)).toEqual(taken('reef--draft', 'reef'))
  const made = await guest.api.data<{ site: Site }>('POST', '/sites', site('surf', own))
  const { id } = made.site
  expect(await refusal('PUT', { id, name: 'tide' })).toEqual(taken('tide', 'tide--draft'))

  const lost = await holdfast.api.data<{ site: Site }>(
    'POST',
    '/sites',
    site('surf--a', theirs, { expiresAt }),
  )
  await guest.api.data('PUT', '/sites', { id, password: 'low tide at noon' })
  const { sites } = await holdfast.api.data<Sites>('GET', '/sites')
  expect(sites.find((other) => other.id === lost.site.id)?.hasPassword).toBe(false)
})
