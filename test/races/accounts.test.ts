import { describe, expect, test } from 'bun:test'
import { addAccount, addUser, openDatabase, signIn, type User } from '../support/accounts.ts'
import type { Api } from '../support/api.ts'
import { eventually } from '../support/eventually.ts'
import { withInside } from '../support/fixture.ts'
import { stagedBytes } from '../support/holdfast.ts'
import { KIND } from '../support/kind.ts'
import { parked } from '../support/parked.ts'
import { sendBegin } from '../uploads/tus.ts'

const ROUNDS = 6

const holdfast = withInside()
const { bySession: admin } = holdfast

type Request = [method: string, path: string, body: unknown]

/** Sends requests at the same time; the statuses in their order. */
const statusesOf = (api: Api, requests: readonly Request[]): Promise<number[]> =>
  Promise.all(requests.map((request) => api.status(...request)))

const userOf = async (id: string) =>
  (await admin.data<{ users: { id: string }[] }>('GET', '/users')).users.find((user) => user.id === id)

describe('two changes of settings at the same time', () => {
  const limitsOf = async () =>
    (await admin.data<{ limits: Record<string, number> }>('GET', '/settings')).limits

  test('both apply when they name different limits', async () => {
    for (let round = 1; round <= ROUNDS; round += 1) {
      const changes = [{ maxUploadSize: 10 ** 6 + round }, { hostingCacheMaxAge: round }]
      const requests = changes.map((limits): Request => ['PUT', '/settings', { limits }])

      const statuses = await statusesOf(admin, requests)

      expect(statuses).toEqual([200, 200])
      expect(await limitsOf()).toMatchObject({ ...changes[0], ...changes[1] })
    }
  })

  test('keep the default of links within the maximum: one of them is refused', async () => {
    await admin.data('PUT', '/settings', { limits: { defaultPresignTtl: 100, maxPresignTtl: 1000 } })

    const statuses = await statusesOf(admin, [
      ['PUT', '/settings', { limits: { defaultPresignTtl: 900 } }],
      ['PUT', '/settings', { limits: { maxPresignTtl: 800 } }],
    ])

    expect(statuses.toSorted()).toEqual([200, 400])
    const { defaultPresignTtl = 0, maxPresignTtl = 0 } = await limitsOf()
    expect(defaultPresignTtl).toBeLessThanOrEqual(maxPresignTtl)
  })
})

describe('a new default visibility', () => {
  test('holds for an upload that is published later, also one that was received before', async () => {
    await admin.data('PUT', '/settings', { defaultVisibility: 'public' })
    using database = openDatabase(holdfast)
    database.begin('blobs')
    const uploading = admin.upload('received before', 'x')
    if (KIND === 'embedded') await eventually(() => stagedBytes(holdfast) > 0)
    await parked(holdfast)
    const changing = admin.data('PUT', '/settings', { defaultVisibility: 'private' })
    // Only PostgreSQL has locks of single tables.
    await (KIND === 'scale' ? changing : parked(holdfast))
    database.run('COMMIT')

    const [uploaded] = await Promise.all([uploading, changing])

    expect(uploaded.visibility).toBe('private')
    await admin.data('PUT', '/settings', { defaultVisibility: 'public' })
  })
})

describe('two changes of one account at the same time', () => {
  const SHOWN = { role: { role: 'viewer' }, status: { disabled: true } }
  const CHANGES = { ...SHOWN, password: { password: 'a new password' } }
  const WITH = { ...SHOWN, password: {} }
  test.each([
    ['role', 'status'],
    ['role', 'password'],
    ['status', 'password'],
  ] as const)('both apply: %s and %s', async (one, two) => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { id, email } = await addAccount(holdfast, { role: 'editor' })

      const statuses = await statusesOf(admin, [
        ['PUT', '/users', { id, ...CHANGES[one] }],
        ['PUT', '/users', { id, ...CHANGES[two] }],
      ])

      expect(statuses).toEqual([200, 200])
      const expected = { role: 'editor', disabled: false, ...WITH[one], ...WITH[two] }
      expect(await userOf(id)).toMatchObject(expected)
      if (!expected.disabled) expect((await signIn(holdfast, email, 'a new password')).id).toBe(id)
    }
  })

  test('a delete leaves nothing of it, whichever comes first', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { id } = await addAccount(holdfast, { role: 'editor' })

      const [deleted, changed] = await statusesOf(admin, [
        ['DELETE', '/users', { id }],
        ['PUT', '/users', { id, role: 'viewer' }],
      ])

      expect(deleted).toBe(200)
      expect([200, 404]).toContain(changed ?? 0)
      expect(await userOf(id)).toBeUndefined()
    }
  })

  test('a new name and a new e-mail both apply', async () => {
    const user = await addUser(holdfast, { role: 'editor' })
    for (let round = 0; round < ROUNDS; round += 1) {
      const [name, email] = [`Name ${round}`, `renamed${round}-${user.email}`]

      const statuses = await statusesOf(user.api, [
        ['PUT', '/me', { name }],
        ['PUT', '/me', { email }],
      ])

      expect(statuses).toEqual([200, 200])
      expect(await userOf(user.id)).toMatchObject({ name, email })
    }
  })
})

describe('two admins', () => {
  const admins = () => Promise.all([1, 2].map(() => addUser(holdfast, { role: 'admin' })))
  test.each([
    ['demote', 'PUT', { role: 'viewer' }],
    ['disable', 'PUT', { disabled: true }],
    ['delete', 'DELETE', {}],
  ])('that %s each other at once leave one of them', async (_, method, change) => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const [one, two] = (await admins()) as [User, User]

      const statuses = await Promise.all([
        one.api.status(method, '/users', { id: two.id, ...change }),
        two.api.status(method, '/users', { id: one.id, ...change }),
      ])

      expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    }
  })
})

describe('API keys', () => {
  const SCOPES = ['files:read', 'files:write']
  const create = async (api: Api, name: string) =>
    (await api.data<{ key: { id: string } }>('POST', '/keys', { name, scopes: SCOPES })).key.id

  test('that get one name at the same time: one of them does', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const ids = await Promise.all([create(admin, `one ${round}`), create(admin, `two ${round}`)])

      const statuses = await statusesOf(admin, [
        ['PUT', '/keys', { id: ids[0], name: `wanted ${round}` }],
        ['PUT', '/keys', { id: ids[1], name: `wanted ${round}` }],
        ['POST', '/keys', { name: `wanted ${round}`, scopes: SCOPES }],
      ])

      expect(statuses.toSorted()).toEqual([200, 409, 409])
    }
  })

  test('that are deleted while they are renamed are gone', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const id = await create(admin, `leaving ${round}`)

      const [renamed, deleted] = await statusesOf(admin, [
        ['PUT', '/keys', { id, name: `left ${round}` }],
        ['DELETE', '/keys', { id }],
      ])

      expect([200, 404]).toContain(renamed ?? 0)
      expect(deleted).toBe(200)
      const { keys } = await admin.data<{ keys: { id: string }[] }>('GET', '/keys')
      expect(keys.map((key) => key.id)).not.toContain(id)
    }
  })
})

describe('an account with as many unfinished uploads as it may have', () => {
  test('begins no more of them, also when it begins several at the same time', async () => {
    const user = await addUser(holdfast, { role: 'editor' })
    const { store } = holdfast.server.deps
    const begin = () =>
      sendBegin(holdfast, user.withSession, { length: 10, fields: { filename: `${Math.random()}` } })
    await begin()
    await fillUp(user.id, 996)

    const statuses = await Promise.all(Array.from({ length: 8 }, async () => (await begin()).status))

    expect(statuses.toSorted()).toEqual([201, 201, 201, 413, 413, 413, 413, 413])
    await eventually(async () => (await store.resumables.countUnfinished(user.id)) === 1000)
  })

  /** Adds rows of unfinished uploads. */
  const fillUp = (userId: string, count: number) => {
    const { store, clock } = holdfast.server.deps
    const now = clock.now()
    return store.transact(function* () {
      for (let at = 0; at < count; at += 1)
        yield* store.resumables.insert({
          id: Bun.randomUUIDv7(),
          userId,
          keyId: null,
          shareId: null,
          visitor: null,
          address: null,
          name: `${at}`,
          folder: '',
          visibility: null,
          metadata: '',
          length: 10,
          received: 0,
          fileId: null,
          partOf: null,
          part: null,
          facts: null,
          createdAt: now,
          expiresAt: now + 86_400_000,
        })
    })
  }
})
