import { describe, expect, test } from 'bun:test'
import type { UserRow } from '../../src/catalog/people/users.ts'
import { id, NOW, withBoth } from '../support/engines.ts'

/** Runs functions of the catalog on SQLite and on PostgreSQL, and compares what they return. */

const { same } = withBoth()

const userRow = (n: number, more: Partial<UserRow> = {}): UserRow => ({
  id: id(n),
  name: `User ${n}`,
  email: `user${n}@example.com`,
  passwordHash: 'hash',
  image: null,
  language: null,
  role: 'custom',
  customScopes: ['files:read', "it's"],
  disabled: false,
  secondFactor: false,
  limited: n % 2 === 0,
  createdAt: NOW + n,
  updatedAt: NOW,
  ...more,
})

describe('accounts', () => {
  test('are the same rows', async () => {
    await same.users.insert(userRow(301))
    await same.users.insert(userRow(302, { role: 'admin', disabled: true, image: 'data:' }))
    await same.users.byId(id(301))
    await same.users.byEmail('user302@example.com')
    await same.users.count()
    await same.users.countDisabled()
    await same.users.all()
    await same.users.update(id(301), { name: 'ä', customScopes: [], disabled: undefined })
  })

  test('have the same sessions', async () => {
    const session = (n: number) => ({
      id: id(n),
      userId: id(301),
      tokenHash: `hash ${n}`,
      ipAddress: '::1',
      userAgent: '',
      createdAt: NOW,
      usedAt: NOW + n,
      expiresAt: NOW + n * 10,
      remembered: n % 2 === 0,
      way: 'password',
      confirmedAt: n % 2 === 0 ? NOW : null,
      voucher: null,
      providerSid: null,
    })
    for (let n = 310; n < 318; n++) await same.sessions.insert(session(n))
    await same.sessions.withOwner('hash 311')
    await same.sessions.withOwner('none')
    await same.sessions.countOpen(NOW + 3130)
    await same.sessions.own(id(301), id(312), NOW)
    await same.sessions.ofUser(id(301), NOW + 3120)
    await same.sessions.extend(id(310), NOW + 99_999)
    await same.sessions.touch(id(310), NOW + 999)
    await same.sessions.confirm(id(311), NOW + 5)
    await same.sessions.removeOldest(session(317), { kept: 4, limit: 2 })
    await same.sessions.ofUser(id(301), 0)
    await same.sessions.removeExpired(NOW + 3131, 10)
    await same.sessions.removeOthers(id(301), id(310), 1)
    await same.sessions.removeOfUser(id(301), id(310))
    await same.sessions.ofUser(id(301), 0)
    await same.sessions.remove(id(310))
    const ofProvider = (n: number, providerSid: string | null) =>
      same.sessions.insert({ ...session(n), way: 'oidc', providerSid })
    for (const [n, sid] of [null, 'a', 'b', 'b', null].entries()) await ofProvider(318 + n, sid)
    await same.sessions.insert({ ...session(323), providerSid: 'a' })
    await same.sessions.removeOfProvider({ userId: undefined, sid: 'a' })
    await same.sessions.removeOfProvider({ userId: id(301), sid: 'c' })
    expect((await same.sessions.ofUser(id(301), 0)).map((row) => row.id).sort()).toEqual([
      id(320),
      id(321),
      id(323),
    ])
    await same.sessions.removeOfProvider({ userId: id(301), sid: undefined })
    expect(await same.sessions.ofUser(id(301), 0)).toHaveLength(1)
    await same.sessions.removeOfUser(id(301))
  })

  test('have the same rights by hand and by groups', async () => {
    const grant = { folderId: id(900), userId: id(301), createdAt: NOW, createdBy: null }
    await same.grants.set({ ...grant, rights: ['read', 'write'] })
    await same.grants.set({ ...grant, rights: ['read'], byGroups: true })
    expect(await same.grants.of(id(301))).toHaveLength(2)
    await same.grants.remove(id(900), id(301))
    expect(await same.grants.inFolders([id(900)])).toEqual([{ ...grant, rights: ['read'], byGroups: true }])
    await same.grants.removeOfUser(id(301))
    expect(await same.grants.of(id(301))).toEqual([])
  })

  test('have the same codes', async () => {
    const app = { userId: id(301), secret: 'a', lastStep: 7, enabledAt: null, wrong: 0, lockedUntil: 0 }
    await same.authenticators.replace({ ...app, secret: 'of before', lastStep: 99 })
    await same.authenticators.replace(app)
    for (let n = 0; n < 9; n++) await same.authenticators.count(id(301), NOW)
    await same.authenticators.countEnabled()
    expect((await same.authenticators.count(id(301), NOW))?.lockedUntil).toBeGreaterThan(NOW)
    expect(await same.authenticators.count(id(301), NOW)).toBeUndefined()
    await same.authenticators.unlock(id(301))
    expect(await same.authenticators.use(app, 7, NOW)).toBe(false)
    expect(await same.authenticators.use({ ...app, secret: 'b' }, 8, NOW)).toBe(false)
    expect(await same.authenticators.use(app, 8, NOW + 1)).toBe(true)
    expect(await same.authenticators.use(app, 9, NOW + 2)).toBe(true)
    await same.authenticators.ofUser(id(301))
    expect(await same.authenticators.countEnabled()).toBe(1)
    for (const codes of [['of before'], ['a', 'b']]) await same.recoveryCodes.replace(id(301), codes)
    for (const used of [true, false]) expect(await same.recoveryCodes.use(id(301), 'a')).toBe(used)
    expect(await same.recoveryCodes.countOf(id(301))).toBe(1)
    await same.users.update(id(301), { secondFactor: true })
    expect(await same.authenticators.remove(id(302))).toBe(false)
    await same.users.removeFactors(id(301), { at: NOW, withPasskeys: true })
    await same.authenticators.ofUser(id(301))
    expect(await same.recoveryCodes.countOf(id(301))).toBe(0)
    await same.users.byId(id(301))
  })

  test('have the same identities', async () => {
    const identity = (n: number, userId: string) => ({
      id: id(n),
      userId,
      provider: 'oidc',
      issuer: 'https://auth.example.com',
      subject: `person ${n}`,
      createdAt: NOW + n,
      usedAt: NOW,
    })
    const person = (n: number) => ({ issuer: 'https://auth.example.com', subject: `person ${n}` })
    for (let n = 350; n < 353; n++) await same.identities.insert(identity(n, id(301)))
    await same.identities.bySubject(person(351))
    await same.identities.bySubject({ ...person(351), issuer: 'https://other.example.com' })
    await same.identities.used(id(351), NOW + 9)
    await same.identities.remove(id(350))
    await same.identities.ofUser(id(301))
    await same.identities.ofUser(id(302))
    expect(await same.identities.removeOfUser(id(302))).toBe(0)
  })

  test('have the same passkeys', async () => {
    const passkey = (n: number) => ({
      id: id(n),
      userId: id(n % 2 === 0 ? 301 : 302),
      name: `Passkey ${n}`,
      credentialId: `credential ${n}`,
      publicKey: 'key',
      counter: n === 340 ? 0 : n,
      transports: ['internal'],
      createdAt: NOW + n,
      usedAt: null,
    })
    for (let n = 340; n < 345; n++) await same.passkeys.insert(passkey(n))
    await same.passkeys.byCredential('credential 341')
    await same.passkeys.byCredential('none')
    await same.passkeys.ofUser(id(301))
    await same.passkeys.countOf(id(302))
    await same.passkeys.rename(id(301), id(342), 'é')
    await same.passkeys.rename(id(302), id(342), 'not its own')
    await same.passkeys.use(id(340), 0, NOW)
    await same.passkeys.use(id(340), 5, NOW)
    for (const counter of [0, 5, 6]) await same.passkeys.use(id(340), counter, NOW)
    await same.passkeys.use(id(399), 1, NOW)
    await same.passkeys.remove(id(302), id(340))
    await same.passkeys.remove(id(301), id(340))
    await same.passkeys.ofUser(id(301))
  })

  test('have the same API keys', async () => {
    const key = (n: number) => ({
      id: id(n),
      userId: id(301),
      name: `key ${n}`,
      keyHash: `hash ${n}`,
      scopes: ['files:read'],
      createdAt: NOW,
      usedAt: null,
      expiresAt: null,
      folderId: null,
    })
    for (let n = 320; n < 323; n++) await same.keys.insert(key(n))
    await same.keys.withOwner('hash 321')
    await same.keys.byName(id(301), 'key 321')
    for (const usedAt of [NOW + 5, NOW + 3]) await same.keys.used(id(321), usedAt)
    await same.keys.byId(id(321))
    await same.keys.rename(id(321), 'other')
    await same.keys.ofUser(id(301))
    await same.users.countKeys(id(301))
    await same.keys.remove(id(320))
    expect(await same.keys.removeOfUser(id(301))).toBe(2)
  })

  test('have the same attempts to sign in, trusted devices and programs that wait', async () => {
    const attempt = (n: number) => ({
      tokenHash: `attempt ${n}`,
      kind: 'second-step' as const,
      userId: n === 0 ? null : id(301),
      data: { remembered: true },
      wrong: 0,
      expiresAt: NOW + n,
    })
    for (let n = 0; n < 4; n++) await same.attempts.insert(attempt(n))
    expect((await same.attempts.count('attempt 1'))?.wrong).toBe(1)
    await same.attempts.byToken('attempt 0')
    for (const isFirst of [true, false])
      expect(await same.attempts.claim({ tokenHash: 'logout', kind: 'logout', expiresAt: NOW + 9 })).toBe(
        isFirst,
      )
    await same.attempts.take('logout')
    expect(await same.attempts.take('attempt 1')).toMatchObject({ data: { remembered: true }, wrong: 1 })
    expect(await same.attempts.take('attempt 1')).toBeUndefined()
    expect(await same.attempts.removeExpired(NOW, 9)).toBe(1)

    const device = { userId: id(301), userAgent: '', createdAt: NOW, expiresAt: NOW + 9 }
    await same.trustedDevices.insert({ ...device, id: id(331), tokenHash: 'device' })
    expect(await same.trustedDevices.has(id(301), 'device', NOW)).toBe(true)
    expect(await same.trustedDevices.has(id(302), 'device', NOW)).toBe(false)
    expect(await same.trustedDevices.has(id(301), 'device', NOW + 9)).toBe(false)
    expect(await same.trustedDevices.countOf(id(301), NOW)).toBe(1)
    await same.users.update(id(301), { passwordHash: 'other' })
    expect(await same.attempts.byToken('attempt 2')).toBeUndefined()
    expect(await same.trustedDevices.removeOfUser(id(301))).toBe(0)
    expect(await same.trustedDevices.removeExpired(NOW, 9)).toBe(0)

    const asking = { clientName: 'CLI', scopes: ['files:read'], ipAddress: '::1', state: 'pending' as const }
    const times = { polledAt: NOW, createdAt: NOW, expiresAt: NOW + 9 }
    for (const n of [1, 2])
      await same.deviceCodes.insert({
        ...asking,
        ...times,
        deviceHash: `device ${n}`,
        userHash: `user ${n}`,
        userId: null,
      })
    await same.deviceCodes.poll('device 1', NOW + 5)
    await same.deviceCodes.byDevice('device 1')
    const approved = { state: 'approved' as const, userId: id(301), now: NOW }
    expect(await same.deviceCodes.answer('user 1', approved)).toMatchObject({ polledAt: NOW + 5 })
    expect(await same.deviceCodes.answer('user 1', approved)).toBeUndefined()
    await same.deviceCodes.waiting('user 2', NOW)
    expect(await same.deviceCodes.waiting('user 2', NOW + 9)).toBeUndefined()
    expect(await same.deviceCodes.take('device 1')).toMatchObject({ userId: id(301) })
    expect(await same.deviceCodes.removeExpired(NOW + 9, 9)).toBe(1)
  })

  test('have the same invitations', async () => {
    await same.users.insert(userRow(303, { role: 'admin' }))
    const invitation = (n: number) => ({
      id: id(n),
      userId: id(n === 326 ? 302 : n === 327 ? 301 : 303),
      tokenHash: `hash ${n}`,
      email: n % 2 === 0 ? null : 'new@example.com',
      role: 'custom' as const,
      customScopes: ['files:read'],
      note: null,
      createdAt: NOW,
      expiresAt: NOW + n,
      grants: null,
      usedAt: null,
      usedBy: null,
    })
    for (let n = 323; n < 328; n++) await same.invitations.insert(invitation(n))
    const found = await same.invitations.openWith('hash 323', NOW + 322)
    expect(found?.creator.id).toBe(id(303))
    for (const [hash, now] of [
      ['hash 323', NOW + 323],
      ['hash 326', NOW], // Its creator is disabled.
      ['hash 327', NOW], // Its creator is no admin.
      ['none', NOW],
    ] as const)
      expect(await same.invitations.openWith(hash, now)).toBeUndefined()
    await same.invitations.use(id(324), { usedAt: NOW + 1, usedBy: id(999) })
    expect(await same.invitations.openWith('hash 324', NOW)).toBeUndefined()
    expect(await same.invitations.countUnused()).toBe(4)
    await same.invitations.byId(id(324))
    await same.invitations.remove(id(325))
    expect(await same.invitations.removeExpired(NOW + 324, 1)).toBe(1)
    expect(await same.invitations.all()).toHaveLength(3)
  })

  test('have the same quotas', async () => {
    const quotaOf = (n: number) => same.quotas.of(id(n))
    await same.quotas.set(id(301), 1000)
    await same.quotas.set(id(302), 0)
    await same.quotas.set(id(301), 2 ** 50)
    expect(await quotaOf(301)).toEqual({ quota: 2 ** 50, usedBytes: 0 })
    await same.quotas.assertRoom({ userId: id(301), bytes: 2 ** 50 })
    expect([...(await same.quotas.all()).keys()]).toContain(id(302))
    await same.quotas.set(id(302), null)
    expect(await quotaOf(302)).toEqual({ quota: null, usedBytes: 0 })
  })

  test('have the same history', async () => {
    const entry = (n: number) => ({
      id: id(n),
      userId: id(301),
      type: n % 3 === 0 ? 'file.uploaded' : 'file.deleted',
      target: null,
      detail: 'é',
      createdAt: NOW + Math.floor(n / 2),
    })
    for (let n = 330; n < 345; n++) await same.activities.insert(entry(n))
    await same.activities.own(id(301), id(331))
    const page = await same.activities.newest(id(301), 5)
    const [, , , , before] = page
    await same.activities.newest(id(301), 5, { before })
    await same.activities.newest(id(301), 5, { before, types: ['file.uploaded', 'file.deleted'] })
    await same((catalog) =>
      catalog.activities.tally(id(301), ['file.uploaded', 'none'], NOW).into((all) => all),
    )
    expect(await same.activities.removeOwn(id(301), [id(331), id(332), 'none'])).toBe(2)
    expect(await same.activities.removeBefore(NOW + 168, 3)).toBe(3)
    expect(await same.activities.removeAllOwn(id(301), 100)).toBe(10)
  })

  test('have the same security log', async () => {
    const entry = (n: number) => ({
      id: id(n),
      type: n % 2 === 0 ? 'signed-in' : 'failed',
      userId: id(301),
      email: null,
      actorId: null,
      ipAddress: '::1',
      userAgent: '',
      detail: null,
      createdAt: NOW + n,
    })
    for (let n = 350; n < 356; n++) await same.securityEvents.insert(entry(n))
    await same.securityEvents.byId(id(351))
    await same.securityEvents.newest({ limit: 3 })
    await same.securityEvents.newest({ limit: 3, userId: id(301), types: ['failed'], before: entry(354) })
    expect(await same.securityEvents.removeBefore(NOW + 352, 10)).toBe(2)
  })

  test('have the same counts of requests, and end in the same way', async () => {
    const count = (keyId: string, day: string) => ({ userId: id(301), day, keyId, count: 3 })
    for (const [keyId, day] of [
      ['a', '2024-01-01'],
      ['a', '2024-01-01'],
      ['b', '2024-01-01'],
      ['b', '2024-01-02'],
    ] as const)
      await same.apiRequests.add(count(keyId, day))
    await same.apiRequests.add({ ...count('a', '2024-01-01'), userId: 'none' })
    await same.apiRequests.perDay(id(301), '2024-01-01')
    await same((catalog) =>
      catalog.apiRequests
        .perKey(id(301), '')
        .into((all) => all.toSorted((a, b) => (a.keyId < b.keyId ? -1 : 1))),
    )
    expect(await same.apiRequests.removeBefore('2024-01-02', 10)).toBe(2)
    expect(await same.apiRequests.removeAllOwn(id(301), 10)).toBe(1)
    await same.users.retire(id(301))
    await same.users.retired()
    await same.users.remove(id(301))
    await same.users.all()
  })
})
