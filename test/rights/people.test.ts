import { beforeAll, describe, expect, test } from 'bun:test'
import type { People } from '../../src/client/types.ts'
import { apiOf } from '../support/api.ts'
import { withInside } from '../support/fixture.ts'
import { addGuest, EDITING } from './limited.ts'

const holdfast = withInside()
const { api, bySession: admin } = holdfast

const folders: Record<string, string> = {}
let root: string | null

beforeAll(async () => {
  for (const key of ['clients', 'clients/acme', 'clients/acme/bills', 'other']) {
    const { id, parentId } = await api.createFolder(key)
    folders[key] = id
    if (!key.includes('/')) root = parentId
  }
})

const idOf = (key: string) => folders[key] ?? ''
const peopleOf = (key: string) => admin.data<People>('GET', `/folders/people?id=${idOf(key)}`)
const set = (key: string, change: object) =>
  admin.data<People>('PUT', '/folders/people', { id: idOf(key), ...change })
const shown = ({ people }: People) =>
  people.map(({ user, key, rights, inherited }) => [user?.id ?? 'everyone', key, rights.join(), inherited])
const keysOf = async (guest: { api: typeof api }) => (await guest.api.browse()).folders.map(({ key }) => key)

describe('the people of a folder', () => {
  test('are those with rights in it or above, and the accounts that reach everything', async () => {
    const guest = await addGuest(holdfast, {
      clients: ['read'],
      'clients/acme/bills': EDITING,
      other: ['read'],
    })
    const reader = await addGuest(holdfast, { 'clients/acme': ['read'] })
    const custom = await holdfast.addUser('custom', ['settings:manage'])
    const everyone = await set('clients/acme', { everyone: true, rights: ['read'] })

    expect(shown(everyone)).toEqual([
      ['everyone', 'clients/acme', 'read', false],
      [reader.id, 'clients/acme', 'read', false],
      [guest.id, 'clients', 'read', true],
    ])
    const found = await peopleOf('clients/acme/bills')
    expect(shown(found)).toEqual([
      [guest.id, 'clients/acme/bills', EDITING.join(), false],
      ['everyone', 'clients/acme', 'read', true],
      [reader.id, 'clients/acme', 'read', true],
      [guest.id, 'clients', 'read', true],
    ])
    expect(found.people[0]).toMatchObject({
      user: { id: guest.id, email: guest.email },
      folderId: idOf('clients/acme/bills'),
    })
    expect(found.everywhere).toEqual([{ id: holdfast.userId, name: 'Ada', role: 'admin' }])
    expect(found.everywhere.map(({ id }) => id)).not.toContain(custom.id)
    await set('clients/acme', { everyone: true, rights: [] })
  })

  test('are let in with their next request, get other rights, and are let out', async () => {
    const guest = await addGuest(holdfast, {})

    await set('other', { userId: guest.id, rights: ['read'] })
    expect(await keysOf(guest)).toEqual(['other'])
    expect((await guest.api.refusal('POST', '/folders', { folder: 'other/x' }))[0]).toBe(403)
    expect(shown(await set('other', { userId: guest.id, rights: ['write', 'read'] }))).toContainEqual([
      ...[guest.id, 'other', 'read,write', false],
    ])
    expect((await guest.api.createFolder(`other/${guest.id}`)).name).toBe(guest.id)

    const left = await set('other', { userId: guest.id, rights: [] })
    expect(shown(left).map(([id]) => id)).not.toContain(guest.id)
    expect(await keysOf(guest)).toEqual([])
  })

  test('may be every account that is limited, now and later', async () => {
    const before = await addGuest(holdfast, {})
    await set('other', { everyone: true, rights: ['read'] })
    const after = await addGuest(holdfast, {})

    expect([await keysOf(before), await keysOf(after)]).toEqual([['other'], ['other']])
    await set('other', { everyone: true, rights: [] })
    expect([await keysOf(before), await keysOf(after)]).toEqual([[], []])
  })

  test('are for admins with a session, and for folders in the tree', async () => {
    const guest = await addGuest(holdfast, { clients: EDITING })
    const path = `/folders/people?id=${idOf('clients')}`
    const body = { id: idOf('clients'), userId: guest.id, rights: ['read'] }

    expect((await guest.api.refusal('GET', path))[0]).toBe(403)
    expect((await guest.api.refusal('PUT', '/folders/people', body))[0]).toBe(403)
    expect((await apiOf(holdfast, holdfast).refusal('GET', path))[0]).toBe(403)
    const unknown = '019a2f3b-0000-7000-8000-000000000001'
    expect(await admin.refusal('GET', `/folders/people?id=${unknown}`)).toEqual([404, 'Folder not found'])
    expect(await admin.refusal('PUT', '/folders/people', { ...body, id: unknown })).toEqual([
      404,
      'Folder not found',
    ])
    expect(await admin.refusal('PUT', '/folders/people', { ...body, userId: unknown })).toEqual([
      404,
      'User not found',
    ])
  })

  test.each([
    ['without an account', {}],
    ['with an account and everyone', { userId: 'x', everyone: true }],
    ['without everyone', { everyone: false }],
    ['without read', { everyone: true, rights: ['write'] }],
  ])('are not changed %s', async (_, change) => {
    const body = { id: idOf('other'), rights: ['read'], ...change }
    expect((await admin.refusal('PUT', '/folders/people', body))[0]).toBe(400)
    expect((await peopleOf('other')).people.map(({ user }) => user)).not.toContain(null)
  })

  test('are neither those of the root nor accounts that are not limited', async () => {
    const { id: userId } = await holdfast.addUser('editor')
    const rights = ['read']

    expect(await admin.refusal('PUT', '/folders/people', { id: idOf('other'), userId, rights })).toEqual([
      400,
      'This account reaches everything: limit it to folders first',
    ])
    expect((await admin.refusal('PUT', '/folders/people', { id: root, everyone: true, rights }))[0]).toBe(400)
    expect((await admin.data<People>('GET', `/folders/people?id=${root}`)).people).toEqual([])
  })

  test('are in the security log and in the history of the admin', async () => {
    const guest = await addGuest(holdfast, {})
    await set('other', { userId: guest.id, rights: ['read'] })
    await set('other', { userId: guest.id, rights: ['read'] })
    await set('clients/acme', { everyone: true, rights: ['read', 'share'] })
    await set('clients/acme', { everyone: true, rights: [] })

    const { activities } = await admin.data<{ activities: { detail: string }[] }>(
      'GET',
      '/activity?security=1&types=folders.changed',
    )
    expect(activities.slice(0, 4).map(({ detail }) => detail)).toEqual([
      'every account: no folder',
      'every account: clients/acme: read, share',
      'other: read',
      'no folder',
    ])
    const history = holdfast.catalog.activities.newest(holdfast.userId, 3)
    expect(history.map(({ type, target, detail }) => [type, target, detail])).toEqual([
      ['user.access-changed', 'every account', '1 folder to 0 folders'],
      ['user.access-changed', 'every account', '0 folders to 1 folder'],
      ['user.access-changed', guest.email, '0 folders to 1 folder'],
    ])
  })
})
