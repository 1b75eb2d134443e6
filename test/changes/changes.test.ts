import { beforeAll, describe, expect, test } from 'bun:test'
import type { LocatedCaller } from '../../src/access/caller.ts'
import { type Changes, createClient, type HoldfastClient } from '../../src/client/index.ts'
import type { Share } from '../../src/client/types.ts'
import { Places } from '../../src/modules/changes/places.ts'
import { ChangeStream } from '../../src/modules/changes/stream.ts'
import { EVERYTHING } from '../../src/store/store.ts'
import type { User } from '../support/accounts.ts'
import { eventually } from '../support/eventually.ts'
import { startInsideWithAccount, startWithAccount, withHoldfast } from '../support/fixture.ts'
import { type Watched, watch } from '../support/watched.ts'

/** Clock on which the second between two events is 25 ms. */
const clock = { now: Date.now, monotonic: () => 40 * performance.now() }
const holdfast = withHoldfast({ clock })
const { api: admin, admin: owner } = holdfast

let client: HoldfastClient
beforeAll(() => {
  client = createClient({ url: holdfast.url, key: holdfast.key })
})

let marks = 0

/** Opens a stream of the admin's key, past all changes so far. */
async function watchAll(): Promise<Watched> {
  const stream = await watch(holdfast, holdfast.withKey)
  const { id } = await admin.createFolder(`marks/${marks++}`)
  await stream.until(({ folders }) => folders.some((folder) => folder.folders.includes(id)))
  stream.skip()
  return stream
}

const listsOf = ({ folders }: Changes) =>
  Object.fromEntries(folders.map(({ key, files, folders }) => [key, { files, folders }]))

describe('a stream of changes', () => {
  test('begins with an event, and is not buffered by proxies', async () => {
    await using stream = await watch(holdfast, holdfast.withKey)

    expect(stream.events[0]?.type).toBe('ready')
    expect(stream.response.headers.get('content-type')).toBe('text/event-stream')
    expect(stream.response.headers.get('x-accel-buffering')).toBe('no')
    expect(stream.response.headers.get('cache-control')).toBe('no-store')
  })

  test('names an uploaded file with its folder, and new folders with the one that they are in', async () => {
    await using stream = await watchAll()
    const { id, folderId } = await admin.upload('a.txt', 'a', 'new/folder')
    const changes = await stream.next()

    const { folders } = await admin.browse({ key: 'new' })
    expect(listsOf(changes)).toEqual({
      '': { files: [], folders: [expect.any(String)] },
      new: { files: [], folders: [folders[0]?.id ?? ''] },
      'new/folder': { files: [id], folders: [] },
    })
    expect(changes.folders.find(({ key }) => key === 'new/folder')?.id).toBe(folderId)
    expect(changes.gone).toEqual({ files: [], folders: [] })
  })

  test('names a file that was renamed, replaced or made public where it is, and a moved one where it went', async () => {
    const { id } = await admin.upload('b.txt', 'b', 'from')
    await admin.createFolder('to')
    await using stream = await watchAll()

    await admin.data('PUT', '/files', { id, name: 'c.txt' })
    expect(listsOf(await stream.next())).toEqual({ from: { files: [id], folders: [] } })
    await admin.data('PUT', '/files', { id, visibility: 'public' })
    expect(listsOf(await stream.next())).toEqual({ from: { files: [id], folders: [] } })
    expect((await holdfast.api.sendBody('PUT', `/files/content?id=${id}`, 'other bytes')).status).toBe(200)
    expect(listsOf(await stream.next())).toEqual({ from: { files: [id], folders: [] } })
    await admin.data('POST', '/files/move', { id, folder: 'to' })
    expect(listsOf(await stream.next())).toEqual({ to: { files: [id], folders: [] } })
  })

  test('names deleted files and folders, and the trash', async () => {
    const { id } = await admin.upload('d.txt', 'd')
    const other = await admin.upload('e.txt', 'e')
    const folder = await admin.createFolder('deleted')
    await using stream = await watchAll()

    await admin.data('DELETE', '/files', { id })
    expect((await stream.next()).gone).toEqual({ files: [id], folders: [] })
    await admin.data('POST', '/trash', { fileIds: [other.id], folderIds: [folder.id] })
    // Several servers may tell of the two in two events.
    let { gone, areas } = await stream.next()
    while ((gone?.files.length ?? 0) + (gone?.folders.length ?? 0) < 2) {
      const { gone: more, areas: also } = await stream.next()
      gone = {
        files: [...(gone?.files ?? []), ...(more?.files ?? [])],
        folders: [...(gone?.folders ?? []), ...(more?.folders ?? [])],
      }
      areas = [...new Set([...areas, ...also])]
    }
    expect(gone).toEqual({ files: [other.id], folders: [folder.id] })
    expect(areas).toEqual(['trash'])
    await admin.data('POST', '/trash/restore', { ids: [other.id] })
    expect(listsOf(await stream.next())).toEqual({ '': { files: [other.id], folders: [] } })
  })

  test('names the new key of a renamed folder, because all below it have other keys', async () => {
    const { id } = await admin.createFolder('before')
    await using stream = await watchAll()
    await admin.data('PUT', '/folders', { id, name: 'after' })
    const changes = await stream.next()

    expect(changes.below).toEqual(['after'])
    expect(changes.folders).toMatchObject([{ key: '', folders: [id] }])
  })

  test('names a folder below which all visibilities have changed', async () => {
    await admin.upload('g.txt', 'g', 'visible/deep')
    const { folders } = await admin.browse({ key: '' })
    await using stream = await watchAll()
    const id = folders.find(({ name }) => name === 'visible')?.id
    await admin.data('PUT', '/folders', { id, visibility: 'public' })

    expect((await stream.next()).below).toEqual(['visible'])
  })

  test('sends one event for many files, without their ids', async () => {
    await using stream = await watchAll()
    const files = Array.from({ length: 1000 }, (_, n) => ({ path: `${n}.txt`, content: String(n) }))
    await client.folders.upload(files, { folder: 'many' })
    const changes = await stream.next()

    expect(listsOf(changes)).toMatchObject({ many: { files: null } })
    await admin.createFolder('after many')
    expect(listsOf(await stream.next())).toMatchObject({ '': { files: [] } })
    expect(
      stream.events.filter(({ changes }) => changes?.folders.some(({ key }) => key === 'many')),
    ).toHaveLength(1)
  })

  test('names the deepest common folder of changes in very many folders', async () => {
    await using stream = await watchAll()
    const files = Array.from({ length: 150 }, (_, n) => ({ path: `sub/${n}/a.txt`, content: String(n) }))
    await client.folders.upload(files, { folder: 'wide' })
    expect(await stream.next()).toMatchObject({ folders: [], below: [''] })
    const more = Array.from({ length: 150 }, (_, n) => ({ path: `sub/${n}/b.txt`, content: String(n) }))
    await client.folders.upload(more, { folder: 'wide' })
    expect(await stream.next()).toMatchObject({ folders: [], below: ['wide/sub'] })
  })

  test('names the common folder of few folders whose keys are long', async () => {
    await using stream = await watchAll()
    const deep = Array.from({ length: 12 }, () => 'n'.repeat(255)).join('/')
    const upload = (name: string) =>
      client.folders.upload(
        Array.from({ length: 20 }, (_, n) => ({ path: `${deep}/${n}/${name}`, content: name })),
        { folder: 'long' },
      )
    await upload('a.txt')
    await stream.next()
    await upload('b.txt')

    expect(await stream.next()).toMatchObject({ folders: [], below: [`long/${deep}`] })
  })

  test('of HEAD has the same headers and no body', async () => {
    const response = await holdfast.fetch('/api/changes', { method: 'HEAD', headers: holdfast.withKey })

    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/event-stream')
  })
})

describe('a client that connects again', () => {
  test('gets what it has missed', async () => {
    let last = ''
    {
      await using stream = await watchAll()
      await admin.upload('first.txt', 'x', 'again')
      await stream.next()
      last = stream.events.at(-1)?.id ?? ''
    }
    const { id } = await admin.upload('second.txt', 'x', 'again')
    // Its mark is reported after the file.
    await using _ = await watchAll()
    await using stream = await watch(holdfast, { ...holdfast.withKey, 'Last-Event-ID': last })

    expect(stream.events[0]).toMatchObject({ type: 'ready', id: last })
    expect(listsOf(await stream.next())).toMatchObject({ again: { files: [id] } })
  })

  test('gets the first change of all after the event that began its stream', async () => {
    await using fresh = await startWithAccount({ clock })
    const first = await watch(fresh, fresh.withKey)
    const began = first.events[0]?.id ?? ''
    await first[Symbol.asyncDispose]()
    await using other = await watch(fresh, fresh.withKey)
    const { id } = await fresh.api.upload('a.txt', 'a', 'missed')
    await other.next()

    await using stream = await watch(fresh, { ...fresh.withKey, 'Last-Event-ID': began })
    expect(stream.events[0]).toMatchObject({ type: 'ready', id: began })
    // Another server may have an event without names before it.
    await stream.until(({ folders }) => folders.some(({ files }) => files?.includes(id)))
  })

  test('gets what has changed since it asked for the latest event, when no stream was open', async () => {
    await using fresh = await startWithAccount({ clock })
    const client = createClient({ url: fresh.url, key: fresh.key })
    await fresh.api.upload('before.txt', 'a', 'before')
    const latest = await client.changes.latest()
    const { id } = await fresh.api.upload('a.txt', 'a', 'between')

    await using stream = await watch(fresh, { ...fresh.withKey, 'Last-Event-ID': latest })

    expect(stream.events[0]).toMatchObject({ type: 'ready', id: latest })
    await eventually(() => stream.files().includes(id))
  })

  test('gets a reset after an event that is not known', async () => {
    await using stream = await watch(holdfast, { ...holdfast.withKey, 'Last-Event-ID': 'unknown.7' })

    expect(stream.events[0]?.type).toBe('reset')
  })
})

test('the client reads any number of files by their ids', async () => {
  const files = Array.from({ length: 120 }, (_, n) => ({ path: `${n}.txt`, content: 'x' }))
  await client.folders.upload(files, { folder: 'by id' })
  const ids = (await admin.browse({ key: 'by id', limit: 1000 })).files.map(({ id }) => id)

  expect((await client.changes.files(ids)).map(({ id }) => id).sort()).toEqual(ids.toSorted())
  expect(await client.changes.files([])).toEqual([])
})

describe('access to changes', () => {
  test('decides the content of a stream', async () => {
    const viewer = await holdfast.addUser('viewer')
    const manager = await holdfast.addUser('custom', ['settings:manage'])
    await using ofViewer = await watch(holdfast, viewer.withSession)
    await using ofManager = await watch(holdfast, manager.withSession)
    await using ofOwner = await watch(holdfast, owner.withSession)

    await owner.api.data('PUT', '/settings', { trashDays: 12 })
    await addThroughApi(owner)
    const { id } = await admin.upload('seen.txt', 'x')
    await ofOwner.until(({ areas }) => areas.includes('users'))
    await eventually(() => ofViewer.files().includes(id))
    await ofManager.until(({ areas }) => areas.includes('settings'))
    await ofViewer.until(({ areas }) => areas.includes('settings'))

    expect(ofOwner.areas()).toEqual(new Set(['settings', 'users']))
    expect(ofViewer.areas()).toEqual(new Set(['settings']))
    expect(ofManager.areas()).toEqual(new Set(['settings']))
    expect(ofManager.files()).toEqual([])
  })

  test('shows a new role to its account, also after a reconnection', async () => {
    const user = await holdfast.addUser('editor')
    const before = await watch(holdfast, user.withSession)
    const lastId = before.events[0]?.id ?? ''
    await before[Symbol.asyncDispose]()
    await owner.api.data('PUT', '/users', { id: user.id, role: 'viewer' })

    await using stream = await watch(holdfast, { ...user.withSession, 'Last-Event-ID': lastId })

    await stream.until(({ areas }) => areas.includes('account'))
    const { id } = await admin.upload('after the role.txt', 'x')
    await eventually(() => stream.files().includes(id))
    const ids = stream.events.slice(1).map((event) => event.id)
    expect(new Set(ids).size).toBe(ids.length)
  })

  test('shows the changes of shares, API keys and quotas to their account', async () => {
    const [user, other] = [await holdfast.addUser('editor'), await holdfast.addUser('editor')]
    const file = await user.api.upload('shared.txt', 'x')
    await using ofOther = await watch(holdfast, other.withSession)
    let id = ''
    let slug = ''
    const steps: Record<string, () => Promise<unknown>> = {
      'a new key': async () => {
        const body = { name: 'live', scopes: ['files:read'] }
        id = (await user.api.data<{ key: { id: string } }>('POST', '/keys', body)).key.id
      },
      'a renamed key': () => user.api.data('PUT', '/keys', { id, name: 'lively' }),
      'a deleted key': () => user.api.data('DELETE', '/keys', { id }),
      'a new share': async () => {
        const body = { items: [{ fileId: file.id }], maxDownloads: 2 }
        ;({ id, slug } = (await user.api.data<{ share: Share }>('POST', '/shares', body)).share)
      },
      'a changed share': () => user.api.data('PUT', '/shares', { id, title: 'Live' }),
      'a download': async () => {
        expect(await (await holdfast.fetch(`/api/s/${slug}/files/${file.id}`)).text()).toBe('x')
      },
      'a share that an admin ends': () => owner.api.data('DELETE', '/shares', { id }),
      'a quota': () => owner.api.data('PUT', '/users/quota', { id: user.id, quota: 1000 }),
    }

    await using ofUser = await watch(holdfast, user.withSession)
    const own = () => ofUser.events.filter(({ changes }) => changes?.areas.includes('account')).length
    for (const step of Object.values(steps)) {
      const before = own()
      await step()
      await eventually(() => own() > before)
    }
    const { id: last } = await admin.upload('after all steps.txt', 'x')
    await eventually(() => ofOther.files().includes(last))

    expect(ofOther.areas()).toEqual(new Set())
  })

  test('shows invitations to admins', async () => {
    await using stream = await watch(holdfast, owner.withSession)

    await owner.api.data('POST', '/invitations', { role: 'viewer' })

    await stream.until(({ areas }) => areas.includes('users'))
  })

  test('to changed files needs the scope of lists', async () => {
    const { id } = await admin.upload('read.txt', 'x')
    const viewer = await holdfast.addUser('viewer')
    const manager = await holdfast.addUser('custom', ['settings:manage'])

    const files = await viewer.api.data<object>('GET', `/changes/files?ids=${id},missing`)
    expect(files).toMatchObject({ files: [{ key: 'read.txt' }] })
    const refused = await manager.api.refusal('GET', `/changes/files?ids=${id}`)
    expect(refused).toEqual([403, 'Missing required scope "files:read"'])
    const ids = Array.from({ length: 101 }, () => id).join(',')
    expect((await viewer.api.refusal('GET', `/changes/files?ids=${ids}`))[0]).toBe(400)
  })

  const losses: Record<string, (user: User) => Promise<unknown>> = {
    'the sign-out': (user) =>
      holdfast.fetch('/api/auth/sign-out', { method: 'POST', headers: { ...user.withSession }, body: '{}' }),
    'a new password': ({ id }) => owner.api.data('PUT', '/users', { id, password: 'another long password' }),
    'the account being disabled': ({ id }) => owner.api.data('PUT', '/users', { id, disabled: true }),
    'the account being deleted': ({ id }) => owner.api.data('DELETE', '/users', { id }),
  }

  test.each(Object.keys(losses))('ends with %s', async (loss) => {
    const user = await holdfast.addUser('editor')
    await using stream = await watch(holdfast, user.withSession)
    await losses[loss]?.(user)

    await stream.ended
    expect((await holdfast.fetch('/api/changes', { headers: user.withSession })).status).toBe(401)
  })

  test('ends when its account must add a second factor first', async () => {
    await using server = await startWithAccount({ clock })
    const editor = await server.addUser('editor')
    await using ofAdmin = await watch(server, server.admin.withSession)
    await using ofEditor = await watch(server, editor.withSession)
    await using ofKey = await watch(server, server.withKey)

    await server.bySession.data('PUT', '/settings', { requireSecondFactor: 'admins' })

    await ofAdmin.ended
    expect((await server.fetch('/api/changes', { headers: server.admin.withSession })).status).toBe(403)
    const { id } = await server.api.upload('after.txt', 'x')
    await eventually(() => [ofEditor, ofKey].every((stream) => stream.files().includes(id)))
  })

  test('follows the role of the account', async () => {
    const user = await holdfast.addUser('custom')
    await using stream = await watch(holdfast, user.withSession)
    await owner.api.data('PUT', '/users', { id: user.id, role: 'viewer' })
    await stream.until(({ areas }) => areas.includes('account'))
    const { id } = await admin.upload('for viewers.txt', 'x')

    await eventually(() => stream.files().includes(id))
  })
})

test('a server that stops ends streams before it waits for responses', async () => {
  const other = await startWithAccount({ clock })
  const stream = await watch(other, other.withKey)
  await Promise.all([other[Symbol.asyncDispose](), stream.ended])
})

describe('the budget of streams', () => {
  test('ends a stream whose client reads too slowly, with a bounded number of bytes waiting', async () => {
    let ends = 0
    const stream = new ChangeStream(await callerOfKey(), '', {
      shown: (_, id) => id,
      isOver: () => false,
      onEnd: () => {
        ends += 1
      },
    })
    for (let n = 0; n < 100_000; n += 1) stream.sendEvent('ready', String(n))
    const bytes = (await new Response(stream.body).bytes()).length

    expect(ends).toBe(1)
    expect(bytes).toBeGreaterThan(60_000)
    expect(bytes).toBeLessThan(70_000)
  })

  test('refuses new streams while the server stops, and says so', async () => {
    const places = new Places()
    places.close()

    const caller = await callerOfKey()
    expect(() => places.take(caller)).toThrow('The server is stopping, try again soon')
  })

  test('refuses an account too many, and gives places back', async () => {
    const user = await holdfast.addUser('viewer')
    const streams = new Set<Watched>()
    let refusal: unknown
    // Late news of the account ends some, and gives their places back.
    for (let n = 0; n < 60 && refusal === undefined; n += 1)
      try {
        const stream = await watch(holdfast, user.withSession)
        streams.add(stream)
        void stream.ended.then(() => streams.delete(stream))
      } catch (error) {
        refusal = error
      }
    expect(String(refusal)).toEndWith('refused with 429, again after 60')
    await eventually(() => streams.size === 20)

    for (const stream of streams) await stream[Symbol.asyncDispose]()
    let again: Watched | undefined
    await eventually(async () => {
      again = await watch(holdfast, user.withSession).catch(() => undefined)
      return again !== undefined
    })
    await again?.[Symbol.asyncDispose]()
  })
})

async function addThroughApi({ api }: User): Promise<void> {
  await api.data('POST', '/users', {
    email: 'watched@example.com',
    name: 'Watched',
    password: 'a long password',
    role: 'viewer',
  })
}

/** Returns the caller of a request with an API key. */
async function callerOfKey(): Promise<LocatedCaller> {
  await using inside = await startInsideWithAccount()
  const { users, keys } = inside.server.deps.store
  const [user, [apiKey]] = [await users.byId(inside.userId), await keys.ofUser(inside.userId)]
  if (!user || !apiKey) throw new Error('The account is missing')
  return {
    via: 'key',
    key: apiKey,
    user,
    reach: EVERYTHING,
    device: { ipAddress: '127.0.0.1', userAgent: '' },
  }
}
