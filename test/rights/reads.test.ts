import { beforeAll, describe, expect, test } from 'bun:test'
import type { Api } from '../support/api.ts'
import { withInside } from '../support/fixture.ts'
import { addGuest, limit } from './world.ts'

const holdfast = withInside()

const folders: Record<string, string> = {}
let guest: Api
let blind: Api

beforeAll(async () => {
  const keys = ['clients/acme/bills', 'clients/acme/bills/deep', 'clients/acme/pay', 'family', 'other']
  for (const key of keys) folders[key] = (await holdfast.api.createFolder(key)).id
  for (const key of keys)
    await holdfast.api.upload(`harbour of ${key.replaceAll('/', ' ')}.txt`, key, key, 'private')
  guest = (await addGuest(holdfast, grants('clients/acme/bills', 'family'))).api
  blind = (await addGuest(holdfast, {})).api
})

const grants = (...keys: string[]) =>
  Object.fromEntries(keys.map((key) => [folders[key] ?? '', ['read'] as const]))

describe('a search', () => {
  interface Item {
    file?: { key: string }
    folder?: { key: string }
  }
  const found = async (api: Api, query: string) => {
    const { items } = await api.data<{ items: Item[] }>('GET', `/search?${query}`)
    return items.map(({ file, folder }) => (file ?? folder)?.key).sort()
  }
  const BILLS = [
    'clients/acme/bills/deep/harbour of clients acme bills deep.txt',
    'clients/acme/bills/harbour of clients acme bills.txt',
  ]

  test('finds what is in the folders of a guest and below them', async () => {
    expect(await found(guest, 'q=harbour')).toEqual([...BILLS, 'family/harbour of family.txt'])
    expect(await found(guest, 'kind=folder')).toEqual(['clients/acme/bills/deep'])
    expect(await found(blind, '')).toEqual([])
  })

  test('searches one folder inside, and the folders below a key above', async () => {
    expect(await found(guest, 'q=harbour&folder=family')).toEqual(['family/harbour of family.txt'])
    expect(await found(guest, 'q=harbour&folder=clients')).toEqual(BILLS)
    expect(await guest.refusal('GET', '/search?folder=other')).toEqual([404, 'There is no folder "other"'])
    expect(await blind.refusal('GET', '/search?folder=clients')).toEqual([
      404,
      'There is no folder "clients"',
    ])
  })

  test('continues with the next page', async () => {
    const first = await guest.data<{ next: string }>('GET', '/search?q=harbour&limit=1')
    expect(await found(guest, `q=harbour&limit=5&cursor=${first.next}`)).toHaveLength(2)
  })

  test('no longer finds what a guest has lost', async () => {
    const late = await addGuest(holdfast, grants('family', 'other'))
    expect(await found(late.api, 'q=harbour')).toHaveLength(2)
    await limit(holdfast, late.id, grants('family'))
    expect(await found(late.api, 'q=harbour')).toEqual(['family/harbour of family.txt'])
  })
})
