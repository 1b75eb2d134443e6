import { describe, expect, test } from 'bun:test'
import { addUser } from '../support/accounts.ts'
import { withInside } from '../support/fixture.ts'
import { ADMIN, postJson, TestClock } from '../support/holdfast.ts'
import { addKey, type Credential, DAY_MS, start, statsFor } from './stats.ts'

const holdfast = withInside({ clock: new TestClock() })

/** Returns the sections that a credential gets. */
const sections = async (credential: Credential) =>
  Object.entries(await statsFor(holdfast, credential))
    .filter(([, section]) => section !== null)
    .map(([name]) => name)

const ALL = ['files', 'apiKeys', 'hosting', 'users', 'alerts']

describe('GET /api/stats', () => {
  test('gives an admin with a session every section', async () => {
    const session = { Cookie: holdfast.cookie }

    expect(Object.keys(await statsFor(holdfast, session))).toEqual(ALL)
    expect(await sections(session)).toEqual(ALL)
  })

  test.each([
    ['editor', [], ['files', 'apiKeys', 'hosting', 'alerts']],
    ['viewer', [], ['files', 'hosting', 'alerts']],
    ['custom', ['files:read'], ['files', 'hosting', 'alerts']],
    ['custom', ['api-keys:manage'], ['apiKeys', 'alerts']],
    ['custom', ['files:write', 'files:delete', 'settings:manage'], ['alerts']],
  ] as const)('gives a session of %s with %j the sections %j', async (role, customScopes, expected) => {
    const { withSession } = await holdfast.addUser(role, customScopes)

    expect(await sections(withSession)).toEqual([...expected])
  })

  test('gives a key of an admin neither keys nor users', async () => {
    expect(await sections(holdfast.withKey)).toEqual(['files', 'hosting', 'alerts'])
  })

  test('gives a key only what both it and the role of its owner allow', async () => {
    const { withKey: writing } = await addKey(holdfast, { userId: holdfast.userId, scopes: ['files:write'] })
    const uploader = await holdfast.addUser('custom', ['files:write', 'api-keys:manage'])
    const { withKey: reading } = await addKey(holdfast, { userId: uploader.id })

    expect(await sections(writing)).toEqual(['alerts'])
    expect(await sections(reading)).toEqual(['alerts'])
  })
})

describe('the users section', () => {
  test('counts accounts, disabled ones, and the devices signed in across all of them', async () => {
    await using started = await start()
    const { email } = await addUser(started, { role: 'editor' })
    await postJson(started, '/api/auth/sign-in/email', { email, password: ADMIN.password })
    const gone = await addUser(started, { role: 'viewer' })
    await started.bySession.data('PUT', '/users', { id: gone.id, disabled: true })

    expect((await started.stats()).users).toEqual({ total: 3, disabled: 1, sessions: 3 })
  })

  test('leaves out the devices whose session has expired', async () => {
    await using started = await start()
    const { clock, stats } = started
    await addUser(started, { role: 'editor' })
    clock.advance(DAY_MS)
    await stats()
    clock.advance(6 * DAY_MS - 1)
    expect((await stats()).users).toMatchObject({ sessions: 2 })

    clock.advance(1)

    expect((await stats()).users).toMatchObject({ total: 2, sessions: 1 })
  })
})
