import { beforeAll, describe, expect, test } from 'bun:test'
import type { Share } from '../../src/client/types.ts'
import { byKey, openDatabase, type User } from '../support/accounts.ts'
import { apiOf } from '../support/api.ts'
import { startWithAccount, withHoldfast } from '../support/fixture.ts'
import { BASE_URL, createKey, messageOf } from '../support/holdfast.ts'
import { createShare, PASSWORD, sharesOf } from './visitors.ts'

let editor: User
const holdfast = withHoldfast()
const { admin } = holdfast
beforeAll(async () => {
  editor = await holdfast.addUser('editor')
})

const create = ({ api }: Pick<User, 'api'>, body: object) => createShare(api, body)
const change = async (user: User, body: object) =>
  (await user.api.data<{ share: Share }>('PUT', '/shares', body)).share
const list = ({ api }: User, query?: string) => sharesOf(api, query)

let names = 0
const newFile = () => {
  names += 1
  return editor.api.upload(`file ${names}.txt`, 'content', 'owner')
}

describe('the life of a share', () => {
  const DAY_MS = 86_400_000
  const daysLeft = ({ createdAt, expiresAt }: Share) =>
    expiresAt === null ? null : (Date.parse(expiresAt) - Date.parse(createdAt)) / DAY_MS

  test('is the usual one unless it is chosen, and the longest one at most', async () => {
    await using limited = await startWithAccount({
      environment: { SHARE_DAYS: '7', SHARE_MAX_DAYS: '30' },
    })
    const { api } = limited
    const items = [{ fileId: (await api.upload('a.txt', 'a')).id }]
    const share = await createShare(api, { items })
    const after = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString()

    expect(daysLeft(share)).toBe(7)
    await createShare(api, { items, expiresAt: after(30) })
    for (const [method, body] of [
      ['POST', { items, expiresAt: null }],
      ['POST', { items, expiresAt: after(32) }],
      ['PUT', { id: share.id, expiresAt: null }],
    ] as const) {
      const response = await api.send(method, '/shares', body)
      expect([response.status, await messageOf(response)]).toEqual([
        400,
        expect.stringContaining('Shares last 30 days at most here: choose an "expiresAt" up to '),
      ])
    }
    expect((await api.send('PUT', '/shares', { id: share.id, title: 'Same end' })).status).toBe(200)
    expect(await limited.bySession.data<object>('GET', '/settings/files')).toMatchObject({
      shareDays: 7,
      maxShareDays: 30,
    })
  })

  test('is the longest one when no other is usual, and has no limit without settings', async () => {
    await using limited = await startWithAccount({ environment: { SHARE_MAX_DAYS: '3' } })
    const items = [{ fileId: (await limited.api.upload('a.txt', 'a')).id }]
    expect(daysLeft(await createShare(limited.api, { items }))).toBe(3)
    expect(await editor.api.data<object>('GET', '/settings/files')).toEqual({
      ...{ defaultVisibility: 'public', versionDays: 30, mayShare: true },
    })
  })
})

describe('a share', () => {
  test('is created with its rules, without the password in any response', async () => {
    const file = await newFile()
    const expiresAt = new Date(holdfast.now() + 60_000).toISOString()
    const rules = { title: ' Photos ', note: 'Two\nlines', maxDownloads: 3, expiresAt }

    const share = await create(editor, { items: [{ fileId: file.id }], ...rules, password: PASSWORD })

    expect(share).toEqual({
      id: expect.any(String),
      slug: expect.stringMatching(/^[A-Za-z0-9]{12}$/),
      userId: editor.id,
      title: 'Photos',
      note: 'Two\nlines',
      canRead: true,
      canWrite: false,
      hasPassword: true,
      expiresAt,
      maxDownloads: 3,
      downloads: 0,
      folderId: null,
      folderName: null,
      maxFiles: null,
      maxBytes: null,
      types: null,
      receivedFiles: 0,
      receivedBytes: 0,
      reservedFiles: 0,
      reservedBytes: 0,
      unfinishedBytes: 0,
      notify: null,
      items: [{ fileId: file.id, name: file.name, mimeType: file.mimeType, size: file.size }],
      url: `s/${share.slug}`,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    })
    using database = openDatabase(holdfast)
    const row = database.query<{ hash: string }, []>('SELECT password_hash AS hash FROM shares').get()
    expect(row?.hash).toStartWith('$argon2id$')
  })

  test('is in the list of its owner alone, and in that of all accounts', async () => {
    const share = await create(editor, { items: [{ fileId: (await newFile()).id }] })

    expect((await list(editor))[0]).toEqual(share)
    expect((await list(admin)).map(({ id }) => id)).not.toContain(share.id)
    expect((await list(admin, '?all=1'))[0]).toEqual(share)
    const refused = await editor.api.refusal('GET', '/shares?all=1')
    expect(refused).toEqual([403, 'Missing required scope "users:manage"'])
  })

  test('changes only in what a request names, and null removes a rule', async () => {
    const file = await newFile()
    const folder = await editor.api.createFolder('owner/changed')
    const rules = { title: 'one', password: PASSWORD, maxDownloads: 2 }
    const before = await create(editor, { items: [{ fileId: file.id }], ...rules })

    const titled = await change(editor, { id: before.id, title: 'two' })
    expect(titled).toEqual({ ...before, title: 'two', updatedAt: titled.updatedAt })
    const opened = await change(editor, { id: before.id, password: null, maxDownloads: null })
    expect(opened).toMatchObject({ hasPassword: false, maxDownloads: null, title: 'two' })
    const moved = await change(editor, { id: before.id, items: [{ folderId: folder.id }], slug: 'my-photos' })
    expect(moved).toMatchObject({ slug: 'my-photos', url: 's/my-photos' })
    expect(moved.items).toEqual([{ folderId: folder.id, name: 'changed' }])
  })

  test('shows an item that was renamed by its new name, and one in the trash without a name', async () => {
    const [file, other] = [await newFile(), await newFile()]
    await create(editor, { items: [{ fileId: file.id }, { fileId: other.id }] })

    await editor.api.data('PUT', '/files', { id: file.id, name: 'renamed.txt' })
    await editor.api.data('POST', '/trash', { fileIds: [other.id] })
    expect((await list(editor))[0]?.items).toEqual([
      { fileId: file.id, name: 'renamed.txt', mimeType: 'text/plain', size: 7 },
      { fileId: other.id, name: null },
    ])
    await editor.api.data('POST', '/trash/restore', { ids: [other.id] })
    expect((await list(editor))[0]?.items[1]?.name).toBe(other.name)
  })

  test('ends by its owner or an admin, and for no other account', async () => {
    const items = [{ fileId: (await newFile()).id }]
    const [one, two] = [await create(editor, { items }), await create(editor, { items })]
    const other = await holdfast.addUser('editor')

    expect(await other.api.refusal('DELETE', '/shares', { id: one.id })).toEqual([404, 'Share not found'])
    for (const { api } of [other, admin])
      expect(await api.refusal('PUT', '/shares', { id: one.id, title: 'x' })).toEqual([
        404,
        'Share not found',
      ])
    await editor.api.data('DELETE', '/shares', { id: one.id })
    await admin.api.data('DELETE', '/shares', { id: two.id })

    const left = (await list(editor)).map(({ id }) => id)
    expect(left).not.toContain(one.id)
    expect(left).not.toContain(two.id)
    expect(await editor.api.refusal('DELETE', '/shares', { id: one.id })).toEqual([404, 'Share not found'])
  })

  test('ends with the API key that made it, and expires with it at the latest', async () => {
    const items = [{ fileId: (await newFile()).id }]
    const expiresAt = new Date(holdfast.now() + 3_600_000).toISOString()
    const secret = await createKey(holdfast, editor.cookie, {
      name: 'sharer',
      scopes: ['files:read'],
      expiresAt,
    })
    const api = apiOf(holdfast, { withKey: { 'API-Key': secret } })
    const own = await create(editor, { items })
    const share = await create({ api }, { items })

    expect(share.expiresAt).toBe(expiresAt)
    expect((await change(editor, { id: share.id, expiresAt: null })).expiresAt).toBe(expiresAt)
    const { keys } = await editor.api.data<{ keys: { id: string; name: string }[] }>('GET', '/keys')
    await editor.api.data('DELETE', '/keys', { id: keys.find(({ name }) => name === 'sharer')?.id })
    expect((await holdfast.fetch(`/api/s/${share.slug}`)).status).toBe(404)
    const left = (await list(editor)).map(({ id }) => id)
    expect(left).toContain(own.id)
    expect(left).not.toContain(share.id)
  })

  test('is in the security log when it is made, changed and ended', async () => {
    const share = await create(editor, { items: [{ fileId: (await newFile()).id }], title: 'Logged' })
    await change(editor, { id: share.id, title: 'Renamed' })
    await editor.api.data('DELETE', '/shares', { id: share.id })

    const { activities } = await editor.api.data<{ activities: { type: string; detail: string }[] }>(
      'GET',
      '/me/security',
    )
    expect(activities.slice(0, 3).map(({ type, detail }) => [type, detail])).toEqual([
      ['share.ended', `Renamed (${share.slug})`],
      ['share.changed', `Renamed (${share.slug})`],
      ['share.created', `Logged (${share.slug})`],
    ])
  })

  test('is in the history by its title, its first item or its folder', async () => {
    const file = await newFile()
    const share = await create(editor, { items: [{ fileId: file.id }], title: 'Logged' })
    await change(editor, { id: share.id, title: null })
    await editor.api.data('DELETE', '/shares', { id: share.id })
    const { id: folderId, name: folder } = await editor.api.createFolder('inbox')
    const box = await create(editor, { folderId, canRead: false, canWrite: true })

    const entries = holdfast.catalog.activities.newest(editor.id, 10)
    const ofShares = entries.filter(({ type }) => type.startsWith('share.'))
    expect(ofShares.slice(0, 4).map(({ type, target, detail }) => [type, target, detail])).toEqual([
      ['share.created', folder, box.slug],
      ['share.ended', file.name, share.slug],
      ['share.changed', file.name, share.slug],
      ['share.created', 'Logged', share.slug],
    ])
  })
})

describe('a share is refused', () => {
  const SLUG = '"slug" must be 3 to 64 letters, digits and hyphens'
  const COMMON = '"password" is one of the most common passwords: choose another'
  const PAST = '"expiresAt" must be a date, or a date and time with its zone, in the future'
  test.each<[what: string, rules: object, status: number, message: string]>([
    ['without items', { items: [] }, 400, '"items" must name at least one file or folder'],
    ['for a text as item', { items: ['x'] }, 400, '"items.0" must be of type object'],
    ['for an item of no kind', { items: [{ id: 'x' }] }, 400, '"items.0" must have "fileId" or "folderId"'],
    ['for a number as id', { items: [{ fileId: 1 }] }, 400, '"items.0.fileId" must be of type string'],
    ['for an unknown file', { items: [{ fileId: 'x' }] }, 404, 'File not found'],
    ['for an unknown folder', { items: [{ folderId: 'x' }] }, 404, 'Folder not found'],
    ['for a short slug', { slug: 'ab' }, 400, SLUG],
    ['for a path as slug', { slug: '../etc' }, 400, SLUG],
    ['for no downloads', { maxDownloads: 0 }, 400, '"maxDownloads" must be at least 1'],
    ['for a common password', { password: 'password123' }, 400, COMMON],
    ['for an end in the past', { expiresAt: '2020-01-01' }, 400, PAST],
    ['for control characters', { title: 'a\u0000b' }, 400, '"title" must not contain control characters'],
  ])('%s', async (_, rules, status, message) => {
    const items = [{ fileId: (await newFile()).id }]

    expect(await editor.api.refusal('POST', '/shares', { items, ...rules })).toEqual([status, message])
  })

  test('for the root, when it is created and when it changes', async () => {
    const { folderId } = await editor.api.upload('in the root.txt', 'x')
    const share = await create(editor, { items: [{ fileId: (await newFile()).id }] })
    const items = [{ folderId }]
    const refused: [number, string] = [400, 'The root folder cannot be shared: choose files or folders']

    expect(await editor.api.refusal('POST', '/shares', { items })).toEqual(refused)
    expect(await editor.api.refusal('PUT', '/shares', { id: share.id, items })).toEqual(refused)
  })

  test('for too many items', async () => {
    const items = Array.from({ length: 201 }, (_, n) => ({ fileId: `file ${n}` }))

    const refused = await editor.api.refusal('POST', '/shares', { items })
    expect(refused).toEqual([400, '"items" must have at most 200 files and folders'])
  })

  test('for a slug that another share has, of two requests at once too', async () => {
    const items = [{ fileId: (await newFile()).id }]
    const requests = Array.from({ length: 5 }, () =>
      editor.api.send('POST', '/shares', { items, slug: 'taken-once' }),
    )

    const statuses = (await Promise.all(requests)).map(({ status }) => status)
    expect(statuses.toSorted()).toEqual([200, 409, 409, 409, 409])
    const other = await create(editor, { items })
    const refused = await editor.api.refusal('PUT', '/shares', { id: other.id, slug: 'taken-once' })
    expect(refused).toEqual([409, 'Another share has this "slug" already'])
  })

  test('for a key without the scope, and for callers without credentials', async () => {
    const items = [{ fileId: (await newFile()).id }]
    const key = await createKey(holdfast, editor.cookie, { name: 'write only', scopes: ['files:write'] })
    const writer = apiOf(holdfast, { withKey: { 'API-Key': key } })

    const refused = await writer.refusal('POST', '/shares', { items })
    expect(refused).toEqual([403, 'API key is missing required scope "files:read"'])
    expect((await holdfast.fetch('/api/shares')).status).toBe(401)
    expect((await create({ api: await byKey(holdfast, editor.cookie) }, { items })).userId).toBe(editor.id)
  })

  test('for accounts that the setting leaves out, until it includes them', async () => {
    const viewer = await holdfast.addUser('viewer')
    const items = [{ fileId: (await newFile()).id }]
    const answers = async () => [
      (await viewer.api.send('POST', '/shares', { items })).status,
      (await editor.api.send('POST', '/shares', { items })).status,
    ]
    const mayShare = async () =>
      (await viewer.api.data<{ mayShare: boolean }>('GET', '/settings/files')).mayShare

    expect([await answers(), await mayShare()]).toEqual([[403, 200], false])
    await admin.api.data('PUT', '/settings', { sharing: 'readers' })
    expect([await answers(), await mayShare()]).toEqual([[200, 200], true])
    await admin.api.data('PUT', '/settings', { sharing: 'nobody' })
    expect(await answers()).toEqual([403, 403])
    await admin.api.data('PUT', '/settings', { sharing: 'writers' })
  })

  test('for a session from another site', async () => {
    const elsewhere = apiOf(holdfast, {
      withKey: { Cookie: editor.cookie, Origin: `${BASE_URL}.evil.example` },
    })

    expect(await elsewhere.status('POST', '/shares', {})).toBe(403)
  })
})
