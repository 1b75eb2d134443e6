import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { createServer } from 'node:net'
import type { Webhook, WebhookDelivery } from '../../src/client/types.ts'
import { openDatabase, signIn } from '../support/accounts.ts'
import { eventually } from '../support/eventually.ts'
import { startInsideWithAccount, withInside } from '../support/fixture.ts'
import { ADMIN, TestClock } from '../support/holdfast.ts'
import { KIND } from '../support/kind.ts'
import { createWebhook, type Delivered, deliveriesOf, Receiver } from '../support/webhooks.ts'

const SECOND_MS = 1000
const HOUR_MS = 3_600_000
/** Requests to one receiver at a time: four of each server. */
const MAX_OPEN = KIND === 'scale' ? 8 : 4
const NO_CONTENT = () => new Response(null, { status: 204 })

const clock = new TestClock()
let receiver: Receiver
const holdfast = withInside({ clock, environment: { WEBHOOK_ALLOW_PRIVATE: '127.0.0.1, ::1' } })
let { admin } = holdfast
beforeAll(async () => {
  receiver = new Receiver()
})
afterEach(async () => {
  for (const { id } of (await admin.api.data<{ webhooks: Webhook[] }>('GET', '/webhooks')).webhooks)
    await admin.api.data('DELETE', '/webhooks', { id })
  receiver.delivered.length = 0
  receiver.respond = NO_CONTENT
})
afterAll(async () => {
  await receiver[Symbol.asyncDispose]()
})

const webhookFor = (path = '', url = receiver.url) =>
  createWebhook(admin, { name: 'test', url: url + path, events: ['upload.completed'] })
const webhookNow = async (id: string) =>
  (await admin.api.data<{ webhooks: Webhook[] }>('GET', '/webhooks')).webhooks.find((one) => one.id === id)
const run = () => holdfast.server.jobs.runAll()
/** Advances the clock, runs the jobs and signs in again, because sessions end. */
async function pass(ms: number): Promise<void> {
  clock.advance(ms)
  await run()
  admin = await signIn(holdfast, ADMIN.email)
}
let names = 0
const upload = () => {
  names += 1
  return admin.api.upload(`file ${names}.txt`, 'content')
}
/** Runs the jobs until the only delivery of a webhook satisfies `holds`, and returns it. */
async function untilDelivery(
  id: string,
  holds: (delivery: WebhookDelivery) => boolean,
): Promise<WebhookDelivery> {
  let found: WebhookDelivery | undefined
  await eventually(async () => {
    await run()
    found = (await deliveriesOf(admin, id))[0]
    return found !== undefined && holds(found)
  })
  if (!found) throw new Error('There is no delivery')
  return found
}

/** Verifies a signature as a receiver does (Standard Webhooks 1.0.0), without code of the server. */
async function isSigned({ headers, text }: Delivered, secret: string): Promise<boolean> {
  const bytes = Uint8Array.from(atob(secret.slice('whsec_'.length)), (one) => one.charCodeAt(0))
  const key = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, [
    'verify',
  ])
  const signed = `${headers.get('webhook-id')}.${headers.get('webhook-timestamp')}.${text}`
  const [version, signature = ''] = (headers.get('webhook-signature') ?? '').split(',')
  const given = Uint8Array.from(atob(signature), (one) => one.charCodeAt(0))
  return version === 'v1' && crypto.subtle.verify('HMAC', key, given, new TextEncoder().encode(signed))
}

describe('a delivery', () => {
  test('has the headers and the signature of Standard Webhooks', async () => {
    const { id, secret } = await webhookFor('?team=a')
    const other = await webhookFor()
    const { id: fileId } = await upload()
    const { id: eventId } = await untilDelivery(id, ({ state }) => state === 'delivered')

    const delivered = receiver.delivered.find(({ path }) => path === '/hook?team=a')
    if (!delivered) throw new Error('There is no request')
    expect(Object.fromEntries(delivered.headers)).toMatchObject({
      'content-type': 'application/json',
      'webhook-id': eventId,
      'webhook-timestamp': String(Math.floor(clock.now() / 1000)),
      host: `127.0.0.1:${receiver.port}`,
    })
    expect(await isSigned(delivered, secret)).toBe(true)
    expect(await isSigned(delivered, other.secret)).toBe(false)
    expect(await isSigned({ ...delivered, text: `${delivered.text} ` }, secret)).toBe(false)
    expect(delivered.event).toMatchObject({
      type: 'upload.completed',
      data: { count: 1, size: 7, files: [{ id: fileId }] },
    })
  })

  test('is repeated under the same id after growing pauses, until the receiver accepts it', async () => {
    const { id, secret } = await webhookFor()
    receiver.respond = () => new Response('no', { status: 500 })
    await upload()

    const pauses: number[] = []
    for (const attempts of [1, 2, 3]) {
      const { nextAt, error, status } = await untilDelivery(
        id,
        (delivery) => delivery.attempts === attempts && delivery.status !== null && delivery.error !== null,
      )
      expect([error, status]).toEqual(['The receiver responded with 500', 500])
      const pause = Date.parse(nextAt ?? '') - clock.now()
      pauses.push(pause)
      clock.advance(pause - 1)
      await run()
      expect(receiver.delivered).toHaveLength(attempts)
      if (attempts === 3) receiver.respond = NO_CONTENT
      clock.advance(1)
      await eventually(async () => {
        await run()
        return receiver.delivered.length === attempts + 1
      })
    }

    const delivery = await untilDelivery(id, ({ state }) => state === 'delivered')
    expect(delivery).toMatchObject({ attempts: 4, status: 204, error: null, nextAt: null })
    for (const [index, seconds] of [5, 300, 1800].entries()) {
      expect(pauses[index]).toBeGreaterThanOrEqual(seconds * SECOND_MS)
      expect(pauses[index]).toBeLessThanOrEqual(seconds * SECOND_MS * 1.2)
    }
    const ids = receiver.delivered.map(({ headers }) => headers.get('webhook-id'))
    expect(new Set(ids).size).toBe(1)
    const times = receiver.delivered.map(({ headers }) => headers.get('webhook-timestamp'))
    expect(new Set(times).size).toBe(4)
    for (const one of receiver.delivered) expect(await isSigned(one, secret)).toBe(true)
  })

  test('waits as long as Retry-After asks for', async () => {
    const { id } = await webhookFor()
    receiver.respond = () => new Response(null, { status: 429, headers: { 'Retry-After': '3600' } })
    await upload()

    const { nextAt } = await untilDelivery(id, ({ status }) => status === 429)

    expect(Date.parse(nextAt ?? '') - clock.now()).toBe(HOUR_MS)
  })

  test('follows no redirect', async () => {
    const { id } = await webhookFor()
    receiver.respond = ({ path }) =>
      path === '/hook' ? Response.redirect(`${receiver.url}/target`, 307) : NO_CONTENT()
    await upload()

    const { error } = await untilDelivery(id, ({ status }) => status === 307)

    expect(error).toBe('The receiver responded with 307')
    expect(receiver.delivered.map(({ path }) => path)).toEqual(['/hook'])
  })

  test('reads no body, however long it is', async () => {
    const { id } = await webhookFor()
    const { promise: canceled, resolve } = Promise.withResolvers<void>()
    receiver.respond = () =>
      new Response(
        new ReadableStream({
          pull(controller) {
            controller.enqueue(new Uint8Array(65_536))
            return canceled
          },
          cancel: () => resolve(),
        }),
      )
    await upload()

    expect(await untilDelivery(id, ({ state }) => state === 'delivered')).toMatchObject({ status: 200 })
    await canceled
  })

  test('disables a webhook whose receiver is gone', async () => {
    const { id } = await webhookFor()
    receiver.respond = () => new Response(null, { status: 410 })
    await upload()
    await untilDelivery(id, ({ state }) => state === 'failed')

    await eventually(async () => (await webhookNow(id))?.enabled === false)
    await upload()
    expect(await deliveriesOf(admin, id)).toHaveLength(1)
  })

  test('fails after three days, which disables a webhook that accepted none meanwhile', async () => {
    const { id } = await webhookFor()
    const healthy = await webhookFor('/healthy')
    receiver.respond = ({ path, event }) => {
      const isPoison = JSON.stringify(event).includes('poison')
      return new Response(null, { status: path === '/hook' || isPoison ? 500 : 204 })
    }
    await admin.api.upload('poison.txt', 'content')
    await upload()
    for (let hours = 0; hours < 100; hours += 25)
      for (const ms of [6 * SECOND_MS, 360 * SECOND_MS, 3 * HOUR_MS, 25 * HOUR_MS]) {
        await run()
        await eventually(() => receiver.open === 0)
        clock.advance(ms)
      }

    const poison = async (webhook: string) => (await deliveriesOf(admin, webhook)).at(-1)
    await eventually(async () => {
      await run()
      clock.advance(25 * HOUR_MS)
      return (await poison(id))?.state === 'failed' && (await poison(healthy.id))?.state === 'failed'
    })
    expect(await poison(healthy.id)).toMatchObject({ attempts: 10, status: 500, nextAt: null })
    // The first of them to fail disables the webhook, which ends the other.
    await eventually(async () => (await deliveriesOf(admin, id)).every(({ state }) => state === 'failed'))
    const attempts = (await deliveriesOf(admin, id)).map((delivery) => delivery.attempts)
    expect(Math.max(...attempts)).toBe(10)
    await eventually(async () => (await webhookNow(id))?.enabled === false)
    expect((await webhookNow(healthy.id))?.enabled).toBe(true)
  })

  test('is sent again when an admin asks for it, under its id', async () => {
    const { id } = await webhookFor()
    receiver.respond = () => new Response(null, { status: 410 })
    await upload()
    const { id: delivery } = await untilDelivery(id, ({ state }) => state === 'failed')
    await eventually(async () => (await webhookNow(id))?.enabled === false)
    const retry = ['POST', '/webhooks/retry', { id, delivery }] as const
    expect(await admin.api.refusal(...retry)).toEqual([409, 'The webhook is disabled'])
    await admin.api.data('PUT', '/webhooks', { id, enabled: true })
    const refused = await admin.api.refusal('POST', '/webhooks/retry', { id, delivery: 'none' })
    expect(refused).toEqual([404, 'Delivery not found'])

    receiver.respond = NO_CONTENT
    await admin.api.data(...retry)

    expect(await untilDelivery(id, ({ state }) => state === 'delivered')).toMatchObject({
      id: delivery,
      attempts: 1,
      status: 204,
      error: null,
    })
    expect(receiver.delivered.map(({ headers }) => headers.get('webhook-id'))).toEqual([delivery, delivery])
  })

  test('is removed from the log after two weeks', async () => {
    const { id } = await webhookFor()
    await upload()
    await untilDelivery(id, ({ state }) => state === 'delivered')
    await pass(13 * 24 * HOUR_MS)
    expect(await deliveriesOf(admin, id)).toHaveLength(1)
    await pass(2 * 24 * HOUR_MS)

    expect(await deliveriesOf(admin, id)).toEqual([])
  })
})

describe('deliveries', () => {
  test('to a receiver that hangs are bounded, and delay no other receiver', async () => {
    const released = Promise.withResolvers<void>()
    await using hanging = new Receiver(async () => {
      await released.promise
      return NO_CONTENT()
    })
    const slow = await webhookFor('', hanging.url)
    const fast = await webhookFor()
    for (let sent = 0; sent < 30; sent += 1) await upload()

    await eventually(async () => {
      await run()
      return (await deliveriesOf(admin, fast.id)).every(({ state }) => state === 'delivered')
    })
    expect(hanging.mostOpen).toBeLessThanOrEqual(MAX_OPEN)
    released.resolve()
    await eventually(async () => {
      await run()
      return (await deliveriesOf(admin, slow.id)).every(({ state }) => state === 'delivered')
    })
    expect(hanging.mostOpen).toBeLessThanOrEqual(MAX_OPEN)
    expect(new Set(hanging.delivered.map(({ headers }) => headers.get('webhook-id'))).size).toBe(30)
  })

  test('are never more than ten thousand in the log of a webhook', async () => {
    const { id } = await webhookFor()
    {
      using database = openDatabase(holdfast)
      database.run(
        `WITH RECURSIVE rows (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM rows WHERE n < 10003)
          INSERT INTO webhook_deliveries (webhook_id, event_id, type, body, state, attempts, next_at, created_at)
          SELECT webhooks.id, 'event ' || n, 'upload.completed', '{}', 'delivered', 1, 0, created_at + n
            FROM rows, webhooks WHERE webhooks.id = ?`,
        [id],
      )
    }

    await run()

    expect(countOf(id)).toBe(10_000)
  })

  test('are listed newest first, and continued before one', async () => {
    const { id } = await webhookFor()
    for (let sent = 0; sent < 3; sent += 1) {
      await upload()
      clock.advance(1)
    }
    const all = await deliveriesOf(admin, id)

    expect(all.map(({ createdAt }) => createdAt)).toEqual(
      all
        .map(({ createdAt }) => createdAt)
        .toSorted()
        .toReversed(),
    )
    expect((await deliveriesOf(admin, id, `&before=${all[0]?.id}`)).map((one) => one.id)).toEqual(
      all.slice(1).map((one) => one.id),
    )
    const refused = await admin.api.refusal('GET', `/webhooks/deliveries?id=${id}&before=none`)
    expect(refused).toEqual([400, '"before" is not a delivery of this webhook'])
  })
})

const countOf = (id: string) => {
  using database = openDatabase(holdfast)
  return database
    .query<{ count: number }, [string]>(
      'SELECT count(*) AS count FROM webhook_deliveries WHERE webhook_id = ?',
    )
    .get(id)?.count
}

describe('a test', () => {
  const sendTest = async (id: string) =>
    (await admin.api.data<{ delivery: WebhookDelivery }>('POST', '/webhooks/test', { id })).delivery

  test('is sent at once, and its outcome returned and logged', async () => {
    const { id, secret } = await webhookFor()

    const delivery = await sendTest(id)

    expect(delivery).toMatchObject({ type: 'webhook.test', state: 'delivered', status: 204, attempts: 1 })
    expect(await deliveriesOf(admin, id)).toEqual([delivery])
    const [delivered] = receiver.delivered
    if (!delivered) throw new Error('There is no request')
    expect(delivered.event).toMatchObject({ type: 'webhook.test', data: { webhookId: id, name: 'test' } })
    expect(await isSigned(delivered, secret)).toBe(true)
  })

  test('that fails is not repeated', async () => {
    const { id } = await webhookFor()
    receiver.respond = () => new Response(null, { status: 404 })

    expect(await sendTest(id)).toMatchObject({ state: 'failed', status: 404, nextAt: null })
    clock.advance(HOUR_MS)
    await run()
    expect(receiver.delivered).toHaveLength(1)
  })
})

describe('a request to the address of a name', () => {
  const sendTo = async (url: string) => {
    const { id } = await createWebhook(admin, { name: 'named', url, events: [] })
    return (await admin.api.data<{ delivery: WebhookDelivery }>('POST', '/webhooks/test', { id })).delivery
  }

  test('has the name as its Host', async () => {
    expect(await sendTo(`http://localhost:${receiver.port}/hook`)).toMatchObject({ state: 'delivered' })

    expect(receiver.delivered[0]?.headers.get('host')).toBe(`localhost:${receiver.port}`)
  })

  test('asks for the certificate of the name', async () => {
    // The first message of TLS has the name in the clear (RFC 6066 section 3).
    const hello = Promise.withResolvers<string>()
    const server = createServer((socket) => {
      socket.once('data', (bytes) => {
        hello.resolve(bytes.toString('latin1'))
        socket.destroy()
      })
      socket.on('error', () => {})
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    const port = address !== null && typeof address === 'object' ? address.port : 0

    const delivery = await sendTo(`https://localhost:${port}/`)
    server.close()

    expect(delivery).toMatchObject({ state: 'failed', status: null })
    expect(await hello.promise).toContain('localhost')
  })
})

describe('a server that allows no private address', () => {
  test.each([
    ['a name that resolves to one', (port: number) => `http://localhost:${port}/`],
    ['loopback', (port: number) => `http://127.0.0.1:${port}/`],
    ['loopback in IPv4-mapped IPv6', (port: number) => `http://[::ffff:7f00:1]:${port}/`],
    ['a private network', () => 'http://10.0.0.1/'],
    ['the metadata of a cloud', () => 'http://169.254.169.254/latest/meta-data/'],
  ])('sends nothing to %s', async (_, urlOf) => {
    await using strict = await startInsideWithAccount({ clock })
    const { admin: owner } = strict
    const { id } = await createWebhook(owner, { name: 'x', url: 'https://hooks.example.com', events: [] })
    {
      using database = openDatabase(strict)
      database.run('UPDATE webhooks SET url = ? WHERE id = ?', [urlOf(receiver.port), id])
    }

    const { delivery } = await owner.api.data<{ delivery: WebhookDelivery }>('POST', '/webhooks/test', { id })

    expect(delivery).toMatchObject({ state: 'failed', status: null })
    expect(delivery.error).toMatch(/ is not a public address: WEBHOOK_ALLOW_PRIVATE must allow it$/)
    expect(receiver.delivered).toEqual([])
  })
})
