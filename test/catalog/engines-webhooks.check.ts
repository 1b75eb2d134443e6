import { beforeAll, describe, expect, test } from 'bun:test'
import type { WebhookEvent, WebhookRow } from '../../src/catalog/shares/webhooks.ts'
import { id, NOW, withBoth } from '../support/engines.ts'

/** Runs functions of the catalog on SQLite and on PostgreSQL, and compares what they return. */

const both = withBoth()
const { same } = both

const webhookRow = (n: number, more: Partial<WebhookRow> = {}): WebhookRow => ({
  id: id(n),
  name: 'ä',
  url: 'https://hooks.example.com/',
  secret: 'whsec_',
  events: ['upload.completed', 'share.ended'],
  forShares: false,
  enabled: true,
  createdAt: NOW + n,
  updatedAt: NOW,
  ...more,
})
const event = (n: number, more: Partial<WebhookEvent> = {}): WebhookEvent => ({
  eventId: id(n),
  type: 'upload.completed',
  body: '{"ä":"\\u0000"}',
  notify: null,
  createdAt: NOW + n,
  ...more,
})

beforeAll(async () => {
  await same.webhooks.insert(webhookRow(1))
  await same.webhooks.insert(webhookRow(2, { events: [], forShares: true }))
  await same.webhooks.insert(webhookRow(3, { enabled: false }))
})

const dueAt = async (time: number, busy: string[] = []) =>
  (await same.webhookDeliveries.due(time, 10, busy)).map(
    ({ delivery, webhook }) => `${delivery.eventId} ${webhook.id}`,
  )

describe('webhooks', () => {
  test('are the same rows', async () => {
    expect(await same((catalog) => catalog.webhooks.enabled().into(Boolean))).toBe(true)
    expect(await same.webhooks.count()).toBe(3)
    await same.webhooks.insert(webhookRow(4))
    await same.webhooks.update(id(4), { name: 'new', events: ['share.ended'] })
    expect(await same.webhooks.byId(id(4))).toEqual(webhookRow(4, { name: 'new', events: ['share.ended'] }))
    await same.webhooks.remove(id(4))
    expect((await same.webhooks.all()).map((row) => row.id)).toEqual([id(1), id(2), id(3)])
  })

  test('get the events that they have chosen, and those of shares that name them', async () => {
    await same.webhookDeliveries.announce(event(100))
    await same.webhookDeliveries.announce(event(101, { type: 'share.received' }))
    await same.webhookDeliveries.announce(event(102, { type: 'share.ended', notify: id(2) }))
    await same.webhookDeliveries.announce(event(103, { type: 'share.received', notify: id(1) }))

    expect(await dueAt(NOW + 200)).toEqual([
      `${id(100)} ${id(1)}`,
      `${id(102)} ${id(1)}`,
      `${id(102)} ${id(2)}`,
    ])
    expect(await dueAt(NOW + 101)).toEqual([`${id(100)} ${id(1)}`])
    expect(await dueAt(NOW + 200, [id(1)])).toEqual([`${id(102)} ${id(2)}`])
    const name = { webhookId: id(1), eventId: id(100) }
    expect(await same.webhookDeliveries.byName(name)).toEqual({
      ...name,
      type: 'upload.completed',
      body: event(100).body,
      state: 'pending',
      attempts: 0,
      nextAt: NOW + 100,
      status: null,
      error: null,
      createdAt: NOW + 100,
    })
  })

  test('are claimed once, and only the latest attempt is recorded', async () => {
    const name = { webhookId: id(1), eventId: id(100) }
    const delivery = await same.webhookDeliveries.byName(name)
    if (!delivery) throw new Error('There is no delivery')
    const claim = () => same.webhookDeliveries.claim(delivery, NOW + 1000)
    expect([await claim(), await claim()]).toEqual([true, false])
    const outcome = { state: 'delivered' as const, nextAt: NOW + 300, status: 204, error: null }
    await same.webhookDeliveries.record(name, 0, outcome)
    expect((await same.webhookDeliveries.byName(name))?.state).toBe('pending')
    await same.webhookDeliveries.record(name, 1, outcome)
    expect(await same.webhookDeliveries.byName(name)).toMatchObject(outcome)
    const retry = () => same.webhookDeliveries.retry(name, NOW + 300)
    expect([await retry(), await retry()]).toEqual([true, false])
    expect(await same.webhookDeliveries.claim({ ...delivery, nextAt: NOW + 300 }, NOW)).toBe(true)
    await same.webhookDeliveries.record(name, 1, outcome)
    expect(await same.webhookDeliveries.hasDelivered(id(1), NOW + 100)).toBe(true)
    expect(await same.webhookDeliveries.hasDelivered(id(1), NOW + 101)).toBe(false)
  })

  test('have a log, newest first, which is cut', async () => {
    const newest = (before?: Parameters<typeof both.sqlite.webhookDeliveries.newest>[2]) =>
      same.webhookDeliveries.newest(id(1), 1, before)
    const [first] = await newest()
    expect(first?.eventId).toBe(id(102))
    expect((await newest(first)).map(({ eventId }) => eventId)).toEqual([id(100)])
    expect(await same.webhookDeliveries.giveUp(id(1), 'why', 10)).toBe(1)
    expect(await same.webhookDeliveries.giveUp(id(1), 'why', 10)).toBe(0)
    expect((await newest())[0]).toMatchObject({ state: 'failed', error: 'why' })
    expect(await same.webhookDeliveries.removeBeyond(id(1), 1, 10)).toBe(1)
    expect(await same.webhookDeliveries.removeOf(id(1), 10)).toBe(1)
    expect(await same.webhookDeliveries.removeBefore(NOW + 103, 10)).toBe(1)
  })
})
