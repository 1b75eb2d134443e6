import { beforeAll, describe, expect, test } from 'bun:test'
import type { ApiKey as KeyView } from '../../src/client/types.ts'
import { addKey, addUser, setAccess, setDisabled, type User } from '../support/accounts.ts'
import { withInside } from '../support/fixture.ts'
import { TestClock } from '../support/holdfast.ts'

const FILE_SCOPES = ['files:read', 'files:write', 'files:delete']

let user: User
let stranger: User
const clock = new TestClock()
const holdfast = withInside({ clock })
beforeAll(async () => {
  user = await holdfast.addUser('editor')
  stranger = await holdfast.addUser('editor')
})

/** Calls `/api/keys` and returns the status and the envelope. */
async function call(method: string, body?: unknown, { withSession } = user) {
  const sent = body === undefined ? {} : { body: JSON.stringify(body) }
  const response = await holdfast.fetch('/api/keys', { method, headers: withSession, ...sent })
  const { data, error } = (await response.json()) as { data: unknown; error: { message: string } | null }
  return { status: response.status, data, message: error?.message }
}

const listOf = async (owner = user) =>
  ((await call('GET', undefined, owner)).data as { keys: KeyView[] }).keys

async function create(name: string, more: object = {}, owner = user) {
  const { data, message } = await call('POST', { name, scopes: FILE_SCOPES, ...more }, owner)
  if (!data) throw new Error(message)
  return (data as { key: KeyView & { key: string } }).key
}

/** Sends a request that needs `scope` and changes nothing. Returns the response. */
async function ask(scope: string, headers: Record<string, string>): Promise<[number, string | undefined]> {
  const method = { 'files:read': 'GET', 'files:write': 'PUT', 'files:delete': 'DELETE' }[scope] ?? ''
  const body = method === 'GET' ? {} : { body: '{"id":"nope","name":"nope"}' }
  const response = await holdfast.fetch('/api/files?id=nope', { method, headers, ...body })
  const { error } = (await response.json()) as { error: { message: string } | null }
  return [response.status, error?.message]
}

const withKey = ({ key }: { key: string }) => ({ 'API-Key': key })
const LET_IN: [number, string] = [404, 'File not found']
const failure = (status: number, message: string) => ({ status, data: null, message })
const DONE = { status: 200, data: null, message: undefined }

const activityOf = (owner: User) =>
  holdfast.catalog.activities.newest(owner.id, 200).map(({ type, target, detail }) => [type, target, detail])

describe('GET /api/keys', () => {
  test('lists the caller’s own keys, newest first, without their secrets', async () => {
    const owner = await holdfast.addUser('editor')
    const { key: _, ...first } = await create(
      'first',
      { scopes: ['files:read'], expiresAt: '2027-01-02' },
      owner,
    )
    clock.advance(1000)
    const { key: secret, ...second } = await create('second', {}, owner)

    expect(await listOf(owner)).toEqual([second, first])
    expect(first).toEqual({
      id: first.id,
      name: 'first',
      scopes: ['files:read'],
      createdAt: new Date(clock.now() - 1000).toISOString(),
      folder: null,
      lastUsed: null,
      expiresAt: '2027-01-02T00:00:00.000Z',
    })
    expect(JSON.stringify(await call('GET', undefined, owner))).not.toContain(secret.slice(3))
  })

  test('is empty for an account without keys', async () => {
    expect(await listOf(await holdfast.addUser('editor'))).toEqual([])
  })

  test('shows the latest use of a key at once', async () => {
    const key = await create('just used')
    clock.advance(5000)
    await ask('files:read', withKey(key))

    const [listed] = await listOf()

    expect(listed).toMatchObject({ id: key.id, lastUsed: new Date(clock.now()).toISOString() })
  })

  test('keeps keys that have expired, which work until then', async () => {
    const owner = await holdfast.addUser('editor')
    const key = await create('short', { expiresAt: new Date(clock.now() + 1000).toISOString() }, owner)

    clock.advance(999)
    expect(await ask('files:read', withKey(key))).toEqual(LET_IN)
    clock.advance(1)
    expect(await ask('files:read', withKey(key))).toEqual([401, 'Unauthorized'])
    expect(await listOf(owner)).toMatchObject([
      { id: key.id, expiresAt: new Date(clock.now()).toISOString() },
    ])
  })

  test('lists all file scopes of a key from before keys had scopes, which carries them', async () => {
    const owner = await holdfast.addUser('editor')
    const old = await addKey(holdfast, { userId: owner.id, scopes: [] })

    expect(await listOf(owner)).toMatchObject([{ scopes: FILE_SCOPES }])
    for (const scope of FILE_SCOPES) expect(await ask(scope, old)).toEqual(LET_IN)
  })
})

describe('POST /api/keys', () => {
  test('grants no scope that the caller’s role lacks', async () => {
    const owner = await addUser(holdfast, { role: 'custom', customScopes: ['api-keys:manage', 'files:read'] })

    const { status, message } = await call('POST', { name: 'more', scopes: FILE_SCOPES }, owner)

    expect([status, message]).toEqual([403, 'Missing required scope "files:write"'])
    expect(await listOf(owner)).toEqual([])
    expect(activityOf(owner)).toEqual([])
  })

  test('lets two accounts have keys of one name', async () => {
    const one = await create('shared name')
    const other = await create('shared name', {}, stranger)

    expect(one.name).toBe(other.name)
  })

  test('takes null for a key that never expires', async () => {
    expect(await create('eternal', { expiresAt: null })).toMatchObject({ expiresAt: null })
  })

  test.each([
    ['control characters', 'a\u0000b', '"name" must not contain control characters'],
    ['a lone surrogate', 'a\ud800', '"name" must be well-formed Unicode'],
    ['256 characters', 'x'.repeat(256), '"name" must have at most 255 characters'],
  ])('refuses a name with %s', async (_, name, message) => {
    expect(await call('POST', { name, scopes: FILE_SCOPES })).toEqual(failure(400, message))
  })
})

describe('PUT /api/keys', () => {
  test('renames a key, which continues to work, and records it', async () => {
    const { key, ...made } = await create('old name')

    expect(await call('PUT', { id: made.id, name: '  new name ' })).toEqual(DONE)

    expect((await listOf()).find(({ id }) => id === made.id)).toEqual({ ...made, name: 'new name' })
    expect(await ask('files:write', { 'API-Key': key })).toEqual(LET_IN)
    expect(activityOf(user)[0]).toEqual(['api-key.renamed', 'new name', 'Renamed from "old name"'])
  })

  test('changes neither scopes nor expiry', async () => {
    const { key: _, ...made } = await create('fixed', { scopes: ['files:read'] })

    await call('PUT', { id: made.id, name: 'still fixed', scopes: FILE_SCOPES, expiresAt: '2030-01-01' })

    expect((await listOf()).find(({ id }) => id === made.id)).toEqual({ ...made, name: 'still fixed' })
  })

  test('to its own name succeeds, and there is nothing to record', async () => {
    const { id } = await create('same')
    const before = activityOf(user)

    expect(await call('PUT', { id, name: 'same' })).toEqual(DONE)
    expect(activityOf(user)).toEqual(before)
  })

  test('refuses the name of another of the caller’s keys', async () => {
    const [{ id }] = [await create('mine'), await create('taken')]
    const before = [await listOf(), activityOf(user)]

    expect(await call('PUT', { id, name: ' taken ' })).toEqual(
      failure(409, 'You have an API key named "taken" already'),
    )
    expect([await listOf(), activityOf(user)]).toEqual(before)
  })

  test('knows no key but the caller’s own', async () => {
    const { id } = await create('untouchable', {}, stranger)
    const before = [await listOf(stranger), activityOf(stranger), activityOf(user)]

    for (const other of [id, 'nope', ''])
      expect(await call('PUT', { id: other, name: 'stolen' })).toEqual(failure(404, 'API key not found'))
    expect([await listOf(stranger), activityOf(stranger), activityOf(user)]).toEqual(before)
  })

  test.each<[string, object, string]>([
    ['no id', { name: 'x' }, '"id" is required'],
    ['no name', { id: 'nope' }, '"name" is required'],
    ['an empty name', { id: 'nope', name: '' }, '"name" must not be empty'],
    ['a blank name', { id: 'nope', name: ' ' }, '"name" must not be empty'],
    ['a number for a name', { id: 'nope', name: 1 }, '"name" must be of type string'],
    ['a line break', { id: 'nope', name: 'a\nb' }, '"name" must not contain control characters'],
    ['a lone surrogate', { id: 'nope', name: '\udfff' }, '"name" must be well-formed Unicode'],
    ['256 characters', { id: 'nope', name: 'x'.repeat(256) }, '"name" must have at most 255 characters'],
  ])('refuses %s, before it looks for the key', async (_, body, message) => {
    expect(await call('PUT', body)).toEqual(failure(400, message))
  })
})

describe('DELETE /api/keys', () => {
  test('ends a key at once, frees its name, and records it', async () => {
    const made = await create('short-lived')
    expect(await ask('files:read', withKey(made))).toEqual(LET_IN)

    expect(await call('DELETE', { id: made.id })).toEqual(DONE)

    expect(await ask('files:read', withKey(made))).toEqual([401, 'Unauthorized'])
    expect((await listOf()).map(({ id }) => id)).not.toContain(made.id)
    expect(activityOf(user)[0]).toEqual([
      'api-key.deleted',
      'short-lived',
      'Access revoked for anything using this key',
    ])
    expect(await call('DELETE', { id: made.id })).toMatchObject({ status: 404 })
    await create('short-lived')
  })

  test('knows no key but the caller’s own', async () => {
    const made = await create('not yours', {}, stranger)
    const before = activityOf(user)

    expect(await call('DELETE', { id: made.id })).toEqual(failure(404, 'API key not found'))
    expect(await ask('files:read', withKey(made))).toEqual(LET_IN)
    expect(activityOf(user)).toEqual(before)
  })

  test.each<[string, object, string]>([
    ['no id', {}, '"id" is required'],
    ['a list of ids', { id: ['a'] }, '"id" must be of type string'],
  ])('refuses %s', async (_, body, message) => {
    expect(await call('DELETE', body)).toEqual(failure(400, message))
  })
})

describe('a key', () => {
  test('is a ceiling on its owner’s role, not a grant: scopes are lost and regained with the role', async () => {
    const owner = await holdfast.addUser('editor')
    const key = await create('bound', { scopes: ['files:read', 'files:write'] }, owner)
    expect(await ask('files:write', withKey(key))).toEqual(LET_IN)

    setAccess(holdfast, owner.id, { role: 'custom', customScopes: ['api-keys:manage', 'files:delete'] })

    expect(await ask('files:read', withKey(key))).toEqual([403, 'Missing required scope "files:read"'])
    expect(await ask('files:write', withKey(key))).toEqual([403, 'Missing required scope "files:write"'])
    const refused = await ask('files:delete', withKey(key))
    expect(refused).toEqual([403, 'API key is missing required scope "files:delete"'])
    expect(await listOf(owner)).toMatchObject([{ scopes: ['files:read', 'files:write'] }])

    setAccess(holdfast, owner.id, { role: 'admin' })

    expect(await ask('files:write', withKey(key))).toEqual(LET_IN)
    expect(await ask('files:delete', withKey(key))).toEqual([403, expect.any(String)])
  })

  test('stops with all others when its owner loses api-keys:manage, until it is regained', async () => {
    const owner = await holdfast.addUser('editor')
    const keys = [await create('one', {}, owner), await create('two', {}, owner)]
    setAccess(holdfast, owner.id, { role: 'viewer' })

    for (const key of keys)
      expect(await ask('files:read', withKey(key))).toEqual([403, 'Missing required scope "api-keys:manage"'])
    expect(await call('GET', undefined, owner)).toMatchObject({ status: 403 })
    setAccess(holdfast, owner.id, { role: 'editor' })

    for (const key of keys) expect(await ask('files:read', withKey(key))).toEqual(LET_IN)
  })

  test('stops while its owner is disabled', async () => {
    const owner = await holdfast.addUser('editor')
    const key = await create('of a disabled account', {}, owner)

    setDisabled(holdfast, owner.id, true)
    expect(await ask('files:read', withKey(key))).toEqual([401, 'Unauthorized'])
    setDisabled(holdfast, owner.id, false)
    expect(await ask('files:read', withKey(key))).toEqual(LET_IN)
  })
})
