import { describe, expect, test } from 'bun:test'
import type { User as Limited } from '../../src/client/types.ts'
import { addKey, bySession, signIn, type User } from '../support/accounts.ts'
import { apiOf } from '../support/api.ts'
import { withInside } from '../support/fixture.ts'
import { ADMIN, cookieOf, postJson } from '../support/holdfast.ts'
import { fieldPart, filePart, MULTIPART, multipartBody } from '../support/multipart.ts'
import { addGuest, EDITING, type Granted } from './limited.ts'

const holdfast = withInside()
const { api, bySession: admin } = holdfast

let accounts = 0
const newUser = (fields: object = {}) => {
  accounts += 1
  return {
    name: 'Maria',
    email: `maria${accounts}@example.com`,
    password: ADMIN.password,
    role: 'editor',
    ...fields,
  }
}
const create = async (fields: object) =>
  (await admin.data<{ user: Limited }>('POST', '/users', newUser(fields))).user
const change = async (body: object) => (await admin.data<{ user: Limited }>('PUT', '/users', body)).user
const find = async (id: string) =>
  (await admin.data<{ users: Limited[] }>('GET', '/users')).users.find((user) => user.id === id)
const entriesOf = async ({ api }: Pick<User, 'api'>) =>
  (await api.data<{ folders: Granted[] | null }>('GET', '/me')).folders
const keysOf = async ({ api }: Pick<User, 'api'>) => (await api.browse()).folders.map(({ key }) => key)

const NO_FOLDER: [number, string] = [404, 'Folder not found']
const LIMITLESS: [number, string] = [
  400,
  'An admin, or an account with the scope settings:manage, reaches everything: "folders" must be null',
]
/** Adds an admin with a name. */
async function addAdmin(name: string): Promise<User> {
  const fields = newUser({ name, role: 'admin' })
  await admin.data('POST', '/users', fields)
  return signIn(holdfast, fields.email)
}

/** Creates the account of an invitation. */
async function accept(token: string): Promise<Pick<User, 'api'>> {
  const { name, email, password } = newUser()
  const response = await postJson(holdfast, '/api/invitations/accept', { token, name, email, password })
  return { api: bySession(holdfast, cookieOf(response)) }
}

const UNKNOWN = '019a2f3b-0000-7000-8000-000000000001'

let folders = 0
/** Creates a folder that no other test uses. */
const newFolder = () => {
  folders += 1
  return api.createFolder(`folder ${folders}`)
}

describe('an account with folders', () => {
  test('is made with the folders that do not exist yet', async () => {
    const existing = await newFolder()

    const user = await create({
      folders: [
        { folder: 'people/maria', rights: ['delete', 'write', 'read'] },
        { folderId: existing.id, rights: ['read'] },
      ],
    })

    const made = await api.data<{ folders: { id: string }[] }>('GET', '/folders?key=people')
    expect(user.folders).toEqual([
      { folderId: existing.id, key: existing.key, name: existing.name, rights: ['read'] },
      {
        folderId: made.folders[0]?.id ?? '',
        key: 'people/maria',
        name: 'maria',
        rights: ['read', 'write', 'delete'],
      },
    ])
    expect(await find(user.id)).toEqual(user)
  })

  test('reaches these folders, and nothing else', async () => {
    const other = await newFolder()
    const guest = await addGuest(holdfast, { 'clients/acme': EDITING, family: ['read'] })

    expect(await keysOf(guest)).toEqual(['clients/acme', 'family'])
    expect(await entriesOf(guest)).toEqual((await find(guest.id))?.folders ?? null)
    expect(await guest.api.refusal('GET', `/folders?id=${other.id}`)).toEqual(NO_FOLDER)
    expect((await guest.api.upload('a.txt', 'a', 'clients/acme', 'private')).key).toBe('clients/acme/a.txt')
    expect(await guest.api.refusal('POST', '/folders', { folder: 'family/new' })).toEqual([
      403,
      'Missing right "write" in this folder',
    ])
  })

  test('is not made when one of its folders cannot be, and the other way round', async () => {
    const { id } = await api.upload('a file', 'x', '', 'private')
    const refused = newUser({ folders: [{ folder: 'a file/below', rights: ['read'] }] })
    expect((await admin.refusal('POST', '/users', refused))[0]).toBe(409)
    expect(
      (await admin.data<{ users: Limited[] }>('GET', '/users')).users.map(({ email }) => email),
    ).not.toContain(refused.email)
    await api.send('DELETE', '/files', { id })

    const taken = newUser({ email: ADMIN.email, folders: [{ folder: 'never/made', rights: ['read'] }] })
    expect((await admin.refusal('POST', '/users', taken))[0]).toBe(400)
    expect(await api.refusal('GET', '/folders?key=never')).toEqual(NO_FOLDER)
    expect((await api.createFolder('never/made')).key).toBe('never/made')
  })

  test('that is let into no folder sees nothing', async () => {
    const guest = await addGuest(holdfast, {})

    expect((await find(guest.id))?.folders).toEqual([])
    expect(await entriesOf(guest)).toEqual([])
    expect(await guest.api.browse()).toEqual({ files: [], folders: [] })
  })

  test('that is let into no folder sees the name of an admin to ask', async () => {
    const grace = await addAdmin('Grace')
    const made = await addGuest(holdfast, {})
    const invitation = await grace.api.data<{ invitation: { token: string } }>('POST', '/invitations', {
      ...{ role: 'editor', folders: [] },
    })
    const invited = await accept(invitation.invitation.token)
    const contactOf = async ({ api }: Pick<User, 'api'>) =>
      (await api.data<{ contact?: string }>('GET', '/me')).contact

    expect(await contactOf(made)).toBe(ADMIN.name)
    expect(await contactOf(invited)).toBe('Grace')
    const { id } = await newFolder()
    await change({ id: made.id, folders: [{ folderId: id, rights: ['read'] }] })
    expect(await contactOf(made)).toBeUndefined()
    await grace.api.data('PUT', '/users', { id: made.id, folders: [] })
    expect(await contactOf(made)).toBe('Grace')
    await change({ id: grace.id, disabled: true })
    expect([await contactOf(made), await contactOf(invited)]).toEqual([ADMIN.name, ADMIN.name])
  })

  test('reaches the topmost of its folders with all that it may do there', async () => {
    const guest = await addGuest(holdfast, { 'top/inner': EDITING, top: ['read'] })
    const [top, inner] = (await find(guest.id))?.folders ?? []

    expect(await entriesOf(guest)).toEqual(top ? [top] : null)
    expect(inner?.key).toBe('top/inner')
    const scopes = ['files:read', 'files:write']
    const asked = { name: 'inner', scopes, folderId: inner?.folderId }
    const { key } = await guest.api.data<{ key: { key: string } }>('POST', '/keys', asked)
    expect(await entriesOf({ api: apiOf(holdfast, { withKey: { 'API-Key': key.key } }) })).toEqual(
      inner ? [inner] : null,
    )
  })

  test('learns the folders inside in which it has more rights, as far as an API key reaches', async () => {
    const guest = await addGuest(holdfast, {
      ...{ plans: ['read'], 'plans/same': ['read'], 'plans/red': ['read', 'write'] },
      ...{ 'plans/red/out': ['read', 'share'], 'plans/red/out/in': ['read', 'write'], aside: EDITING },
    })
    const own = (await find(guest.id))?.folders ?? []
    const idOf = (wanted: string) => own.find(({ key }) => key === wanted)?.folderId ?? ''
    const nestedOf = async ({ api }: Pick<User, 'api'>) =>
      (await api.data<{ nested?: Granted[] }>('GET', '/me')).nested?.map(
        ({ key, name, rights }) => `${key}, ${name}: ${rights.join(', ')}`,
      )
    const withKeyFor = async (folderId: string) => {
      const asked = { name: folderId, scopes: ['files:read'], folderId }
      const { key } = await guest.api.data<{ key: { key: string } }>('POST', '/keys', asked)
      return nestedOf({ api: apiOf(holdfast, { withKey: { 'API-Key': key.key } }) })
    }
    const out = 'plans/red/out, out: read, write, share'

    expect(await nestedOf(guest)).toEqual(['plans/red, red: read, write', out])
    expect(await withKeyFor(idOf('plans/red'))).toEqual([out])
    expect(await withKeyFor(idOf('aside'))).toEqual([])
    expect(Object.keys(await admin.data<object>('GET', '/me'))).toEqual(['user', 'scopes', 'folders'])
  })

  test('has what every account is let into', async () => {
    const shared = await newFolder()
    const guest = await addGuest(holdfast, { own: EDITING })
    const { store } = holdfast.server.deps
    const grant = { folderId: shared.id, userId: '', createdAt: 0, createdBy: null }
    await store.transact(() => store.grants.set({ ...grant, rights: ['read'] }))

    expect(await keysOf(guest)).toEqual([shared.key, 'own'])
    expect((await find(guest.id))?.folders?.map(({ key }) => key)).toEqual(['own'])
    await store.transact(() => store.grants.remove(shared.id, ''))
    expect(await keysOf(guest)).toEqual(['own'])
  })
})

describe('folders of an account', () => {
  test.each([
    [{ folders: 'all' }, 400],
    [{ folders: [{ folder: 'x', rights: [] }] }, 400],
    [{ folders: [{ folder: 'x', rights: ['write'] }] }, 400],
    [{ folders: [{ folder: 'x', rights: ['read', 'own'] }] }, 400],
    [{ folders: [{ folder: 'x' }] }, 400],
    [{ folders: [{ rights: ['read'] }] }, 400],
    [{ folders: [{ folder: '', rights: ['read'] }] }, 400],
    [{ folders: [{ folder: '/', rights: ['read'] }] }, 400],
    [
      {
        folders: [
          { folder: 'twice', rights: ['read'] },
          { folder: 'twice/', rights: ['read'] },
        ],
      },
      400,
    ],
    [{ folders: [{ folderId: UNKNOWN, rights: ['read'] }] }, 404],
  ])('are refused as %j', async (fields, status) => {
    const guest = await addGuest(holdfast, { kept: ['read'] })

    expect((await admin.refusal('POST', '/users', newUser(fields)))[0]).toBe(status)
    expect((await admin.refusal('PUT', '/users', { id: guest.id, ...fields }))[0]).toBe(status)
    expect(await keysOf(guest)).toEqual(['kept'])
    for (const key of ['x', 'twice'])
      expect(await api.refusal('GET', `/folders?key=${key}`)).toEqual(NO_FOLDER)
  })

  test('cannot be the root, or one by its id and by its key', async () => {
    const { id, key, parentId } = await newFolder()
    const twice = [
      { folderId: id, rights: ['read'] },
      { folder: key, rights: ['read', 'write'] },
    ]

    expect((await admin.refusal('POST', '/users', newUser({ folders: twice })))[0]).toBe(400)
    const root = [{ folderId: parentId, rights: ['read'] }]
    expect((await admin.refusal('POST', '/users', newUser({ folders: root })))[0]).toBe(400)
  })

  test('cannot limit what manages the instance, also when the role changes later', async () => {
    const limits = { folders: [{ folder: 'managed', rights: ['read'] }] }
    const manager = { role: 'custom', scopes: ['settings:manage', 'files:read'] }
    const guest = await addGuest(holdfast, { own: ['read'] })

    for (const role of [{ role: 'admin' }, manager]) {
      const asked = newUser({ ...role, ...limits })
      expect(await admin.refusal('POST', '/users', asked)).toEqual(LIMITLESS)
      expect(await admin.refusal('PUT', '/users', { id: guest.id, ...role })).toEqual(LIMITLESS)
      const { id } = await create(role)
      expect(await admin.refusal('PUT', '/users', { id, ...limits })).toEqual(LIMITLESS)
      expect((await find(id))?.folders).toBeNull()
    }
    expect(await api.refusal('GET', '/folders?key=managed')).toEqual(NO_FOLDER)
    expect(await change({ id: guest.id, role: 'admin', folders: null })).toMatchObject({ folders: null })
  })

  test('replace those before; null lets into everything again', async () => {
    const { id, api: guest } = await addGuest(holdfast, { first: EDITING, second: ['read'] })

    const { folders } = await change({ id, folders: [{ folder: 'second', rights: ['read', 'write'] }] })
    expect(folders?.map(({ key, rights }) => [key, rights])).toEqual([['second', ['read', 'write']]])
    expect(await keysOf({ api: guest })).toEqual(['second'])
    expect(await change({ id, folders: [] })).toMatchObject({ folders: [] })
    expect(await change({ id, role: 'viewer' })).toMatchObject({ folders: [] })
    expect(await keysOf({ api: guest })).toEqual([])

    expect(await change({ id, folders: null })).toMatchObject({ folders: null })
    expect(await keysOf({ api: guest })).toContain('first')
    expect(await entriesOf({ api: guest })).toBeNull()
    expect(await change({ id, folders: [] })).toMatchObject({ folders: [] })
  })

  test('are without a key while they are in the trash', async () => {
    const guest = await addGuest(holdfast, { 'bin/inner': ['read'], bin: ['read'], zoo: ['read'] })
    const [bin, inner, zoo] = (await find(guest.id))?.folders ?? []
    await holdfast.trash.put({ folderIds: [bin?.folderId ?? ''] })

    expect((await find(guest.id))?.folders).toEqual([
      ...(zoo ? [zoo] : []),
      ...(bin && inner
        ? [
            { ...bin, key: null },
            { ...inner, key: null },
          ]
        : []),
    ])
    expect(await keysOf(guest)).toEqual(['zoo'])
  })

  test('stay with a list that names those in the trash, which gives nothing new there', async () => {
    const guest = await addGuest(holdfast, { 'kept in trash': ['read'], 'kept here': ['read'] })
    const other = await addGuest(holdfast, {})
    const before = (await find(guest.id))?.folders ?? []
    const trashed = before.find(({ key }) => key === 'kept in trash')?.folderId ?? ''
    await holdfast.trash.put({ folderIds: [trashed] })
    const folders = before.map(({ folderId, rights }) => ({ folderId, rights }))

    expect((await change({ id: guest.id, role: 'editor', folders })).folders).toHaveLength(2)
    expect(
      (await change({ id: guest.id, folders: folders.filter((one) => one.folderId !== trashed) })).folders,
    ).toHaveLength(1)
    const given = { id: other.id, folders: [{ folderId: trashed, rights: ['read'] }] }
    expect(await admin.refusal('PUT', '/users', given)).toEqual(NO_FOLDER)
  })

  test('hold for sessions and API keys from their next request on', async () => {
    const guest = await addGuest(holdfast, { now: EDITING })
    const withKey = await addKey(holdfast, { userId: guest.id, scopes: ['files:read'] })
    const byKey = { api: apiOf(holdfast, { withKey }) }
    expect([await keysOf(guest), await keysOf(byKey)]).toEqual([['now'], ['now']])

    await change({ id: guest.id, folders: [{ folder: 'then', rights: ['read'] }] })

    expect([await keysOf(guest), await keysOf(byKey)]).toEqual([['then'], ['then']])
  })

  test('end an upload under way, of which nothing stays', async () => {
    const guest = await addGuest(holdfast, { 'under way': EDITING })
    const bytes = multipartBody([fieldPart('folder', 'under way'), filePart('late.txt')])
    const body = new ReadableStream<Uint8Array>({
      async start(controller) {
        controller.enqueue(bytes.subarray(0, bytes.length / 2))
        await change({ id: guest.id, folders: [{ folder: 'under way', rights: ['read'] }] })
        controller.enqueue(bytes.subarray(bytes.length / 2))
        controller.close()
      },
    })

    const response = await holdfast.fetch('/api/files', {
      method: 'POST',
      headers: { ...guest.withSession, ...MULTIPART },
      body,
    })

    expect(response.status).toBe(403)
    expect(await api.list({ name: 'late.txt' })).toEqual([])
  })

  test('are in the security log and in the history of the admin', async () => {
    const { id, email } = await create({ folders: [{ folder: 'logged', rights: ['read'] }] })
    await change({ id, folders: null })
    const two = ['logged', 'logged too'].map((folder) => ({ folder, rights: ['write', 'read'] }))
    await change({ id, folders: two, role: 'viewer' })
    await change({ id, folders: two.slice(0, 1) })
    await change({ id, folders: [{ folder: 'logged', rights: ['read'] }] })
    await change({ id, disabled: true })

    const { activities } = await admin.data<{
      activities: { type: string; detail: string; actorId: string }[]
    }>('GET', `/activity?security=1&types=folders.changed&user=${id}`)
    expect(activities.toReversed().map(({ detail, actorId }) => [detail, actorId])).toEqual(
      [
        'logged: read',
        'everything',
        'logged: read, write; logged too: read, write',
        'logged: read, write',
        'logged: read',
      ].map((detail) => [detail, holdfast.userId]),
    )
    const history = holdfast.catalog.activities.newest(holdfast.userId, 6)
    expect(history.toReversed().map(({ type, target, detail }) => [type, target, detail])).toEqual([
      ['user.created', email, null],
      ['user.access-changed', email, '1 folder to everything'],
      ['user.access-changed', email, 'editor to viewer, everything to 2 folders'],
      ['user.access-changed', email, '2 folders to 1 folder'],
      ['user.access-changed', email, 'folders changed'],
      ['user.disabled', email, null],
    ])
  })

  test('go with the account', async () => {
    const guest = await addGuest(holdfast, { going: ['read'] })
    expect(holdfast.catalog.grants.of(guest.id)).toHaveLength(1)

    await admin.data('DELETE', '/users', { id: guest.id })

    expect(holdfast.catalog.grants.of(guest.id)).toEqual([])
  })
})

describe('a folder that is removed for good', () => {
  const REMOVALS: [how: string, remove: (id: string) => Promise<unknown>][] = [
    ['at once', (id) => api.data('DELETE', '/folders', { id })],
    [
      'from the trash',
      async (id) => {
        await holdfast.trash.put({ folderIds: [id] })
        await holdfast.trash.remove(id)
      },
    ],
  ]
  test.each(REMOVALS)('%s takes its rights along, and stays the end of what it limits', async (_, remove) => {
    const { id, key } = await newFolder()
    const guest = await addGuest(holdfast, { [key]: EDITING, [`${key}/in/ner`]: ['read'], kept: ['read'] })
    await admin.data('PUT', '/folders/people', { id, everyone: true, rights: ['read'] })
    const asked = { name: `bound to ${key}`, scopes: ['files:read'], folderId: id }
    const { key: bound } = await guest.api.data<{ key: { id: string; key: string } }>('POST', '/keys', asked)

    await remove(id)

    expect((await find(guest.id))?.folders?.map(({ key }) => key)).toEqual(['kept'])
    expect(holdfast.catalog.grants.of(guest.id).map(({ userId }) => userId)).toEqual([guest.id])
    const { keys } = await guest.api.data<{ keys: { id: string; folder: object }[] }>('GET', '/keys')
    expect(keys.find(({ id }) => id === bound.id)?.folder).toEqual({ id, key: null })
    const byKey = apiOf(holdfast, { withKey: { 'API-Key': bound.key } })
    expect([await byKey.browse(), await entriesOf({ api: byKey })]).toEqual([{ files: [], folders: [] }, []])

    await api.createFolder(`${key}/in/ner`)
    expect(await keysOf(guest)).toEqual(['kept'])
    await change({ id: guest.id, folders: [] })
    expect(await keysOf(guest)).toEqual([])
  })
})
