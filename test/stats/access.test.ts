import { describe, expect, test } from 'bun:test'
import { addUser } from '../support/accounts.ts'
import { apiOf } from '../support/api.ts'
import { ADMIN, postJson, refusalOf } from '../support/holdfast.ts'
import { addKey, DAY_MS, start } from './stats.ts'

type Started = Awaited<ReturnType<typeof start>>

/** Returns the sections that a credential gets. */
async function sections({ stats }: Started, credential: Record<string, string>): Promise<string[]> {
  return Object.entries(await stats(credential))
    .filter(([, section]) => section !== null)
    .map(([name]) => name)
}

describe('GET /api/stats', () => {
  test('gives an admin with a session every section', async () => {
    await using started = await start()

    expect(Object.keys(await started.stats())).toEqual(['files', 'apiKeys', 'hosting', 'users', 'alerts'])
    expect(await sections(started, started.withSession)).toEqual([
      'files',
      'apiKeys',
      'hosting',
      'users',
      'alerts',
    ])
  })

  test.each([
    ['editor', [], ['files', 'apiKeys', 'hosting', 'alerts']],
    ['viewer', [], ['files', 'hosting', 'alerts']],
    ['custom', ['files:read'], ['files', 'hosting', 'alerts']],
    ['custom', ['api-keys:manage'], ['apiKeys', 'alerts']],
    ['custom', ['files:write', 'files:delete', 'settings:manage'], ['alerts']],
  ] as const)('gives a session of %s with %j the sections %j', async (role, customScopes, expected) => {
    await using started = await start()
    const { withSession } = await addUser(started.holdfast, { role, customScopes: [...customScopes] })

    expect(await sections(started, withSession)).toEqual([...expected])
  })

  test('gives a key of an admin neither keys nor users', async () => {
    await using started = await start()

    expect(await sections(started, started.account.withKey)).toEqual(['files', 'hosting', 'alerts'])
  })

  test('gives a key only what both it and the role of its owner allow', async () => {
    await using started = await start()
    const { userId } = started.account
    const { withKey: writing } = await addKey(started, { userId, scopes: ['files:write'] })
    const uploader = await addUser(started.holdfast, {
      role: 'custom',
      customScopes: ['files:write', 'api-keys:manage'],
    })
    const { withKey: reading } = await addKey(started, { userId: uploader.id })

    expect(await sections(started, writing)).toEqual(['alerts'])
    expect(await sections(started, reading)).toEqual(['alerts'])
  })

  test('refuses a key whose owner may have no keys any more', async () => {
    await using started = await start()
    const { id: userId } = await addUser(started.holdfast, { role: 'viewer' })
    const { withKey } = await addKey(started, { userId })

    const refused = await apiOf(started.holdfast, { withKey: withKey }).refusal('GET', '/stats')
    expect(refused).toEqual([403, 'Missing required scope "api-keys:manage"'])
  })

  test('refuses a stranger', async () => {
    await using started = await start()

    expect(await refusalOf(await started.holdfast.fetch('/api/stats'))).toEqual([401, 'Unauthorized'])
  })
})

describe('the users section', () => {
  test('counts accounts, disabled ones, and the devices signed in across all of them', async () => {
    await using started = await start()
    const { holdfast, stats, withSession } = started
    const { email } = await addUser(holdfast, { role: 'editor' })
    await postJson(holdfast, '/api/auth/sign-in/email', { email, password: ADMIN.password })
    const gone = await addUser(holdfast, { role: 'viewer' })
    await apiOf(holdfast, { withKey: withSession }).data('PUT', '/users', { id: gone.id, disabled: true })

    expect((await stats()).users).toEqual({ total: 3, disabled: 1, sessions: 3 })
  })

  test('leaves out the devices whose session has expired', async () => {
    await using started = await start()
    const { holdfast, clock, stats, withSession } = started
    await addUser(holdfast, { role: 'editor' })
    clock.advance(DAY_MS)
    await apiOf(holdfast, { withKey: withSession }).data('GET', '/stats')
    clock.advance(6 * DAY_MS - 1)
    expect((await stats()).users).toMatchObject({ sessions: 2 })

    clock.advance(1)

    expect((await stats()).users).toMatchObject({ total: 2, sessions: 1 })
  })
})
