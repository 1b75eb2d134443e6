import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { Share } from '../../src/client/types.ts'
import type { User } from '../support/accounts.ts'
import { apiOf } from '../support/api.ts'
import { eventually } from '../support/eventually.ts'
import { withInside } from '../support/fixture.ts'
import { TestClock } from '../support/holdfast.ts'
import { storedIn } from '../support/stored.ts'
import { createWebhook, Receiver } from '../support/webhooks.ts'

const DAY_MS = 86_400_000
const ALL = ['upload.completed', 'share.downloaded', 'share.received', 'share.ended', 'integrity.failed']

const clock = new TestClock()
let editor: User
/** Receiver of all events of the instance, and receiver that only shares name. */
let receiver: Receiver
let named: Receiver
let notify: string
const holdfast = withInside({ clock, environment: { WEBHOOK_ALLOW_PRIVATE: '127.0.0.0/8' } })
const { admin } = holdfast
beforeAll(async () => {
  editor = await holdfast.addUser('editor')
  receiver = new Receiver()
  named = new Receiver()
  await createWebhook(admin, { name: 'all', url: receiver.url, events: ALL })
  notify = (await createWebhook(admin, { name: 'named', url: named.url, events: [], forShares: true })).id
})
beforeEach(() => {
  receiver.delivered.length = 0
  named.delivered.length = 0
})
afterAll(async () => {
  await receiver[Symbol.asyncDispose]()
  await named[Symbol.asyncDispose]()
})

/** Waits for an event of a type, and returns its data. */
async function dataOf(type: string, at = receiver): Promise<Record<string, unknown>> {
  await eventually(async () => {
    await holdfast.server.jobs.runAll()
    return at.events(type).length > 0
  })
  return at.events(type)[0]?.data ?? {}
}

const share = async (rules: object) =>
  (await editor.api.data<{ share: Share }>('POST', '/shares', { notify, ...rules })).share
const eventShareOf = (one: Share) => ({ id: one.id, slug: one.slug, title: one.title, userId: editor.id })
const VISITOR = { address: '127.0.0.1', userAgent: 'a visitor' }
const download = async (slug: string, id: string) =>
  (
    await holdfast.fetch(`/api/s/${slug}/files/${id}`, { headers: { 'User-Agent': VISITOR.userAgent } })
  ).text()

describe('an upload', () => {
  test('is an event with its files', async () => {
    const file = await editor.api.upload('one.txt', 'content', 'folder/below')

    expect(await dataOf('upload.completed')).toEqual({
      userId: editor.id,
      replaced: false,
      count: 1,
      size: 7,
      files: [
        { id: file.id, name: 'one.txt', key: 'folder/below/one.txt', size: 7, mimeType: file.mimeType },
      ],
    })
    expect(named.delivered).toEqual([])
  })

  test('in pieces is an event', async () => {
    const started = await holdfast.fetch('/api/uploads', {
      method: 'POST',
      headers: {
        ...editor.withSession,
        'Tus-Resumable': '1.0.0',
        'Upload-Length': '4',
        'Upload-Metadata': `filename ${btoa('pieces.txt')},folder ${btoa('folder')}`,
        'Content-Type': 'application/offset+octet-stream',
      },
      body: 'four',
    })
    expect(started.status).toBe(201)

    expect(await dataOf('upload.completed')).toMatchObject({
      count: 1,
      files: [{ name: 'pieces.txt', key: 'folder/pieces.txt', size: 4 }],
    })
  })

  test('that replaces a file is an event with the new bytes', async () => {
    const file = await editor.api.upload('replaced.txt', 'old', 'folder')
    await dataOf('upload.completed')
    receiver.delivered.length = 0
    await holdfast.fetch(`/api/files/content?id=${file.id}`, {
      method: 'PUT',
      headers: editor.withSession,
      body: 'new content',
    })

    expect(await dataOf('upload.completed')).toMatchObject({
      replaced: true,
      files: [{ id: file.id, key: 'folder/replaced.txt', size: 11 }],
    })
  })

  test('that is refused is no event', async () => {
    await editor.api.upload('taken.txt', 'one')
    await dataOf('upload.completed')
    receiver.delivered.length = 0
    expect(editor.api.upload('taken.txt', 'two')).rejects.toThrow('taken.txt')
    await editor.api.upload('free.txt', 'three')

    await dataOf('upload.completed')
    expect(receiver.events('upload.completed')).toHaveLength(1)
  })
})

describe('a share', () => {
  test('announces a completed download to its own webhook and to that of the instance', async () => {
    const file = await editor.api.upload('shared.txt', 'content')
    const one = await share({ items: [{ fileId: file.id }], title: 'Shared' })
    await download(one.slug, file.id)

    const data = await dataOf('share.downloaded', named)
    expect(data).toEqual({
      share: eventShareOf(one),
      fileId: file.id,
      name: 'shared.txt',
      size: 7,
      downloads: 1,
      maxDownloads: null,
      ...VISITOR,
    })
    expect(await dataOf('share.downloaded')).toEqual(data)
    await download(one.slug, file.id)
    await holdfast.server.jobs.runAll()
    expect(named.events('share.downloaded')).toHaveLength(1)
  })

  test('announces nothing to a webhook that it does not name', async () => {
    const file = await editor.api.upload('quiet.txt', 'content')
    const one = await share({ items: [{ fileId: file.id }], notify: null })
    await download(one.slug, file.id)

    await dataOf('share.downloaded')
    expect(named.delivered).toEqual([])
  })

  test('announces received files', async () => {
    const folder = await editor.api.createFolder('box')
    const one = await share({ canRead: false, canWrite: true, folderId: folder.id })
    const form = new FormData()
    form.append('files', new Blob(['sent']), 'sent.txt')
    const headers = { 'User-Agent': VISITOR.userAgent }
    await holdfast.fetch(`/api/s/${one.slug}/files`, { method: 'POST', body: form, headers })

    expect(await dataOf('share.received', named)).toEqual({
      share: eventShareOf(one),
      count: 1,
      size: 4,
      files: [
        {
          id: expect.any(String),
          name: 'sent.txt',
          key: 'box/sent.txt',
          size: 4,
          mimeType: expect.any(String),
        },
      ],
      ...VISITOR,
    })
    expect(receiver.events('upload.completed')).toEqual([])
  })

  test('announces that its owner has ended it', async () => {
    const file = await editor.api.upload('ended.txt', 'content')
    const one = await share({ items: [{ fileId: file.id }] })
    await editor.api.data('DELETE', '/shares', { id: one.id })

    expect(await dataOf('share.ended', named)).toEqual({ share: eventShareOf(one), reason: 'ended' })
  })

  test('announces that it has ended with its API key and at a password reset', async () => {
    const owner = await holdfast.addUser('editor')
    const file = await owner.api.upload('keyed.txt', 'content')
    const shareBy = async ({ data }: typeof owner.api) =>
      (await data<{ share: Share }>('POST', '/shares', { notify, items: [{ fileId: file.id }] })).share
    const endedAfter = async (change: () => Promise<unknown>) => {
      named.delivered.length = 0
      await change()
      await dataOf('share.ended', named)
      return named.events('share.ended').map(({ data }) => data)
    }
    const eventsOf = (...shares: Share[]) =>
      shares.map(({ id, slug, title }) => ({
        share: { id, slug, title, userId: owner.id },
        reason: 'ended',
      }))
    const { key } = await owner.api.data<{ key: { id: string; key: string } }>('POST', '/keys', {
      name: 'shares',
      scopes: ['files:read'],
    })
    const ofKey = await shareBy(apiOf(holdfast, { withKey: { 'API-Key': key.key } }))
    const own = await shareBy(owner.api)

    expect(await endedAfter(() => owner.api.data('DELETE', '/keys', { id: key.id }))).toEqual(eventsOf(ofKey))
    const reset = { id: owner.id, password: 'another long password', endShares: true }
    expect(await endedAfter(() => admin.api.data('PUT', '/users', reset))).toEqual(eventsOf(own))
  })

  test('announces that it is used up, and not that it expires then', async () => {
    const file = await editor.api.upload('used up.txt', 'content')
    const expiresAt = new Date(clock.now() + DAY_MS).toISOString()
    const one = await share({ items: [{ fileId: file.id }], maxDownloads: 1, expiresAt })
    await download(one.slug, file.id)

    expect(await dataOf('share.ended', named)).toEqual({ share: eventShareOf(one), reason: 'used up' })
    clock.advance(2 * DAY_MS)
    await holdfast.server.jobs.runAll()
    expect(named.events('share.ended')).toHaveLength(1)
  })

  test('announces once that it has expired', async () => {
    const file = await editor.api.upload('expires.txt', 'content')
    await holdfast.server.jobs.runAll()
    const expiresAt = new Date(clock.now() + DAY_MS).toISOString()
    const one = await share({ items: [{ fileId: file.id }], expiresAt })
    clock.advance(DAY_MS)

    expect(await dataOf('share.ended', named)).toEqual({ share: eventShareOf(one), reason: 'expired' })
    clock.advance(DAY_MS)
    await holdfast.server.jobs.runAll()
    await holdfast.server.jobs.runAll()
    expect(named.events('share.ended')).toHaveLength(1)
  })

  test('names only a webhook that is for shares, until that is deleted', async () => {
    const file = await editor.api.upload('names.txt', 'content')
    const items = [{ fileId: file.id }]
    const hidden = await createWebhook(admin, { name: 'hidden', url: named.url, events: [] })
    const gone = await createWebhook(admin, { name: 'gone', url: named.url, events: [], forShares: true })
    const refused: [number, string] = [404, 'Webhook not found']
    expect(await editor.api.refusal('POST', '/shares', { items, notify: hidden.id })).toEqual(refused)
    expect(await editor.api.refusal('POST', '/shares', { items, notify: 'none' })).toEqual(refused)

    const one = await share({ items, notify: gone.id })
    expect(one.notify).toBe(gone.id)
    await admin.api.data('DELETE', '/webhooks', { id: gone.id })

    const { shares } = await editor.api.data<{ shares: Share[] }>('GET', '/shares')
    expect(shares.find(({ id }) => id === one.id)?.notify).toBeNull()
    expect(await editor.api.refusal('PUT', '/shares', { id: one.id, notify: hidden.id })).toEqual(refused)
  })
})

describe('damaged bytes', () => {
  test('are an event when they are found, and once', async () => {
    const file = await editor.api.upload('damaged.txt', 'content')
    await storedIn(holdfast).damage({ key: file.key }, 'CONTENT')
    clock.advance(31 * DAY_MS)

    const data = await dataOf('integrity.failed')
    expect(data).toEqual({ place: 'files', id: file.id, path: 'damaged.txt', problem: expect.any(String) })
    clock.advance(31 * DAY_MS)
    await holdfast.server.jobs.runAll()
    await holdfast.server.jobs.runAll()
    expect(receiver.events('integrity.failed')).toHaveLength(1)
  })
})
