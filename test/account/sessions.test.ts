import { describe, expect, test } from 'bun:test'
import type { Device as SessionView } from '../../src/client/types.ts'
import { addAccount, byKey, bySession, signIn, statusOf, type User } from '../support/accounts.ts'
import { startInsideWithAccount, withInside } from '../support/fixture.ts'
import { ADMIN, cookieOf, postJson, startInside, TestClock } from '../support/holdfast.ts'

const DAY_MS = 86_400_000

const clock = new TestClock()
const holdfast = withInside({ clock })
const { admin } = holdfast

const sessionsOf = async ({ api }: Pick<User, 'api'>) =>
  (await api.data<{ sessions: SessionView[] }>('GET', '/me/sessions')).sessions
const currentOf = async (device: User) => (await sessionsOf(device))[0]?.id ?? 'none'

/** Creates an account and signs it in on three devices, one after the other. */
async function devices(server = holdfast): Promise<{ here: User; there: User; third: User }> {
  const { email } = await addAccount(server, { role: 'editor' })
  const signInAgain = () => signIn(server, email)
  return { here: await signInAgain(), there: await signInAgain(), third: await signInAgain() }
}

describe('GET /api/me/sessions', () => {
  test('shows IPv4 addresses as such where the server listens to both families', async () => {
    await using both = await startInsideWithAccount({ environment: { HOST: '::' } })

    const { sessions } = await both.bySession.data<{ sessions: SessionView[] }>('GET', '/me/sessions')

    expect(sessions.map(({ ipAddress }) => ipAddress)).toEqual(['127.0.0.1'])
  })

  test('lists each device without its token', async () => {
    const person = await holdfast.addUser('editor')
    const now = new Date(clock.now()).toISOString()
    clock.advance(1000)
    const response = await postJson(
      holdfast,
      '/api/auth/sign-in/email',
      { email: person.email, password: ADMIN.password },
      { 'User-Agent': 'a phone' },
    )
    const cookie = cookieOf(response)
    const { token } = (await response.json()) as { token: string }

    const list = await bySession(holdfast, cookie).send('GET', '/me/sessions')

    const text = await list.text()
    expect(JSON.parse(text)).toEqual({
      data: {
        sessions: [
          {
            id: expect.any(String),
            ipAddress: '127.0.0.1',
            userAgent: 'a phone',
            createdAt: new Date(clock.now()).toISOString(),
            current: true,
          },
          {
            id: expect.any(String),
            ipAddress: '127.0.0.1',
            userAgent: `browser of ${person.email}`,
            createdAt: now,
            current: false,
          },
        ],
      },
      error: null,
    })
    expect(text).not.toContain(token)
    expect(text).not.toContain(new Bun.CryptoHasher('sha256').update(token).digest('hex'))
  })

  test('lists the current one first, then by last use, also of uses in one millisecond', async () => {
    await using alone = await startInsideWithAccount({ isAlone: true, clock })
    const { here, there, third } = await devices(alone)
    const names = new Map<string, string>()
    for (const [name, device] of Object.entries({ here, there, third }))
      names.set(await currentOf(device), name)
    const order = async (device: User) => (await sessionsOf(device)).map(({ id }) => names.get(id))

    for (const device of [third, there, third]) await statusOf(device.api)
    expect(await order(here)).toEqual(['here', 'third', 'there'])
    await statusOf(there.api)
    expect(await order(here)).toEqual(['here', 'there', 'third'])
    await statusOf(third.api)
    clock.setWall(clock.now() - 60_000)
    await alone.fetch('/api/auth/get-session', { headers: { Cookie: there.cookie } })
    expect(await order(here)).toEqual(['here', 'there', 'third'])
    expect(await order(third)).toEqual(['third', 'here', 'there'])
  })

  test('counts signing in as use', async () => {
    const { here, there } = await devices()
    const hereId = await currentOf(here)
    await statusOf(there.api)

    const latest = await signIn(holdfast, here.email)

    const listed = (await sessionsOf(there)).map(({ id }) => id)
    expect(listed.indexOf(await currentOf(latest))).toBe(1)
    expect(listed.indexOf(hereId)).toBeGreaterThan(1)
  })

  test('preserves the order across a clean restart', async () => {
    await using first = await startInsideWithAccount({ clock })
    const { admin: laptop } = first
    const phone = await signIn(first, laptop.email, ADMIN.password)
    const tablet = await signIn(first, laptop.email, ADMIN.password)
    const [laptopId, phoneId] = [await currentOf(laptop), await currentOf(phone)]
    await statusOf(laptop.api)
    await first.stop()

    await using second = await startInside({ clock, dataPath: first.dataPath })
    const listed = await sessionsOf({ api: bySession(second, tablet.cookie) })

    expect(listed.map(({ id }) => id).slice(1, 3)).toEqual([laptopId, phoneId])
  })

  test('omits expired sessions', async () => {
    const ownClock = new TestClock()
    await using own = await startInsideWithAccount({ clock: ownClock })
    const { admin: unused } = own
    ownClock.advance(DAY_MS)
    const used = await signIn(own, unused.email, ADMIN.password)
    const unusedId = await currentOf(unused)
    await own.fetch('/api/health') // lets the extension be committed

    ownClock.advance(7 * DAY_MS - 1)
    expect((await sessionsOf(used)).map(({ id }) => id)).toContain(unusedId)
    ownClock.advance(1)

    expect(await sessionsOf(used)).toEqual([expect.objectContaining({ current: true })])
    const refused = await used.api.refusal('DELETE', '/me/sessions', { id: unusedId })
    expect(refused).toEqual([404, 'Session not found'])
  })
})

describe('DELETE /api/me/sessions', () => {
  test('ends one device', async () => {
    const { here, there, third } = await devices()

    expect(await here.api.data<null>('DELETE', '/me/sessions', { id: await currentOf(there) })).toBeNull()

    expect(await statusOf(there.api)).toBe(401)
    expect([await statusOf(here.api), await statusOf(third.api)]).toEqual([200, 200])
    expect(await sessionsOf(here)).toHaveLength(2)
  })

  test('ends every device but the current one', async () => {
    const { here, there, third } = await devices()
    const key = await byKey(holdfast, here.cookie)

    expect(await here.api.data<null>('DELETE', '/me/sessions', { others: true })).toBeNull()

    expect([await statusOf(there.api), await statusOf(third.api)]).toEqual([401, 401])
    expect([await statusOf(here.api), await statusOf(key)]).toEqual([200, 200])
    expect(await statusOf(admin.api)).toBe(200)
  })

  test('of two devices that end each other at once, one stays', async () => {
    const { here: one, there: two } = await devices()

    await Promise.all([one, two].map(({ api }) => api.send('DELETE', '/me/sessions', { others: true })))

    expect([await statusOf(one.api), await statusOf(two.api)].sort()).toEqual([200, 401])
  })

  test('refuses the current session', async () => {
    const { here } = await devices()

    const refused = await here.api.refusal('DELETE', '/me/sessions', { id: await currentOf(here) })
    expect(refused).toEqual([400, '"id" is the session you are using: sign out to end it'])
    expect(await statusOf(here.api)).toBe(200)
  })

  test('gets 404 for a session of another account', async () => {
    const [{ here: mine }, { here: theirs }] = [await devices(), await devices()]

    for (const id of [await currentOf(theirs), 'nope', ''])
      expect(await mine.api.refusal('DELETE', '/me/sessions', { id })).toEqual([404, 'Session not found'])
    expect(await statusOf(theirs.api)).toBe(200)
  })

  test.each<[string, object, string]>([
    ['nothing', {}, '"id" or "others": true is required'],
    ['others: false', { others: false }, '"id" or "others": true is required'],
    ['a number', { id: 7 }, '"id" must be of type string'],
    ['a word for a boolean', { others: 'true' }, '"others" must be of type boolean'],
  ])('refuses %s and ends nothing', async (_, body, message) => {
    const { here, there } = await devices()

    expect(await here.api.refusal('DELETE', '/me/sessions', body)).toEqual([400, message])
    expect(await statusOf(there.api)).toBe(200)
  })
})
