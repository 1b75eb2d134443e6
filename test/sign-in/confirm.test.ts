import { describe, expect, test } from 'bun:test'
import { withInside } from '../support/fixture.ts'
import { ADMIN, postJson, TestClock } from '../support/holdfast.ts'

const clock = new TestClock()
const holdfast = withInside({ clock })

const CONFIRM = '/api/auth/confirm'

describe('POST /api/auth/confirm', () => {
  test('confirms a session by the password, and answers in both forms', async () => {
    const user = await holdfast.addUser('editor')

    const response = await postJson(holdfast, CONFIRM, { password: ADMIN.password }, user.withSession)

    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({ data: { status: true }, error: null, status: true })
  })

  test('refuses a wrong password by the code that better-auth’s clients know, and records it', async () => {
    const user = await holdfast.addUser('editor')

    const response = await postJson(holdfast, CONFIRM, { password: 'another password' }, user.withSession)

    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ code: 'INVALID_PASSWORD', data: null })
    const { activities } = await user.api.data<{ activities: object[] }>('GET', '/me/security')
    expect(activities[0]).toMatchObject({ type: 'sign-in.failed', detail: 'confirmation' })
  })

  test('stops guessing after ten wrong passwords, and lets the right one in a minute later', async () => {
    const user = await holdfast.addUser('editor')
    const statuses: number[] = []
    for (let n = 0; n < 11; n++)
      statuses.push((await postJson(holdfast, CONFIRM, { password: `wrong ${n}` }, user.withSession)).status)
    clock.advance(60_000)

    expect(statuses).toEqual([...Array(10).fill(400), 429])
    expect((await postJson(holdfast, CONFIRM, { password: ADMIN.password }, user.withSession)).status).toBe(
      200,
    )
  })

  test('takes no API key, and no page of another site', async () => {
    const byKey = await postJson(holdfast, CONFIRM, { password: ADMIN.password }, holdfast.withKey)
    const { Cookie } = holdfast.admin.withSession
    const elsewhere = { Cookie, Origin: 'https://evil.example' }
    const byOther = await postJson(holdfast, CONFIRM, { password: ADMIN.password }, elsewhere)

    expect([byKey.status, byOther.status]).toEqual([403, 403])
  })
})

describe('CONFIRM_DANGEROUS', () => {
  const strict = withInside({ clock, environment: { CONFIRM_DANGEROUS: 'yes' } })
  const account = { name: 'Eve', email: 'eve@example.com', password: 'a password of hers', role: 'admin' }
  const key = { name: 'a key', scopes: ['files:read'] }

  test('lets changes of accounts, keys, webhooks and settings wait for a confirmation', async () => {
    const { api, withSession } = strict.admin
    clock.advance(600_001)
    const outcomeOf = async ([method, path, body]: readonly [string, string, object?]) => {
      const { status, headers } = await api.send(method, path, body)
      return status === 200 ? 'ok' : headers.get('error-code')
    }
    const dangerous = [
      ['POST', '/users', account],
      ['POST', '/keys', key],
      ['POST', '/webhooks', { name: 'a', url: 'https://example.com', events: ['file.created'] }],
      ['PUT', '/settings', { sharing: 'readers' }],
      ['PUT', '/me', { email: 'other@example.com' }],
    ] as const
    const harmless = [
      ['GET', '/users'],
      ['PUT', '/me', { name: 'Ada', email: ADMIN.email }],
      ['POST', '/folders', { folder: 'new' }],
    ] as const

    expect(await Promise.all(dangerous.map(outcomeOf))).toEqual(dangerous.map(() => 'confirmation-required'))
    expect(await Promise.all(harmless.map(outcomeOf))).toEqual(harmless.map(() => 'ok'))
    await postJson(strict, CONFIRM, { password: ADMIN.password }, withSession)
    expect(await Promise.all(dangerous.slice(0, 2).map(outcomeOf))).toEqual(['ok', 'ok'])
  })

  test('is off by default', async () => {
    clock.advance(600_001)
    expect((await holdfast.admin.api.send('POST', '/keys', key)).status).toBe(200)
  })
})
