import { beforeAll, describe, expect, test } from 'bun:test'
import { createClient, type HoldfastClient, type Progress } from '../../src/client/index.ts'
import { makePng } from '../browser/png.ts'
import { eventually, rounds } from '../support/eventually.ts'
import { withHoldfast } from '../support/fixture.ts'
import { ADMIN, startHoldfast } from '../support/holdfast.ts'

/** Client with an API key. */
let client: HoldfastClient
/** Client with a session. */
let admin: HoldfastClient

const holdfast = withHoldfast()
beforeAll(async () => {
  client = createClient({ url: holdfast.url, key: holdfast.key })
  admin = createClient({ url: `${holdfast.url}/` })
  await admin.auth.signIn({ email: ADMIN.email, password: ADMIN.password })
})

const put = async (name: string, content: string, folder = '') => {
  const [file] = await client.files.upload([{ name, content }], { folder })
  if (!file) throw new Error('The upload answered with no file')
  return file
}

/** Starts a proxy that compresses responses if its client accepts it. */
const startCompressing = () =>
  Bun.serve({
    port: 0,
    fetch: async ({ url, headers, method }) => {
      const { pathname, search } = new URL(url)
      const answer = await fetch(`${holdfast.url}${pathname}${search}`, { method, headers })
      if (!headers.get('accept-encoding')?.includes('gzip')) return answer
      const compressed = new Blob([Bun.gzipSync(await answer.arrayBuffer())]).stream()
      return new Response(compressed, { status: answer.status, headers: { 'Content-Encoding': 'gzip' } })
    },
  })

/** Starts a proxy that counts the bytes of request bodies. */
function startCounting() {
  let bytes = 0
  const server = Bun.serve({
    port: 0,
    fetch: async (request) => {
      const { pathname, search } = new URL(request.url)
      const body = await request.arrayBuffer()
      bytes += body.byteLength
      return fetch(`${holdfast.url}${pathname}${search}`, { method: 'POST', headers: request.headers, body })
    },
  })
  return { url: server.url.href, bytes: () => bytes, [Symbol.dispose]: () => server.stop(true) }
}

const sha256 = (content: string | Uint8Array) => new Bun.CryptoHasher('sha256').update(content).digest('hex')
const textOf = async (response: Promise<Response>) => (await response).text()

describe('files', () => {
  test('of every kind of content are stored together, with their progress', async () => {
    const seen: Progress[] = []
    const stream = new Blob(['a stream']).stream()

    const files = await client.files.upload(
      [
        { name: 'text "1".txt', content: 'a text' },
        { name: 'bytes', content: new Uint8Array([1, 2, 3]) },
        { name: 'blob.png', content: new Blob(['a blob']) },
        { name: 'größe', content: stream },
      ],
      { folder: 'kinds/all', visibility: 'private', onProgress: (progress) => seen.push(progress) },
    )

    expect(files.map(({ key, size, visibility }) => [key, size, visibility])).toEqual([
      ['kinds/all/text "1".txt', 6, 'private'],
      ['kinds/all/bytes', 3, 'private'],
      ['kinds/all/blob.png', 6, 'private'],
      ['kinds/all/größe', 8, 'private'],
    ])
    expect(seen.at(-1)).toEqual({ loaded: 23, total: undefined })
  })

  test('get exact names, also with characters that forms escape', async () => {
    const names = ['100%22.txt', '%0D%0a%0A', "it's (a) *star*", '%', '\uFEFFmark', '😀;filename=x']
    const sent = [...names, '50 % "é".txt'].map((name) => ({ name, content: name }))

    const files = await client.files.upload(sent, { folder: 'exact' })

    expect(files.map(({ name }) => name)).toEqual(sent.map(({ name }) => name))
  })

  test('with path characters in their names are refused together', async () => {
    for (const name of ['x\\é', 'a/b', 'half \ud83d']) {
      const files = ['beside', name].map((name) => ({ name, content: '' }))
      const refusal = { name: 'HoldfastError', status: 400 }
      await expect(client.files.upload(files, { folder: 'refused' })).rejects.toMatchObject(refusal)
    }
    await expect(client.folders.folders({ key: 'refused' })).rejects.toMatchObject({ status: 404 })
  })

  test('report the progress of a known length', async () => {
    const seen: Progress[] = []

    const onProgress = (progress: Progress) => seen.push(progress)
    await client.files.upload([{ name: 'known', content: 'x'.repeat(500_000) }], { onProgress })

    expect(seen.at(-1)).toEqual({ loaded: 500_000, total: 500_000 })
    expect(seen).toEqual(seen.toSorted((a, b) => a.loaded - b.loaded))
  })

  test('are looked up, renamed, moved, hidden, signed, downloaded and deleted', async () => {
    const { id } = await put('first.txt', 'content', 'one')

    expect((await client.files.get({ key: 'one/first.txt' })).id).toBe(id)
    expect((await client.files.rename(id, 'second.txt')).key).toBe('one/second.txt')
    expect((await client.files.move(id, { folder: 'two' })).key).toBe('two/second.txt')
    expect((await client.files.setVisibility(id, 'private')).visibility).toBe('private')
    expect((await client.files.setVisibilityAll([id], 'public')).files[0]?.visibility).toBe('public')
    await client.files.setVisibilityAll([id], 'private')
    expect(await client.files.linkLifetimes()).toMatchObject({ maxExpiresIn: 604_800 })
    const link = await client.files.sign({ id }, { expiresIn: 60 })
    expect(await textOf(fetch(client.urlOf(link)))).toBe('content')
    expect(await textOf(client.files.download(id))).toBe('content')
    expect(await textOf(client.files.download(id, { from: 3 }))).toBe('tent')
    await client.files.delete(id)
    expect(client.files.get({ id })).rejects.toMatchObject({ status: 404, message: 'File not found' })
  })

  test('are replaced, unless the digest or the ETag differs', async () => {
    const { id, key } = await put('replaced.txt', 'before')
    const digest = sha256('after')
    const seen: Progress[] = []
    const { headers } = await client.files.download(id)
    const ifMatch = headers.get('etag') ?? ''

    const replaced = await client.files.replace(id, new Blob(['after']), {
      sha256: digest,
      ifMatch,
      onProgress: (progress) => seen.push(progress),
    })

    expect(replaced).toMatchObject({ id, key, size: 5 })
    expect(seen.at(-1)).toEqual({ loaded: 5, total: 5 })
    expect(client.files.replace(id, 'other', { sha256: digest })).rejects.toMatchObject({ status: 400 })
    expect(client.files.replace(id, 'other', { ifMatch })).rejects.toMatchObject({ status: 412 })
    expect(await textOf(client.files.download(id))).toBe('after')
  })

  test('with taken names are replaced, renamed or skipped', async () => {
    const { id } = await put('taken.txt', 'first', 'conflicts')
    const again = async (onConflict: 'replace' | 'rename' | 'skip') => {
      const options = { folder: 'conflicts', onConflict }
      const files = await client.files.upload([{ name: 'taken.txt', content: onConflict }], options)
      return files.map((file) => [file.id === id, file.name])
    }
    expect(await again('replace')).toEqual([[true, 'taken.txt']])
    expect(await again('rename')).toEqual([[false, 'taken (2).txt']])
    expect(await again('skip')).toEqual([])
    const other = { name: 'other.txt', content: new Blob(['in pieces']) }
    const replaced = await client.files.uploadResumable(other, { replaces: id })
    expect(replaced).toMatchObject({ id, name: 'taken.txt', size: 9 })
    const tree = [{ path: 'taken.txt', content: 'from a tree' }]
    const skipped = await client.folders.upload(tree, { folder: 'conflicts', onConflict: 'skip' })
    expect(skipped).toMatchObject({ files: 0, skipped: ['taken.txt'] })
  })

  test('have versions, which are listed, downloaded, restored and deleted', async () => {
    const { id } = await put('replaced.txt', 'first', 'versions')
    await client.files.replace(id, 'second')
    const [version] = await client.files.versions(id)
    expect(await textOf(client.files.downloadVersion(version?.id ?? ''))).toBe('first')
    expect(await client.files.restoreVersion(version?.id ?? '')).toMatchObject({ id, size: 5 })
    expect(await textOf(client.files.download(id))).toBe('first')
    await client.files.deleteVersion(version?.id ?? '')
    expect((await client.files.versions(id)).map(({ size }) => size)).toEqual([6])
    expect(await client.files.versions(id, { offset: 1 })).toEqual([])
  })

  test('return their details', async () => {
    const file = await put('details.txt', 'details')
    await textOf(fetch(client.urlOf(file)))

    const details = await client.files.details({ key: 'details.txt' })

    expect(details).toMatchObject({
      file,
      sha256: sha256('details'),
      traffic: { requests: 1, bytes: 7 },
    })
    expect(client.files.details({ id: 'none' })).rejects.toMatchObject({ status: 404 })
  })

  test('have an address for their thumbnail', async () => {
    const [file] = await client.files.upload([{ name: 'picture.png', content: makePng(300, 200) }])

    const thumbnail = await fetch(client.files.thumbnailUrl(file?.id ?? '', 200), {
      headers: holdfast.withKey,
    })

    expect([thumbnail.status, thumbnail.headers.get('content-type')]).toEqual([200, 'image/webp'])
    expect(client.files.thumbnailUrl('a/b')).toBe(`${client.url}api/files/thumbnail/a%2Fb`)
  })

  test('have an address for a page that shows them small, also by a signed link', async () => {
    const picture = { name: 'for a page.png', content: makePng(300, 200) }
    const [file] = await client.files.upload([picture], { visibility: 'public' })
    const { id = '', url = '' } = file ?? {}
    for (const address of [{ url }, await client.files.sign({ id })]) {
      const small = await fetch(client.files.pictureUrl(address, 200))
      expect([small.status, small.headers.get('content-type')]).toEqual([200, 'image/webp'])
    }
  })

  test('are fetched by URL, and that is canceled', async () => {
    const { id } = await client.files.fetch({ url: 'http://192.0.2.1.invalid/a', name: 'fetched' })
    expect((await client.files.fetches()).map((one) => one.id)).toContain(id)
    await client.files.cancelFetch(id)
    expect(['canceled', 'failed']).toContain((await client.files.fetched(id)).state)
  })

  test('are downloaded from an offset unless they changed, also through a compressing proxy', async () => {
    const content = 'compressible '.repeat(1000)
    const { id } = await put('ranged.txt', content)
    using proxy = startCompressing()
    const behind = createClient({ url: proxy.url.href, key: holdfast.key })

    const whole = await behind.files.download(id)
    const etag = whole.headers.get('etag') ?? ''
    const rest = await behind.files.download(id, { from: 10, ifRange: etag })
    await holdfast.api.sendBody('PUT', `/files/content?id=${id}`, 'edited since')
    const edited = await behind.files.download(id, { from: 10, ifRange: etag })

    expect([whole.status, whole.headers.get('content-length')]).toEqual([200, String(content.length)])
    expect([rest.status, await rest.text()]).toEqual([206, content.slice(10)])
    expect([edited.status, await edited.text()]).toEqual([200, 'edited since'])
  })

  test('are moved and deleted in batches that report each failure', async () => {
    const [a, b] = [await put('a', 'a', 'several'), await put('b', 'b', 'several')]

    const moved = await client.files.moveAll([a.id, b.id, 'none'], { folder: 'moved' })
    const deleted = await client.files.deleteAll([a.id, 'none', b.id])

    expect(moved.files.map(({ key }) => key)).toEqual(['moved/a', 'moved/b'])
    expect(moved.failed).toEqual([{ id: 'none', message: 'File not found' }])
    expect(deleted.deleted.sort()).toEqual([a.id, b.id].sort())
    expect(deleted.failed).toEqual([{ id: 'none', message: 'File not found' }])
  })

  test('are listed one by one over all pages', async () => {
    const names = Array.from({ length: 450 }, (_, n) => `${String(n).padStart(3, '0')}.txt`)
    for (let n = 0; n < names.length; n += 90) {
      const some = names.slice(n, n + 90).map((name) => ({ name, content: name }))
      await client.files.upload(some, { folder: 'many' })
    }
    const options = { orderBy: 'name', orderDirection: 'ASC' } as const

    const all = await Array.fromAsync(client.folders.files({ key: 'many' }, options))
    const some = await Array.fromAsync(
      client.folders.files({ key: 'many' }, { ...options, offset: 10, limit: 205 }),
    )
    const named = await Array.fromAsync(client.files.list({ name: '007.txt' }))

    expect(all.map(({ name }) => name)).toEqual(names)
    expect(some.map(({ name }) => name)).toEqual(names.slice(10, 215))
    expect(named.map(({ key }) => key)).toEqual(['many/007.txt'])
  })

  test('report only bytes of the last attempt', async () => {
    const seen: Progress[] = []
    let asked = 0
    using busy = Bun.serve({
      port: 0,
      fetch: async (request) => {
        await request.bytes()
        asked += 1
        if (asked === 1) return Response.json({}, { status: 429, headers: { 'Retry-After': '1' } })
        return Response.json({ data: { files: [] } })
      },
    })
    const patient = createClient({ url: busy.url.href, key: 'hf_any', maxWaitSeconds: 1 })

    const onProgress = (progress: Progress) => seen.push(progress)
    await patient.files.upload([{ name: 'again', content: 'x'.repeat(1000) }], { onProgress })

    expect(asked).toBe(2)
    expect(seen.at(-1)).toEqual({ loaded: 1000, total: 1000 })
  })

  test('leave no bytes when their upload is aborted', async () => {
    const abort = new AbortController()
    const endless = new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        await rounds(1)
        controller.enqueue(new Uint8Array(1024))
      },
    })
    const onProgress = ({ loaded }: Progress) => loaded > 10_000 && abort.abort()

    const options = { onProgress, signal: abort.signal }
    const upload = client.files.upload([{ name: 'endless', content: endless }], options)

    expect(upload).rejects.toMatchObject({ name: 'AbortError' })
    await upload.catch(() => {})
    expect(await Array.fromAsync(client.files.list({ name: 'endless' }))).toEqual([])
  })
})

describe('folders', () => {
  test('are created, listed, renamed, moved, hidden and deleted', async () => {
    const { id } = await client.folders.create('tree/leaf')
    await put('in leaf', 'x', 'tree/leaf')

    expect((await client.folders.folders({ key: 'tree' })).map(({ name }) => name)).toEqual(['leaf'])
    expect((await client.folders.rename(id, 'twig')).key).toBe('tree/twig')
    expect((await client.folders.move(id, { folder: '' })).key).toBe('twig')
    await client.folders.setVisibility(id, 'private')
    expect((await client.files.get({ key: 'twig/in leaf' })).visibility).toBe('private')
    await client.folders.delete(id)
    expect(client.folders.folders({ id })).rejects.toMatchObject({ status: 404 })
    expect((await client.folders.folders()).map(({ name }) => name)).toContain('tree')
  })

  test('receive a tree as one archive in which text is compressed and random bytes are not', async () => {
    const [text, random] = ['text '.repeat(100_000), crypto.getRandomValues(new Uint8Array(60_000))]
    const seen: Progress[] = []
    using wire = startCounting()
    const files = [
      { path: 'deep/é text.txt', content: text },
      { path: 'random', content: new Blob([random]) },
      { path: 'empty', content: '' },
    ]

    const imported = await createClient({ url: wire.url, key: holdfast.key }).folders.upload(files, {
      folder: 'sent-tree',
      visibility: 'private',
      onProgress: (progress) => seen.push(progress),
    })

    expect(imported).toMatchObject({ files: 3, folder: { key: 'sent-tree' } })
    expect(seen.at(-1)).toEqual({ loaded: 560_000, total: 560_000 })
    expect(wire.bytes()).toBeWithin(60_000, 70_000)
    const sums = await client.folders.checksums({ key: 'sent-tree' })
    expect(Object.fromEntries(sums.map((file) => [file.key, file.sha256]))).toEqual({
      'sent-tree/deep/é text.txt': sha256(text),
      'sent-tree/random': sha256(random),
      'sent-tree/empty': sha256(''),
    })
    expect(sums.every(({ visibility }) => visibility === 'private')).toBe(true)
  })

  test('refuse a tree with too many files or an unreadable one', async () => {
    const many = Array.from({ length: 65_536 }, (_, index) => ({ path: String(index), content: '' }))
    const gone = new RangeError('The disk is gone')
    const stream = () => new ReadableStream<Uint8Array>({ pull: (controller) => controller.error(gone) })

    const tooMany = await client.folders.upload(many).catch(String)
    const unread = await client.folders.upload([{ path: 'unread', content: { stream } }]).catch(String)

    expect(tooMany).toBe('RangeError: An archive holds at most 65535 files')
    expect(unread).toBe('RangeError: The disk is gone')
  })

  test('are downloaded as an archive and imported again', async () => {
    await put('page.html', '<p>', 'site/deep')
    const seen: Progress[] = []

    const archive = await (await client.folders.archive({ key: 'site' })).blob()
    const imported = await client.folders.import(archive, {
      folder: 'copy',
      visibility: 'private',
      onProgress: (progress) => seen.push(progress),
    })

    expect(imported).toMatchObject({ files: 1, folder: { key: 'copy' } })
    expect(seen.at(-1)).toEqual({ loaded: archive.size, total: archive.size })
    expect((await client.files.get({ key: 'copy/site/deep/page.html' })).visibility).toBe('private')
    const { id } = await client.files.get({ key: 'copy/site/deep/page.html' })
    expect((await client.files.archive([id])).headers.get('content-type')).toBe('application/zip')
  })

  test('count what is below them', async () => {
    await put('top', 'abc', 'totals')

    expect(await client.folders.totals({ key: 'totals' })).toEqual({ files: 1, folders: 0, size: 3 })
  })

  test('return the checksum of every file below them', async () => {
    await put('top', 'abc', 'sums')
    await put('below', '', 'sums/deep')

    const files = await client.folders.checksums({ key: 'sums' })

    expect(files.map(({ key, size, sha256 }) => [key, size, sha256])).toEqual([
      ['sums/top', 3, sha256('abc')],
      ['sums/deep/below', 0, sha256('')],
    ])
    const all = await client.folders.checksums()
    expect(all.map(({ key }) => key)).toEqual(expect.arrayContaining(['sums/top', 'sums/deep/below']))
    expect(client.folders.checksums({ key: 'nowhere' })).rejects.toMatchObject({ status: 404 })
  })
})

describe('a session', () => {
  test('manages the account, keys, users, settings, history and stats', async () => {
    expect((await admin.auth.session())?.user.email).toBe(ADMIN.email)
    expect((await admin.account.change({ name: 'Ada L.' })).user.name).toBe('Ada L.')
    expect((await admin.account.devices()).some(({ current }) => current)).toBe(true)
    const key = await admin.keys.create({ name: 'made', scopes: ['files:read'] })
    expect(key.s3.accessKeyId).toBe(key.id.replaceAll('-', ''))
    await admin.keys.rename(key.id, 'renamed')
    expect((await admin.keys.list()).map(({ name }) => name)).toContain('renamed')
    await admin.keys.delete(key.id)
    const bob = { name: 'Bob', email: 'bob@example.com', password: 'a long password' }
    const user = await admin.users.create({ ...bob, role: 'viewer' })
    expect((await admin.users.change({ id: user.id, role: 'editor' })).role).toBe('editor')
    expect((await admin.users.list()).length).toBe(2)
    const { id: folderId } = await admin.folders.create('for one')
    const limited = await admin.users.change({ id: user.id, folders: [{ folderId, rights: ['read'] }] })
    expect(limited.folders).toEqual([{ folderId, key: 'for one', name: 'for one', rights: ['read'] }])
    const change = { id: folderId, userId: user.id, rights: ['read' as const, 'write' as const] }
    expect((await admin.people.set(change)).people).toEqual((await admin.people.list(folderId)).people)
    const bound = await admin.keys.create({ name: 'bound', scopes: ['files:read'], folderId })
    expect(bound.folder).toEqual({ id: folderId, key: 'for one' })
    const byKey = createClient({ url: holdfast.url, key: bound.key })
    expect((await byKey.account.get()).folders?.map(({ key }) => key)).toEqual(['for one'])
    await admin.keys.delete(bound.id)
    await admin.users.delete(user.id)
    const { limits } = await admin.settings.change({ limits: { hostingCacheMaxAge: 5 } })
    expect(limits.hostingCacheMaxAge).toBe(5)
    expect((await admin.settings.get()).defaultVisibility).toBe('public')
    const [newest, second] = await admin.activity.list()
    expect(newest?.type).toBe('user.deleted')
    expect((await admin.activity.list({ before: newest?.id ?? '' }))[0]).toEqual(second)
    const created = await admin.activity.list({ types: ['user.created'] })
    expect(created.map(({ type }) => type)).toEqual(['user.created'])
    expect((await admin.stats()).users?.total).toBe(1)
    expect(await admin.activity.clear()).toBeGreaterThan(0)
    expect(await admin.health()).toBeString()
    expect((await admin.setup()).needed).toBe(false)
  })

  test('ends at sign-out', async () => {
    await using own = await startHoldfast({ environment: { BASE_URL: '' } })
    const other = createClient({ url: own.url })
    await other.auth.signUp(ADMIN)
    expect((await other.account.get()).user.email).toBe(ADMIN.email)

    await other.auth.signOut()

    expect(await other.auth.session()).toBeNull()
    expect(other.account.get()).rejects.toMatchObject({ status: 401 })
  })
})

describe('a call that fails', () => {
  test("throws the server's message, status and code", async () => {
    const nobody = createClient({ url: holdfast.url, key: 'hf_no' })

    const refusal = { name: 'HoldfastError', status: 401, message: 'Unauthorized' }
    expect(nobody.account.get()).rejects.toMatchObject(refusal)
    const wrong = { status: 401, code: 'invalid-email-or-password' }
    expect(nobody.auth.signIn({ email: ADMIN.email, password: 'wrong' })).rejects.toMatchObject(wrong)
    await put('taken', 'x')
    expect(put('taken', 'y')).rejects.toMatchObject({ status: 409 })
  })

  test("on unreadable content throws the content's error", async () => {
    let reads = 0
    const stream = () =>
      new ReadableStream<Uint8Array>({
        pull: (controller) => {
          reads += 1
          if (reads % 3 === 0) controller.error(new RangeError('The disk is gone'))
          else controller.enqueue(new Uint8Array(10))
        },
      })

    const upload = await client.files.upload([{ name: 'unread', content: { stream } }]).catch(String)
    const archive = await client.folders.import({ stream }).catch(String)

    expect([upload, archive]).toEqual(['RangeError: The disk is gone', 'RangeError: The disk is gone'])
  })

  test('reports a missing response, or one of a proxy', async () => {
    using proxy = Bun.serve({ port: 0, fetch: () => new Response('<h1>Bad gateway</h1>', { status: 502 }) })

    const healthAt = (url: string) => createClient({ url }).health()

    expect(healthAt('http://127.0.0.1:1')).rejects.toMatchObject({ status: 0, code: 'unreachable' })
    const refusal = { status: 502, message: 'The server responded with 502' }
    expect(healthAt(proxy.url.href)).rejects.toMatchObject(refusal)
  })

  test('retries after the time of a 429 within its maximum wait', async () => {
    let asked = 0
    using busy = Bun.serve({
      port: 0,
      fetch: () => {
        asked += 1
        if (asked % 2 === 0) return Response.json({ data: { message: 'running' }, error: null })
        const body = { data: null, error: { message: 'Too many requests' } }
        return Response.json(body, { status: 429, headers: { 'Retry-After': '1' } })
      },
    })
    const url = `http://127.0.0.1:${busy.port}`

    expect(await createClient({ url, maxWaitSeconds: 1 }).health()).toBe('running')
    expect(createClient({ url }).health()).rejects.toMatchObject({ status: 429 })
  })

  test('gives up on a 429 without a time', async () => {
    const headers = { 'Retry-After': '0' }
    using busy = Bun.serve({ port: 0, fetch: () => Response.json({}, { status: 429, headers }) })

    const asked = createClient({ url: busy.url.href, maxWaitSeconds: 1 }).health()

    expect(await asked.catch((error) => error)).toMatchObject({ status: 429, retryAfterSeconds: 1 })
  })

  test('reports another website at the address', async () => {
    using website = Bun.serve({ port: 0, fetch: () => new Response('<h1>Welcome</h1>') })
    using other = Bun.serve({ port: 0, fetch: () => Response.json({ hello: 'world' }) })
    for (const { url } of [website, other]) {
      const stranger = createClient({ url: url.href })
      for (const ask of [stranger.health, stranger.auth.session])
        expect(await ask().catch((error) => error)).toMatchObject({
          name: 'HoldfastError',
          message: `The server at ${url.href} is not Holdfast`,
        })
    }
  })

  test('never follows a redirect with the API key', async () => {
    const seen: (string | null)[] = []
    using elsewhere = Bun.serve({
      port: 0,
      fetch: ({ headers }) => {
        seen.push(headers.get('api-key'))
        return Response.json({ data: { files: [] } })
      },
    })
    using server = Bun.serve({ port: 0, fetch: () => Response.redirect(elsewhere.url.href, 302) })
    const redirected = createClient({ url: server.url.href, key: 'hf_secret' })

    for (const ask of [redirected.account.get, () => redirected.files.sign({ id: 'x' })])
      expect(await ask().catch((error) => error)).toMatchObject({
        status: 302,
        message: `${server.url.href} is not the server's address: it redirects to ${elsewhere.url.href}`,
      })
    expect(seen).toEqual([])
  })

  test('can be retried after a timeout, unless the caller set it', async () => {
    const timedOut = () => Promise.reject(new DOMException('The operation timed out.', 'TimeoutError'))
    const late = Object.assign(timedOut, { preconnect: fetch.preconnect })
    const slow = createClient({ url: holdfast.url, fetch: late })
    const timeout = AbortSignal.timeout(0)
    await eventually(() => timeout.aborted)

    expect(await slow.health().catch((error) => error)).toMatchObject({ status: 0, code: 'unreachable' })
    const download = await client.files.download('x', { signal: timeout }).catch((error) => error)
    expect(download.name).toBe('TimeoutError')
  })
})
