import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase, registerAdmin, signIn } from '../support/accounts.ts'
import { eventually } from '../support/eventually.ts'
import { ADMIN, BASE_URL } from '../support/holdfast.ts'
import { type HoldfastProcess, spawnHoldfast } from '../support/process.ts'
import { createWebhook, Receiver } from '../support/webhooks.ts'

const environment = { BASE_URL, WEBHOOK_ALLOW_PRIVATE: '127.0.0.1' }

/** Returns a process as the helpers for accounts expect it. */
const asHoldfast = ({ url, port, dataPath, fetch }: HoldfastProcess) => ({
  ...{ url, port, dataPath, fetch, now: Date.now },
  get catalog(): never {
    throw new Error('The catalog of another process')
  },
  stop: async () => {},
  [Symbol.asyncDispose]: async () => {},
})

test('a kill between the commit of an event and its delivery loses no event, nor does one between request and response', async () => {
  const dataPath = mkdtempSync(join(tmpdir(), 'holdfast-'))
  const hanging = Promise.withResolvers<Response>()
  await using receiver = new Receiver(() => hanging.promise)
  {
    await using first = await spawnHoldfast({ dataPath, environment })
    const admin = await registerAdmin(asHoldfast(first))
    await createWebhook(admin, { name: 'kill', url: receiver.url, events: ['upload.completed'] })
    await admin.api.upload('in flight.txt', 'content')
    await eventually(() => receiver.delivered.length === 1)
    await admin.api.upload('committed.txt', 'content')
    first.child.kill('SIGKILL')
    await first.child.exited
  }
  receiver.respond = () => new Response(null, { status: 204 })
  {
    // The attempt of the killed server counts as lost after a minute.
    using database = openDatabase({ dataPath })
    database.run('UPDATE webhook_deliveries SET next_at = 0 WHERE attempts > 0')
  }

  await using second = await spawnHoldfast({ dataPath, environment })
  const admin = await signIn(asHoldfast(second), ADMIN.email)
  const names = () =>
    receiver.delivered
      .slice(1)
      .map(({ text }) => /(in flight|committed)\.txt/.exec(text)?.[1] ?? '')
      .toSorted()
  await eventually(() => names().includes('in flight') && names().includes('committed'))

  const ids = receiver.delivered
    .filter(({ text }) => text.includes('in flight.txt'))
    .map(({ headers }) => headers.get('webhook-id'))
  expect(ids.length).toBeGreaterThanOrEqual(2)
  expect(new Set(ids).size).toBe(1)
  expect((await admin.api.send('GET', '/webhooks')).status).toBe(200)
  hanging.resolve(new Response(null, { status: 204 }))
  rmSync(dataPath, { recursive: true, force: true })
})
