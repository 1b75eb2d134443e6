import { beforeAll, describe, expect, test } from 'bun:test'
import { type Api, apiOf } from '../support/api.ts'
import { withInside } from '../support/fixture.ts'
import { addGuest, VIEW } from './guests.ts'

const holdfast = withInside()

/** The client of a key that is bound to `clients/acme/bills`. */
let bound: Api
const folders: Record<string, string> = {}
let inside: string
let outside: string

beforeAll(async () => {
  for (const key of ['clients', 'clients/acme', 'clients/acme/bills', 'clients/acme/secret', 'other'])
    folders[key] = (await holdfast.api.createFolder(key)).id
  inside = (await holdfast.api.upload('inside.txt', 'in', 'clients/acme/bills', 'private')).id
  outside = (await holdfast.api.upload('outside.txt', 'out', 'other', 'private')).id
  bound = await keyFor('clients/acme/bills')
})

async function keyFor(folder: string): Promise<Api> {
  const scopes = ['files:read', 'files:write', 'files:delete']
  const { key } = await holdfast.bySession.data<{ key: { key: string; folder: unknown } }>('POST', '/keys', {
    name: `${folder} ${Math.random()}`,
    scopes,
    folderId: folders[folder],
  })
  expect(key.folder).toEqual({ id: folders[folder], key: folder })
  return apiOf(holdfast, { withKey: { 'API-Key': key.key } })
}

const NO_FILE: [number, string] = [404, 'File not found']
const NO_FOLDER: [number, string] = [404, 'Folder not found']

describe('a key for one folder', () => {
  test('reads what is inside, by full keys', async () => {
    expect((await bound.file(inside)).key).toBe('clients/acme/bills/inside.txt')
    expect((await bound.list()).map(({ id }) => id)).toEqual([inside])
    expect((await bound.browse({ key: 'clients/acme/bills' })).files.map(({ id }) => id)).toEqual([inside])
  })

  test.each(['', 'clients', 'clients/acme'])('sees its folder alone at %p', async (key) => {
    const { files, folders: seen } = await bound.browse({ key })
    expect(files).toEqual([])
    expect(seen.map(({ id, key }) => [id, key])).toEqual([
      [folders['clients/acme/bills'] ?? '', 'clients/acme/bills'],
    ])
  })

  test('finds nothing outside', async () => {
    expect(await bound.refusal('GET', `/files?id=${outside}`)).toEqual(NO_FILE)
    expect(await bound.refusal('GET', '/files?key=other/outside.txt')).toEqual(NO_FILE)
    expect(await bound.refusal('GET', '/folders?key=other')).toEqual(NO_FOLDER)
    expect(await bound.refusal('GET', `/folders?id=${folders['clients/acme']}`)).toEqual(NO_FOLDER)
    expect((await bound.send('GET', `/hosting/other/outside.txt`)).status).toBe(404)
    expect((await bound.send('GET', `/hosting/clients/acme/bills/inside.txt`)).status).toBe(200)
  })

  test('changes what is inside, and nothing outside', async () => {
    const { id } = await bound.upload('new.txt', 'new', 'clients/acme/bills/deep')
    expect(await bound.refusal('POST', '/files/move', { id, folderId: folders.other })).toEqual(NO_FOLDER)
    expect(await bound.refusal('POST', '/files/move', { id: outside, folder: 'clients/acme/bills' })).toEqual(
      NO_FILE,
    )
    expect(await bound.refusal('PUT', '/files', { id: outside, name: 'x' })).toEqual(NO_FILE)
    expect(await bound.refusal('DELETE', '/files', { id: outside })).toEqual(NO_FILE)
    expect(await bound.refusal('POST', '/folders', { folder: 'other/new' })).toEqual(NO_FOLDER)
    expect(await bound.status('DELETE', '/files', { id })).toBe(200)
    expect((await holdfast.api.file(outside)).name).toBe('outside.txt')
  })

  test('does not rename, move or delete the folder itself', async () => {
    const id = folders['clients/acme/bills']
    const above = (right: string): [number, string] => [403, `Missing right "${right}" in the folder above`]
    expect(await bound.refusal('PUT', '/folders', { id, name: 'x' })).toEqual(above('write'))
    expect(await bound.refusal('DELETE', '/folders', { id })).toEqual(above('delete'))
    expect(await bound.refusal('POST', '/folders/move', { id, folder: 'clients/acme/bills/x' })).toEqual([
      400,
      'A folder cannot be moved into itself',
    ])
  })
})

test('a key of a limited account has no key of its folder once the account does not reach it', async () => {
  const folderId = folders.other ?? ''
  const user = await addGuest(holdfast, { [folderId]: VIEW })
  const listed = async () =>
    (await user.api.data<{ keys: { folder: unknown }[] }>('GET', '/keys')).keys.map(({ folder }) => folder)
  await user.api.data('POST', '/keys', { name: 'other', scopes: ['files:read'], folderId })
  expect(await listed()).toEqual([{ id: folderId, key: 'other' }])
  await user.limit({})
  expect(await listed()).toEqual([{ id: folderId, key: null }])
})
