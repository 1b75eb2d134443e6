import { describe, expect, test } from 'bun:test'
import { pruneActivity } from '../../src/access/history.ts'
import type { Activity as Entry } from '../../src/client/types.ts'
import { openDatabase, setAccess, type User } from '../support/accounts.ts'
import { apiOf } from '../support/api.ts'
import { eventually } from '../support/eventually.ts'
import { startInsideWithAccount, withInside } from '../support/fixture.ts'
import { createKey, TestClock, upload } from '../support/holdfast.ts'
import { filePart, MULTIPART, multipartBody, type RawPart } from '../support/multipart.ts'
import { openSocket } from '../support/socket.ts'

const DAY_MS = 86_400_000

const clock = new TestClock()
const holdfast = withInside({ clock, environment: { MAX_UPLOAD_SIZE: '1kb', MAX_DELETE_BATCH: '5' } })

const newUser = () => holdfast.addUser('admin')

const listOf = async ({ api }: User, query = '') =>
  (await api.data<{ activities: Entry[] }>('GET', `/activity${query}`)).activities

const remove = ({ api }: User, body: unknown) => api.data<object>('DELETE', '/activity', body)
const cancel = ({ api }: User, name: string) => api.data('POST', '/files/canceled', { names: [name] })

/** Returns type, target and detail of an account's entries, newest first. */
const told = async (user: User) =>
  (await listOf(user)).map(({ type, target, detail }) => [type, target, detail])

/** Adds this many entries of the given age to an account's history. */
async function addEntries(user: User, count: number, createdAt = clock.now()): Promise<void> {
  const { store, random } = holdfast.server.deps
  await store.transact(function* () {
    for (let n = 0; n < count; n += 1) {
      const entry = { type: 'upload.succeeded', target: `entry ${n}`, detail: null }
      yield* store.activities.insert({ id: random.id(), userId: user.id, ...entry, createdAt })
    }
  })
}

describe('GET /api/activity', () => {
  test('lists the caller’s own entries, newest first', async () => {
    const [user, stranger] = [await newUser(), await newUser()]
    await addEntries(stranger, 1)
    await cancel(user, 'first')
    clock.advance(1000)
    await cancel(user, 'second')

    const [second, first, ...none] = await listOf(user)

    const at = (time: number) => new Date(time).toISOString().slice(0, 19).replace('T', ' ')
    expect(second).toEqual({
      id: expect.any(String),
      type: 'upload.canceled',
      target: 'second',
      detail: 'Canceled before it started',
      createdAt: at(clock.now()),
    })
    expect(first).toMatchObject({ target: 'first', createdAt: at(clock.now() - 1000) })
    expect(none).toEqual([])
  })

  test('lists the 200 most recent', async () => {
    const user = await newUser()
    await addEntries(user, 201)

    const targets = (await listOf(user)).map(({ target }) => target)

    expect(targets).toEqual(Array.from({ length: 200 }, (_, n) => `entry ${200 - n}`))
  })

  test('continues before an entry, also among entries of the same moment', async () => {
    const user = await newUser()
    await addEntries(user, 450)
    const targets: (string | null)[] = []
    let page = await listOf(user)
    while (page.length > 0) {
      targets.push(...page.map(({ target }) => target))
      page = await listOf(user, `?before=${page.at(-1)?.id}`)
    }

    expect(targets).toEqual(Array.from({ length: 450 }, (_, n) => `entry ${449 - n}`))
  })

  test('lists entries of some types alone', async () => {
    const user = await newUser()
    await cancel(user, 'stopped')
    await addEntries(user, 201)
    await createKey(holdfast, user.withSession.Cookie, { name: 'made', scopes: ['files:read'] })

    const some = await listOf(user, '?types=upload.canceled,api-key.created')

    expect(some.map(({ target }) => target)).toEqual(['made', 'stopped'])
    expect(await listOf(user, '?types=nothing')).toEqual([])
  })

  test('refuses to continue before an entry of another account', async () => {
    const [user, stranger] = [await newUser(), await newUser()]
    await addEntries(stranger, 1)
    const [foreign] = await listOf(stranger)

    for (const id of [foreign?.id, 'nope'])
      expect(await user.api.refusal('GET', `/activity?before=${id}`)).toEqual([
        400,
        '"before" is not an entry of yours',
      ])
  })

  test('is empty for a new account', async () => {
    expect(await listOf(await newUser())).toEqual([])
  })
})

describe('DELETE /api/activity', () => {
  test('deletes entries by their ids, and skips those that are not the caller’s', async () => {
    const [user, stranger] = [await newUser(), await newUser()]
    await addEntries(user, 3)
    await addEntries(stranger, 1)
    const [[newest, , oldest], [foreign]] = [await listOf(user), await listOf(stranger)]

    const ids = [newest?.id, foreign?.id, 'nope', oldest?.id, oldest?.id]
    expect(await remove(user, { ids })).toEqual({ deleted: 2 })
    expect((await listOf(user)).map(({ target }) => target)).toEqual(['entry 1'])
    expect(await listOf(stranger)).toHaveLength(1)
    expect(await remove(user, { ids: [foreign?.id] })).toEqual({ deleted: 0 })
  })

  test('deletes the whole history, however long, and nothing else', async () => {
    const [user, stranger] = [await newUser(), await newUser()]
    const file = await upload(holdfast, user.withSession, { name: 'stays', content: 'x' })
    const key = await createKey(holdfast, user.withSession.Cookie, { name: 'stays', scopes: ['files:read'] })
    await addEntries(user, 2500)
    await addEntries(stranger, 1)

    expect(await remove(user, { all: true })).toEqual({ deleted: 2502 })

    expect(await listOf(user)).toEqual([])
    expect(await listOf(stranger)).toHaveLength(1)
    expect(await remove(user, { all: true })).toEqual({ deleted: 0 })
    expect(await apiOf(holdfast, { withKey: { 'API-Key': key } }).file(file.id)).toEqual(file)
  })

  test('takes thousands of ids', async () => {
    const user = await newUser()
    await addEntries(user, 2)
    const made = (await listOf(user)).map(({ id }) => id)
    const ids = [made[0], ...Array.from({ length: 2500 }, (_, n) => `nope ${n}`), made[1]]

    expect(await remove(user, { ids })).toEqual({ deleted: 2 })
  })

  test.each<[string, unknown, string]>([
    ['nothing', {}, 'Either "ids" or "all": true is required'],
    ['all that is false', { all: false }, 'Either "ids" or "all": true is required'],
    ['both', { ids: ['x'], all: true }, 'Either "ids" or "all": true is required'],
    ['no ids', { ids: [] }, '"ids" must not be empty'],
    ['one id as text', { ids: 'x' }, '"ids" must be of type array'],
    ['a number among the ids', { ids: ['x', 1] }, '"ids.1" must be of type string'],
    ['all as text', { all: 'true' }, '"all" must be of type boolean'],
  ])('refuses %s', async (_, body, message) => {
    const user = await newUser()
    await addEntries(user, 1)

    expect(await user.api.refusal('DELETE', '/activity', body)).toEqual([400, message])
    expect(await listOf(user)).toHaveLength(1)
  })
})

describe('entries older than settings say', () => {
  test('are removed from all accounts, also when there are many', async () => {
    await using limited = await startInsideWithAccount({
      clock: new TestClock(),
      environment: { ACTIVITY_RETENTION_DAYS: '2' },
    })
    const { deps } = limited.server
    const { store, random } = deps
    const now = deps.clock.now()
    const ages = [...Array<number>(2500).fill(2 * DAY_MS + 1), 2 * DAY_MS, 0]
    await store.transact(function* () {
      for (const age of ages) {
        const entry = {
          id: random.id(),
          userId: limited.userId,
          type: 'file.deleted',
          target: `${age}`,
          detail: null,
        }
        yield* store.activities.insert({ ...entry, createdAt: now - age })
      }
    })

    await pruneActivity(deps)

    const left = (await store.activities.newest(limited.userId, 3000)).map(({ target }) => target)
    expect(left.sort()).toEqual(['0', `${2 * DAY_MS}`, 'test'])
  })
})

describe('the history of uploads', () => {
  const send = (user: User, parts: RawPart[]) =>
    holdfast.fetch('/api/files', {
      method: 'POST',
      body: multipartBody(parts),
      headers: { ...user.withSession, ...MULTIPART },
    })
  const folderPart = (name: string): RawPart => ({
    headers: ['Content-Disposition: form-data; name="folder"'],
    content: name,
  })
  const files = (...names: string[]) => names.map((name) => filePart(name))

  test.each<[string[], string, string | null]>([
    [['a.txt'], 'a.txt', null],
    [['a', 'b'], '2 files', 'a, b'],
    [['a', 'b', 'c'], '3 files', 'a, b, c'],
    [['a', 'b', 'c', 'd'], '4 files', 'a, b, c and 1 more'],
    [['a', 'b', 'c', 'd', 'e'], '5 files', 'a, b, c and 2 more'],
  ])('names %j, whether they are stored or refused', async (names, target, detail) => {
    const user = await newUser()
    const folder = folderPart(`for ${names.length}`)

    const stored = await send(user, [...files(...names), folder])
    const refused = await send(user, [...files(...names), folder])

    const { error } = (await refused.json()) as { error: { message: string } }
    expect([stored.status, refused.status]).toEqual([200, 409])
    expect(await told(user)).toEqual([
      ['upload.failed', target, error.message],
      ['upload.succeeded', target, detail],
    ])
  })

  test('names no target when the body was not read to its end', async () => {
    const user = await newUser()

    const refused = await send(user, [filePart('first'), filePart('big', 'x'.repeat(1025)), filePart('last')])

    const { error } = (await refused.json()) as { error: { message: string } }
    expect(refused.status).toBe(413)
    expect(await told(user)).toEqual([['upload.failed', null, error.message]])
  })

  test('records no more about a bug than the response says', async () => {
    const user = await newUser()
    using database = openDatabase(holdfast)
    database.refuse('INSERT ON files', { message: 'secret' })

    const { status } = await send(user, files('unlucky'))
    database.allow()

    expect(status).toBe(500)
    expect(await told(user)).toEqual([['upload.failed', 'unlucky', 'Internal server error']])
  })

  test('has no entry for an upload whose caller lost the scope while it was sent', async () => {
    const user = await newUser()
    const body = multipartBody([filePart('late', 'x'.repeat(1000))])
    const socket = await openSocket(holdfast.port)
    const answers: string[] = []
    socket.on('data', (chunk: Buffer) => answers.push(chunk.toString()))
    const head = [
      'POST /api/files HTTP/1.1',
      'Host: x',
      `Cookie: ${user.withSession.Cookie}`,
      `Content-Type: ${MULTIPART['Content-Type']}`,
      `Content-Length: ${body.length}`,
      'Expect: 100-continue',
    ]
    socket.write([...head, '', ''].join('\r\n'))
    await eventually(() => answers.length > 0)
    socket.write(body.subarray(0, 500))
    setAccess(holdfast, user.id, { role: 'viewer' })
    socket.write(body.subarray(500))
    await eventually(() => answers.length > 1)
    socket.destroy()

    expect(answers[1]).toStartWith('HTTP/1.1 403')
    expect(await told(user)).toEqual([])
  })
})

describe('the history of deletes', () => {
  const filesOf = (user: User, names: string[], folder: string) =>
    Promise.all(names.map((name) => upload(holdfast, user.withSession, { name, content: 'x', folder })))
  const removeFiles = ({ api }: User, body: unknown) => api.send('DELETE', '/files', body)

  test('names one file, counts several, and has an entry for each outcome of a batch', async () => {
    const user = await newUser()
    const made = await filesOf(user, ['a', 'b', 'c', 'd', 'e', 'f', 'g'], 'deletes')
    const [one, two, ...others] = made.map(({ id }) => id)
    await remove(user, { all: true })

    await removeFiles(user, { id: one })
    await removeFiles(user, { ids: others })
    await removeFiles(user, { ids: [two, 'nope'] })

    expect(await told(user)).toEqual([
      ['file.delete-failed', null, 'File not found'],
      ['file.deleted', 'b', null],
      ['file.deleted', '5 files', 'c, d, e and 2 more'],
      ['file.deleted', 'a', null],
    ])
  })

  test('records why a delete failed', async () => {
    const user = await newUser()

    await removeFiles(user, { id: 'nope' })
    await removeFiles(user, { ids: ['nope', 'no'] })

    expect(await told(user)).toEqual([
      ['file.delete-failed', '2 files', 'File not found'],
      ['file.delete-failed', null, 'File not found'],
    ])
  })

  test('names a folder, with its key when it is nested', async () => {
    const user = await newUser()
    const create = (folder: string) => user.api.createFolder(folder)
    const [inner, outer] = [await create('outer/middle/inner'), await create('alone')]
    const root = (await create('child')).parentId

    for (const id of [inner.id, outer.id, 'nope']) await user.api.send('DELETE', '/folders', { id })
    const [status, message] = await user.api.refusal('DELETE', '/folders', { id: root })

    expect(status).toBe(400)
    expect(await told(user)).toEqual([
      ['folder.delete-failed', 'files', message],
      ['folder.delete-failed', null, 'Folder not found'],
      ['folder.deleted', 'alone', null],
      ['folder.deleted', 'inner', 'outer/middle/inner'],
    ])
  })
})

describe('the history of keys', () => {
  test('records their expiry, their old name and their delete', async () => {
    const user = await newUser()
    const keys = (method: string, body: unknown) =>
      user.api.data<{ key: { id: string } }>(method, '/keys', body)
    const scopes = ['files:read']
    const { id } = (await keys('POST', { name: 'one', scopes, expiresAt: '2027-05-06T23:00:00Z' })).key
    await keys('POST', { name: 'two', scopes })
    await keys('PUT', { id, name: 'three' })
    await keys('DELETE', { id })

    expect(await told(user)).toEqual([
      ['api-key.deleted', 'three', 'Access revoked for anything using this key'],
      ['api-key.renamed', 'three', 'Renamed from "one"'],
      ['api-key.created', 'two', 'Never expires'],
      ['api-key.created', 'one', 'Expires 2027-05-06'],
    ])
  })
})

describe('requests that make no entry', () => {
  test('are those that authorization refuses', async () => {
    const user = await newUser()
    const { Cookie } = user.withSession
    const headers = { 'API-Key': await createKey(holdfast, Cookie, { name: 'r', scopes: ['files:read'] }) }
    await remove(user, { all: true })
    const as = apiOf(holdfast, { withKey: { ...user.withSession, ...headers } })

    const statuses = [
      await as.status('POST', '/files', {}),
      await as.status('DELETE', '/files', { id: 'nope' }),
      await as.status('DELETE', '/folders', { id: 'nope' }),
      await as.status('POST', '/files/canceled', { names: ['x'] }),
      await as.status('POST', '/keys', { name: 'x', scopes: ['files:read'] }),
    ]

    expect(statuses).toEqual(Array(5).fill(403))
    expect(await told(user)).toEqual([])
  })

  test('are those with invalid input, except uploads', async () => {
    const user = await newUser()

    const statuses = [
      await user.api.status('DELETE', '/files', { ids: ['1', '2', '3', '4', '5', '6'] }),
      await user.api.status('DELETE', '/files', {}),
      await user.api.status('POST', '/files/canceled', { names: [] }),
      await user.api.status('POST', '/keys', { name: 'x', scopes: [] }),
    ]

    expect(statuses).toEqual(Array(4).fill(400))
    expect(await told(user)).toEqual([])
  })
})
