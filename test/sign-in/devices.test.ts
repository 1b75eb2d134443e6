import { describe, expect, test } from 'bun:test'
import { login } from '../../src/cli/login.ts'
import type { Remote } from '../../src/cli/remote.ts'
import type { KeyRequest as Asking } from '../../src/client/types.ts'
import { apiOf } from '../support/api.ts'
import { startInsideWithAccount, withInside } from '../support/fixture.ts'
import { ADMIN, BASE_URL, TestClock } from '../support/holdfast.ts'
import { temporaryFolder } from '../support/temporary.ts'

/** Programs that get an API key by the approval of a person (RFC 8628). */

const clock = new TestClock()
const holdfast = withInside({ clock })
const { bySession: ada } = holdfast
const stranger = apiOf(holdfast, { withKey: { Origin: BASE_URL } })

const GRANT = 'urn:ietf:params:oauth:grant-type:device_code'

/** Asks for a key; the limit of an address does not end before its minute. */
async function ask(fields: object = {}): Promise<Asking> {
  clock.advance(60_000)
  return await stranger.data<Asking>('POST', '/auth/device/code', { client_id: 'CLI on laptop', ...fields })
}

/** Polls after the interval. */
async function poll({ device_code }: Asking) {
  clock.advance(5000)
  return await pollNow(device_code)
}

async function pollNow(device_code: string) {
  const response = await stranger.send('POST', '/auth/device/token', {
    grant_type: GRANT,
    device_code,
    client_id: 'CLI on laptop',
  })
  const body = (await response.json()) as { error?: string; access_token?: string; scope?: string }
  return { status: response.status, ...body }
}

const answer = (how: 'approve' | 'deny', userCode: string, by = ada) =>
  by.send('POST', `/auth/device/${how}`, { userCode })

describe('a program', () => {
  test('gets an API key, once, when a person approves it', async () => {
    const asking = await ask()
    const before = await poll(asking)
    const shown = await ada.data<object>('GET', `/auth/device?user_code=${asking.user_code}`)
    const approved = await answer('approve', asking.user_code.toLowerCase().replace('-', ' '))
    const after = await poll(asking)
    const again = await poll(asking)

    expect(asking).toMatchObject({
      verification_uri: `${BASE_URL}/device`,
      verification_uri_complete: `${BASE_URL}/device?user_code=${asking.user_code}`,
      expires_in: 600,
      interval: 5,
    })
    expect(asking.user_code).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/)
    expect(before).toMatchObject({ status: 400, error: 'authorization_pending' })
    expect(shown).toMatchObject({ client_id: 'CLI on laptop', ipAddress: '127.0.0.1', status: 'pending' })
    expect(approved.status).toBe(200)
    expect(after).toMatchObject({ status: 200, scope: 'files:read files:write files:delete' })
    expect(again).toMatchObject({ status: 400, error: 'expired_token' })
    const byKey = apiOf(holdfast, { withKey: { 'API-Key': after.access_token ?? '' } })
    expect(await byKey.data<{ user: object }>('GET', '/me')).toMatchObject({ user: { name: 'Ada' } })
    expect((await byKey.send('GET', '/files')).status).toBe(200)
  })

  test('gets a key with a number when its name is taken, and with the scopes that it asked for', async () => {
    const asking = await ask({ scope: 'files:read' })
    await answer('approve', asking.user_code)
    await poll(asking)
    const { keys } = await ada.data<{ keys: { name: string; scopes: string[] }[] }>('GET', '/keys')

    expect(keys[0]).toMatchObject({ name: 'CLI on laptop 2', scopes: ['files:read'] })
  })

  test('gets none when it is denied', async () => {
    const asking = await ask()
    await answer('deny', asking.user_code)

    expect(await poll(asking)).toMatchObject({ status: 400, error: 'access_denied' })
    expect((await answer('approve', asking.user_code)).status).toBe(404)
  })

  test('gets none of an account that was disabled after its approval', async () => {
    const user = await holdfast.addUser('editor')
    const asking = await ask()
    await answer('approve', asking.user_code, user.api)
    await ada.send('PUT', '/users', { id: user.id, disabled: true })

    expect(await poll(asking)).toMatchObject({ status: 400, error: 'access_denied' })
  })

  test('gets none of an account that has another password since its approval', async () => {
    const user = await holdfast.addUser('editor')
    const asking = await ask()
    await answer('approve', asking.user_code, user.api)
    await ada.data('PUT', '/users', { id: user.id, password: 'another long password' })

    expect(await poll(asking)).toMatchObject({ status: 400, error: 'access_denied' })
  })

  test('that polls too soon is refused as too fast', async () => {
    const asking = await ask()
    await poll(asking)

    expect(await pollNow(asking.device_code)).toMatchObject({ status: 400, error: 'slow_down' })
  })

  test('has ten minutes', async () => {
    const asking = await ask()
    clock.advance(600_000)
    await ada.send('POST', '/auth/confirm', { password: ADMIN.password })

    expect((await answer('approve', asking.user_code)).status).toBe(404)
    expect(await poll(asking)).toMatchObject({ status: 400, error: 'expired_token' })
  })

  test('is approved once, of many at the same moment', async () => {
    const asking = await ask()
    const answers = await Promise.all(Array.from({ length: 8 }, () => answer('approve', asking.user_code)))
    clock.advance(5000)
    const polls = [await pollNow(asking.device_code), await pollNow(asking.device_code)]

    // Answers that come too late count as wrong codes.
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(polls.map(({ status }) => status)).toEqual([200, 400])
  })
})

describe('it is refused', () => {
  test('to ask for other scopes, or without a name', async () => {
    const statuses = await Promise.all(
      [{ client_id: 'a', scope: 'users:manage' }, { client_id: '' }, { client_id: 'a\nb' }].map(
        async (fields) => (await stranger.send('POST', '/auth/device/code', fields)).status,
      ),
    )

    expect(statuses).toEqual([400, 400, 400])
  })

  test('to approve more than ten minutes after the sign-in, until it is confirmed', async () => {
    const user = await holdfast.addUser('editor')
    clock.advance(600_000)
    const { user_code } = await ask()
    const late = await answer('approve', user_code, user.api)
    const atHome = apiOf(holdfast, { withKey: { Cookie: user.cookie, Origin: BASE_URL } })
    await atHome.send('POST', '/auth/confirm', { password: ADMIN.password })
    const then = await answer('approve', user_code, user.api)

    expect([late.status, late.headers.get('Error-Code')]).toEqual([403, 'confirmation-required'])
    expect(then.status).toBe(200)
  })

  test('to guess codes', async () => {
    const user = await holdfast.addUser('editor')
    const { user_code } = await ask()
    for (let tries = 0; tries < 5; tries += 1) await answer('approve', 'BBBB-BBBB', user.api)

    expect((await answer('approve', user_code, user.api)).status).toBe(429)
  })

  test('to ask eleven times a minute from one address', async () => {
    clock.advance(60_000)
    const asked = Array.from({ length: 11 }, () =>
      stranger.send('POST', '/auth/device/code', { client_id: 'a' }),
    )

    expect((await Promise.all(asked)).filter(({ status }) => status === 429)).toHaveLength(1)
  })
})

test('holdfast login stores the key that a person approves', async () => {
  await using inside = await startInsideWithAccount({ clock })
  using folder = temporaryFolder()
  const said: string[] = []
  const remote: Remote = {
    environment: { XDG_CONFIG_HOME: folder.path },
    terminal: {
      warn: (line) => void said.push(line),
      print: async (line) => void said.push(line),
      printJson: async () => {},
      isWatched: true,
      canAsk: true,
      input: () => new Blob([]).stream(),
      output: process.stdout,
      errors: process.stderr,
    },
    newId: () => '',
    now: clock.now,
    machine: 'laptop',
    sleep: async (ms) => {
      clock.advance(ms)
      const code = /code (\S+)\./.exec(said.join('\n'))?.[1] ?? ''
      if (said.length === 2) await inside.bySession.send('POST', '/auth/device/approve', { userCode: code })
    },
  }

  expect(await login(remote, inside.url, {})).toBe(0)
  expect(said.at(-1)).toBe(`Logged in to ${inside.url} as ada@example.com`)
})
