import { beforeAll, describe, expect, test } from 'bun:test'
import type { Webhook } from '../../src/client/types.ts'
import { byKey, type User } from '../support/accounts.ts'
import { withHoldfast } from '../support/fixture.ts'
import { createWebhook } from '../support/webhooks.ts'

const URL_OF_HOOK = 'https://hooks.example.com/holdfast?team=a'
const RULES = { name: ' Team chat ', url: URL_OF_HOOK, events: ['upload.completed', 'share.ended'] }

let editor: User
const holdfast = withHoldfast()
const { admin } = holdfast
beforeAll(async () => {
  editor = await holdfast.addUser('editor')
})

const list = async () => (await admin.api.data<{ webhooks: Webhook[] }>('GET', '/webhooks')).webhooks

describe('a webhook', () => {
  test('is created with a secret that no later response has', async () => {
    const { secret, ...webhook } = await createWebhook(admin, RULES)

    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(webhook).toEqual({
      id: expect.any(String),
      name: 'Team chat',
      url: URL_OF_HOOK,
      events: ['upload.completed', 'share.ended'],
      forShares: false,
      enabled: true,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    })
    expect(await list()).toContainEqual(webhook)
    expect(await (await admin.api.send('GET', '/webhooks')).text()).not.toContain(secret)
  })

  test('is created by the command of the documentation, and never by an API key', async () => {
    const guide = await Bun.file(new URL('../../docs/webhooks.md', import.meta.url)).text()
    const [, body = ''] = /-b cookies\.txt localhost:3000\/api\/webhooks \\\n +-d '(.+)'/.exec(guide) ?? []
    const rules: object = JSON.parse(body)

    expect(await createWebhook(admin, rules)).toMatchObject({ name: 'Chat', events: ['share.received'] })
    const byItsKey = await byKey(holdfast, admin.cookie)
    expect(await byItsKey.status('POST', '/webhooks', rules)).toBe(403)
  })

  test('changes the fields that are sent, and no others', async () => {
    const { secret: _, ...before } = await createWebhook(admin, RULES)

    const { webhook } = await admin.api.data<{ webhook: Webhook }>('PUT', '/webhooks', {
      id: before.id,
      enabled: false,
      events: [],
    })

    expect(webhook).toEqual({ ...before, enabled: false, events: [], updatedAt: webhook.updatedAt })
    expect(await list()).toContainEqual(webhook)
  })

  test('is deleted', async () => {
    const { id } = await createWebhook(admin, RULES)
    await admin.api.data('DELETE', '/webhooks', { id })

    expect((await list()).map((webhook) => webhook.id)).not.toContain(id)
    for (const [method, path, body] of [
      ['DELETE', '/webhooks', { id }],
      ['PUT', '/webhooks', { id, enabled: true }],
      ['POST', '/webhooks/test', { id }],
      ['POST', '/webhooks/retry', { id, delivery: 'none' }],
      ['GET', `/webhooks/deliveries?id=${id}`, undefined],
    ] as const)
      expect(await admin.api.refusal(method, path, body)).toEqual([404, 'Webhook not found'])
  })

  test('is in the security log when it is created, changed and deleted', async () => {
    const { id } = await createWebhook(admin, { ...RULES, name: 'Logged' })
    await admin.api.data('PUT', '/webhooks', { id, name: 'Renamed' })
    await admin.api.data('DELETE', '/webhooks', { id })

    const types = 'webhook.created,webhook.changed,webhook.deleted'
    const { activities } = await admin.api.data<{ activities: { type: string; detail: string }[] }>(
      'GET',
      `/activity?security=1&types=${types}`,
    )
    const found = activities.map(({ type, detail }) => `${type} ${detail}`)
    for (const entry of ['webhook.created Logged', 'webhook.changed Renamed', 'webhook.deleted Renamed'])
      expect(found).toContain(entry)
  })

  test('is shown to other accounts by its name alone, when shares may name it', async () => {
    const shown = await createWebhook(admin, { ...RULES, events: [], forShares: true })
    const hidden = await createWebhook(admin, RULES)
    const disabled = await createWebhook(admin, { ...RULES, forShares: true, enabled: false })

    const { webhooks } = await editor.api.data<{ webhooks: object[] }>('GET', '/webhooks/for-shares')

    expect(webhooks).toContainEqual({ id: shown.id, name: 'Team chat' })
    for (const { id } of [hidden, disabled]) expect(webhooks).not.toContainEqual({ id, name: 'Team chat' })
  })
})

const NOT_PUBLIC = '"url" must have a public address, or one that WEBHOOK_ALLOW_PRIVATE allows'
const NOT_HTTP = '"url" must be an http or https address'

describe('a webhook is refused', () => {
  test.each<[what: string, rules: object, message: string]>([
    ['without a name', { name: ' ' }, '"name" must not be empty'],
    ['for text that is no address', { url: 'hooks' }, NOT_HTTP],
    ['for another scheme', { url: 'ftp://hooks.example.com' }, NOT_HTTP],
    ['for a file', { url: 'file:///etc/passwd' }, NOT_HTTP],
    [
      'with a password',
      { url: 'https://a:b@hooks.example.com' },
      '"url" must have no user name and password',
    ],
    ['for loopback', { url: 'http://127.0.0.1:9000/' }, NOT_PUBLIC],
    ['for loopback as a number', { url: 'http://2130706433/' }, NOT_PUBLIC],
    ['for loopback in IPv6', { url: 'http://[::1]/' }, NOT_PUBLIC],
    ['for loopback in IPv4-mapped IPv6', { url: 'http://[::ffff:127.0.0.1]/' }, NOT_PUBLIC],
    ['for the metadata of a cloud', { url: 'http://169.254.169.254/latest/' }, NOT_PUBLIC],
    ['for a private network', { url: 'https://10.1.2.3/' }, NOT_PUBLIC],
    ['for shared addresses', { url: 'https://100.64.0.1/' }, NOT_PUBLIC],
  ])('%s', async (_, rules, message) => {
    expect(await admin.api.refusal('POST', '/webhooks', { ...RULES, ...rules })).toEqual([400, message])
    const { id } = await createWebhook(admin, RULES)
    expect(await admin.api.refusal('PUT', '/webhooks', { id, ...rules })).toEqual([400, message])
    await admin.api.data('DELETE', '/webhooks', { id })
  })

  test('for an unknown event', async () => {
    const [status, message] = await admin.api.refusal('POST', '/webhooks', {
      ...RULES,
      events: ['webhook.test'],
    })

    expect([status, message]).toEqual([400, expect.stringContaining('upload.completed')])
  })

  test('when there are fifty', async () => {
    for (let left = 50 - (await list()).length; left > 0; left -= 1) await createWebhook(admin, RULES)

    const refused = await admin.api.refusal('POST', '/webhooks', RULES)
    expect(refused).toEqual([409, 'There are 50 webhooks already: delete some first'])
  })
})
