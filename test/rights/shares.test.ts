import { beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { Share as ShareView } from '../../src/client/types.ts'
import type { Right } from '../../src/store/store.ts'
import { type Api, apiOf } from '../support/api.ts'
import { withInside } from '../support/fixture.ts'
import { addGuest, type Guest } from './guests.ts'

const holdfast = withInside()

const ids: Record<string, string> = {}
let guest: Guest

beforeAll(async () => {
  for (const key of ['club', 'club/photos', 'club/private', 'inbox'])
    ids[key] = (await holdfast.api.createFolder(key)).id
  ids.photo = (await holdfast.api.upload('photo.txt', 'photo', 'club/photos', 'private')).id
  ids.note = (await holdfast.api.upload('note.txt', 'note', 'club/private', 'private')).id
  guest = await addGuest(holdfast, {})
})
beforeEach(() =>
  letIn({
    'club/photos': ['read', 'write', 'share'],
    'club/private': ['read'],
    inbox: ['read', 'write', 'share'],
  }),
)

/** Limits the guest to some folders. */
async function letIn(rights: Record<string, readonly Right[]>): Promise<void> {
  await guest.limit(Object.fromEntries(Object.entries(rights).map(([key, some]) => [ids[key] ?? '', some])))
}

const file = (name: string) => ({ fileId: ids[name] })
const folder = (key: string) => ({ folderId: ids[key] })

const share = async (body: object, api: Api = guest.api) =>
  (await api.data<{ share: ShareView }>('POST', '/shares', body)).share

/** Returns status and names of what a visitor of a share sees. */
async function visited({ slug }: ShareView): Promise<[number, string[]]> {
  const response = await holdfast.fetch(`/api/s/${slug}`)
  const { data } = (await response.json()) as {
    data: { files: { name: string }[]; folders: { name: string }[] } | null
  }
  return [response.status, [...(data?.folders ?? []), ...(data?.files ?? [])].map(({ name }) => name)]
}

const statusOf = async (path: string, init?: RequestInit) => (await holdfast.fetch(path, init)).status

const sendTo = ({ slug }: ShareView) => {
  const body = new FormData()
  body.append('file', new File(['sent'], 'sent.txt'))
  return statusOf(`/api/s/${slug}/files`, { method: 'POST', body })
}

describe('a limited account', () => {
  test('shares where it has the right, and nowhere else', async () => {
    expect(await visited(await share({ items: [folder('club/photos')] }))).toEqual([200, ['photos']])
    const missing: [number, string] = [403, 'Missing right "share" in this folder']
    expect(await guest.api.refusal('POST', '/shares', { items: [file('note')] })).toEqual(missing)
    expect(await guest.api.refusal('POST', '/shares', { items: [folder('club')] })).toEqual([
      404,
      'Folder not found',
    ])
  })

  test('has no drop box where it may not write', async () => {
    await letIn({ inbox: ['read', 'share'] })
    const box = { canRead: false, canWrite: true, folderId: ids.inbox }
    expect(await guest.api.refusal('POST', '/shares', box)).toEqual([
      403,
      'Missing right "write" in this folder',
    ])
  })

  test('may share nothing without the right anywhere', async () => {
    const settings = async () =>
      (await guest.api.data<{ mayShare: boolean }>('GET', '/settings/files')).mayShare
    expect(await settings()).toBe(true)
    await letIn({ 'club/private': ['read', 'write', 'delete'] })
    expect(await settings()).toBe(false)
  })
})

describe('a share of a limited account', () => {
  test('shows each item for as long as its owner may share it', async () => {
    const both = await share({ items: [folder('club/photos'), folder('inbox')] })
    const get = () => statusOf(`/api/s/${both.slug}/files/${ids.photo}`)
    expect([await visited(both), await get()]).toEqual([[200, ['inbox', 'photos']], 200])

    await letIn({ 'club/photos': ['read'], inbox: ['read', 'share'] })
    expect([await visited(both), await get()]).toEqual([[200, ['inbox']], 404])
    await letIn({})
    expect([await visited(both), await get()]).toEqual([[404, []], 404])
    await letIn({ 'club/photos': ['read', 'share'] })
    expect([await visited(both), await get()]).toEqual([[200, ['photos']], 200])
  })

  test('is in the list of its owner, without names that it does not reach', async () => {
    const both = await share({ items: [folder('club/photos'), folder('inbox')] })
    await letIn({ inbox: ['read'] })
    const { shares } = await guest.api.data<{ shares: ShareView[] }>('GET', '/shares')
    const names = shares.find(({ id }) => id === both.id)?.items.map(({ name }) => name)
    expect(names?.toSorted()).toEqual(['inbox', null])
  })

  test('tells its owner no name outside when it is changed and ended', async () => {
    const items = [folder('club/photos'), file('photo')]
    const { id } = await share({ items, canWrite: true, folderId: ids['club/photos'] })
    await letIn({ inbox: ['read', 'write', 'share'] })
    const { share: changed } = await guest.api.data<{ share: ShareView & { folderName: string | null } }>(
      'PUT',
      '/shares',
      { id, note: 'changed' },
    )
    expect([changed.folderName, ...changed.items.map(({ name }) => name)]).toEqual([null, null, null])
    await guest.api.data('DELETE', '/shares', { id })
    const { activities } = await guest.api.data<{ activities: { type: string; target: string }[] }>(
      'GET',
      '/activity',
    )
    const told = activities.filter(({ type }) => type === 'share.changed' || type === 'share.ended')
    expect(told.map(({ target }) => target)).toEqual([changed.slug, changed.slug])
  })

  test('takes files for as long as its owner may write and share', async () => {
    const box = await share({ canRead: false, canWrite: true, folderId: ids.inbox })
    expect(await sendTo(box)).toBe(200)
    for (const rights of [
      ['read', 'write'],
      ['read', 'share'],
    ] as const) {
      await letIn({ inbox: rights })
      expect(await sendTo(box)).toBe(503)
    }
    await letIn({ inbox: ['read', 'write', 'share'] })
    expect(await sendTo(box)).toBe(200)
  })
})

test('a key for one folder has the shares that are wholly inside', async () => {
  const create = (folderId: string | undefined) =>
    holdfast.bySession.data<{ key: { key: string } }>('POST', '/keys', {
      name: 'one folder',
      scopes: ['files:read'],
      folderId,
    })
  const bound = apiOf(holdfast, { withKey: { 'API-Key': (await create(ids['club/photos'])).key.key } })
  const inside = await share({ items: [file('photo')] }, holdfast.bySession)
  const across = await share({ items: [file('photo'), file('note')] }, holdfast.bySession)

  const { shares } = await bound.data<{ shares: ShareView[] }>('GET', '/shares')
  expect(shares.map(({ id }) => id)).toEqual([inside.id])
  expect(await bound.refusal('DELETE', '/shares', { id: across.id })).toEqual([404, 'Share not found'])
  expect(await bound.refusal('PUT', '/shares', { id: across.id, title: 'x' })).toEqual([
    404,
    'Share not found',
  ])
  expect(await bound.refusal('GET', `/shares/visits?id=${across.id}`)).toEqual([404, 'Share not found'])
  expect(await bound.status('DELETE', '/shares', { id: inside.id })).toBe(200)
})
