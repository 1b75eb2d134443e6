import { describe, expect, test } from 'bun:test'
import { unzipSync } from 'fflate'
import type { Visit as Shown } from '../../src/client/types.ts'
import { iso } from '../../src/platform/time.ts'
import { eventually } from '../support/eventually.ts'
import { withInside } from '../support/fixture.ts'
import { type FileView, messageOf, postJson, refusalOf, TestClock } from '../support/holdfast.ts'
import { converse } from '../support/socket.ts'
import { cookieOf, createShare, PASSWORD, shareOf, visitsOf } from './visitors.ts'

const DAY_MS = 86_400_000
/** Length of a body that the kernel does not take at once. */
const LONG = 64 * 1024 ** 2

const clock = new TestClock()
const holdfast = withInside({ clock, environment: { MAX_FILES_PER_REQUEST: '1100' } })
const { api } = holdfast

const share = (items: object[], rules: object = {}) => createShare(api, { items, ...rules })
const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  holdfast.fetch(`/api/s/${path}`, { headers, method })

/** Returns the header by which visitors without a cookie differ. */
const agent = (name: string) => ({ 'User-Agent': name })

const show = async (path: string, headers: Record<string, string> = {}): Promise<Shown> => {
  const response = await get(path, headers)
  return ((await response.json()) as { data: Shown }).data
}
const page = async (slug: string, who: string) =>
  (await holdfast.fetch(`/s/${slug}`, { headers: agent(who) })).text()
const names = ({ files, folders }: Shown) => [...folders, ...files].map(({ name }) => name)

/** Status, headers without the time and id, and body: everything that a visitor can compare. */
async function answerOf(response: Response): Promise<[number, ...unknown[]]> {
  const headers = [...response.headers].filter(([name]) => !['date', 'x-request-id'].includes(name))
  return [response.status, headers, await response.text()]
}

async function open(slug: string, password: string, headers: Record<string, string> = {}) {
  const response = await postJson(holdfast, `/api/s/${slug}/open`, { password }, headers)
  const cookies = response.headers.getSetCookie()
  const [cookie = ''] = cookies[0]?.split(';') ?? []
  return { status: response.status, cookies, withCookie: { Cookie: cookie } }
}

let count = 0
const upload = (content = 'content', folder = ''): Promise<FileView> => {
  count += 1
  return api.upload(`file-${count}.txt`, content, folder)
}

describe('a share', () => {
  test('shows its items by name, without keys and what is above them', async () => {
    const file = await api.upload('b.txt', 'bytes', 'secret/deep')
    const folder = await api.createFolder('secret/other/a')
    const { slug } = await share([{ fileId: file.id }, { folderId: folder.id }], { title: 'T', note: 'N' })

    const response = await get(slug)

    expect(response.headers.get('cache-control')).toBe('no-store')
    const text = await response.text()
    expect(JSON.parse(text).data).toMatchObject({
      title: 'T',
      note: 'N',
      needsPassword: false,
      files: [{ id: file.id, name: 'b.txt', mimeType: 'text/plain', size: 5 }],
      folders: [{ id: folder.id, name: 'a' }],
      next: null,
    })
    expect(text).not.toContain('secret')
    expect(text).not.toContain(file.folderId)
  })

  test('opens a private file by its id, which hosting still denies', async () => {
    const file = await upload('for friends')
    await api.data('PUT', '/files', { id: file.id, visibility: 'private' })
    const { slug } = await share([{ fileId: file.id }])

    const response = await get(`${slug}/files/${file.id}`)

    expect([response.status, await response.text()]).toEqual([200, 'for friends'])
    expect(response.headers.get('content-disposition')).toStartWith('inline')
    expect(response.headers.get('content-security-policy')).toBe('sandbox')
    expect(response.headers.get('cache-control')).toBe('private, no-store')
    const saved = await get(`${slug}/files/${file.id}?download=1`)
    expect(saved.headers.get('content-disposition')).toStartWith('attachment')
    await saved.body?.cancel()
    expect(await api.hosted(file.key)).toBe(404)
  })

  test('survives renames and moves, and shows nothing that has left it', async () => {
    const folder = await api.createFolder('walk/inner')
    const file = await upload('moving', 'walk/inner')
    const lone = await upload('lone')
    const { slug } = await share([{ folderId: folder.id }, { fileId: lone.id }])
    const elsewhere = await api.createFolder('elsewhere')

    await api.data('PUT', '/files', { id: lone.id, name: 'renamed.txt' })
    await api.data('POST', '/files/move', { id: lone.id, folder: 'far/away' })
    await api.data('PUT', '/folders', { id: folder.id, name: 'outer' })
    expect(names(await show(slug))).toEqual(['outer', 'renamed.txt'])
    expect(await (await get(`${slug}/files/${file.id}`)).text()).toBe('moving')

    await api.data('POST', '/files/move', { id: file.id, folderId: elsewhere.id })
    expect((await get(`${slug}/files/${file.id}`)).status).toBe(404)
    const came = await upload('came later', 'elsewhere')
    expect((await get(`${slug}/files/${came.id}`)).status).toBe(404)
    await api.data('POST', '/files/move', { id: came.id, folderId: folder.id })
    expect(await (await get(`${slug}/files/${came.id}`)).text()).toBe('came later')
  })

  test('has nothing from the trash, and has it again when it is restored', async () => {
    const folder = await api.createFolder('bin')
    const file = await upload('bytes', 'bin')
    const { slug } = await share([{ folderId: folder.id }])

    await api.data('POST', '/trash', { folderIds: [folder.id] })
    expect(names(await show(slug))).toEqual([])
    for (const path of [`${slug}/files/${file.id}`, `${slug}?folder=${folder.id}`])
      expect((await get(path)).status).toBe(404)
    await api.data('POST', '/trash/restore', { ids: [folder.id] })
    expect(names(await show(`${slug}?folder=${folder.id}`))).toEqual([file.name])
  })

  test('pages a folder by names, files and folders together', async () => {
    const folder = await api.createFolder('many')
    const names = Array.from({ length: 1003 }, (_, n) => `f${String(n).padStart(4, '0')}`)
    await holdfast.sendUpload(Object.fromEntries(names.map((name) => [name, 'x'])), { folder: 'many' })
    await api.createFolder('many/f0000a')
    const { slug } = await share([{ folderId: folder.id }])

    const first = await show(`${slug}?folder=${folder.id}`)
    const second = await show(`${slug}?folder=${folder.id}&after=${first.next}`)

    expect(first.files.length + first.folders.length).toBe(1000)
    expect(first.folders.map(({ name }) => name)).toEqual(['f0000a'])
    expect(second.files.map(({ name }) => name)).toEqual(['f0999', 'f1000', 'f1001', 'f1002'])
    expect([second.folders, second.next]).toEqual([[], null])
  })
})

describe('a share that is not open', () => {
  test('is one and the same 404: wrong, ended, expired, used up, or of a disabled owner', async () => {
    const file = await upload('x')
    const items = [{ fileId: file.id }]
    const ended = await share(items)
    const expired = await share(items, { expiresAt: new Date(clock.now() + 1000).toISOString() })
    const used = await share(items, { maxDownloads: 1 })
    await (await get(`${used.slug}/files/${file.id}`, agent('the last one'))).text()
    await holdfast.saveCounts()
    await api.data('DELETE', '/shares', { id: ended.id })
    clock.advance(1001)

    const slugs = ['AAAAAAAAAAAA', ended.slug, expired.slug, used.slug]
    for (const path of ['', `/files/${file.id}`, '/archive']) {
      const answers = await Promise.all(slugs.map(async (slug) => answerOf(await get(slug + path))))
      const [first = [0]] = answers
      for (const answer of answers) expect(answer).toEqual(first)
      expect(first[0]).toBe(404)
    }
    const tries = await Promise.all(slugs.map(async (slug) => (await open(slug, PASSWORD)).status))
    expect(tries).toEqual([404, 404, 404, 404])
  })

  test('is closed while its owner may not read', async () => {
    const { slug } = await share([{ fileId: (await upload()).id }])
    const { store } = holdfast.server.deps
    const setRole = (role: 'admin' | 'custom') =>
      store.transact(() => store.users.update(holdfast.userId, { role, customScopes: [] }))

    await setRole('custom')
    const while_ = (await get(slug)).status
    await setRole('admin')

    expect([while_, (await get(slug)).status]).toEqual([404, 200])
  })
})

describe('nothing outside of a share can be reached', () => {
  test('by ids of other files, of folders above it, of another share, or of nothing', async () => {
    const inside = await upload('in', 'fence/shared')
    const outside = await upload('out', 'fence')
    const other = await share([{ fileId: outside.id }])
    const { slug } = await share([{ folderId: inside.folderId }])
    const root = (await api.browse()).files[0]?.folderId ?? ''

    for (const id of [outside.id, inside.folderId, outside.folderId, root, other.id, 'x', '..%2f..', '%00'])
      expect([id, (await get(`${slug}/files/${id}`)).status]).toEqual([id, 404])
    for (const id of [outside.folderId, root, outside.id, 'x'])
      expect([id, (await get(`${slug}?folder=${id}`)).status]).toEqual([id, 404])
    for (const ids of [outside.id, `${inside.id},${outside.id}`, outside.folderId, root, 'x', '']) {
      const response = await get(`${slug}/archive?ids=${ids}`)
      expect([ids, response.status, await messageOf(response)]).toEqual([ids, 404, 'File not found'])
    }
    expect((await get(`${slug}/files/${inside.id}`)).status).toBe(200)
  })

  test('by other methods', async () => {
    const file = await upload()
    const { slug } = await share([{ fileId: file.id }])
    for (const method of ['PUT', 'DELETE', 'POST', 'PATCH'])
      expect((await get(`${slug}/files/${file.id}`, {}, method)).status).toBe(405)
  })
})

describe('a password', () => {
  test('hides everything but the title', async () => {
    const file = await upload('hidden')
    const rules = { title: 'Shown', note: 'Hidden', password: PASSWORD }
    const { slug } = await share([{ fileId: file.id }], rules)

    expect(await show(slug)).toEqual({
      title: 'Shown',
      note: null,
      canRead: true,
      canWrite: false,
      needsPassword: true,
      files: [],
      folders: [],
      uploads: [],
      next: null,
    })
    const range = { Range: 'bytes=0-0' }
    for (const [headers, method] of [
      [{}, 'GET'],
      [range, 'GET'],
      [{}, 'HEAD'],
      [range, 'HEAD'],
    ] as const) {
      const response = await get(`${slug}/files/${file.id}`, headers, method)
      expect([response.status, await response.text()]).not.toContain('h')
      expect([response.status, response.headers.get('etag')]).toEqual([401, null])
    }
    expect((await get(`${slug}/files/unknown`)).status).toBe(401)
    expect((await get(`${slug}/archive`)).status).toBe(401)
  })

  test('opens by a cookie for the paths of this share alone', async () => {
    const file = await upload('hidden')
    const items = [{ fileId: file.id }]
    const { slug, id } = await share(items, { password: PASSWORD })
    const other = await share(items, { password: PASSWORD })

    const { status, cookies, withCookie } = await open(slug, PASSWORD)

    expect(status).toBe(200)
    expect(cookies.map((cookie) => cookie.replace(/=[^;]+/, ''))).toEqual([
      `holdfast_share; Path=/api/s/${slug}; Max-Age=43200; HttpOnly; SameSite=Lax`,
      `holdfast_share; Path=/s/${slug}; Max-Age=43200; HttpOnly; SameSite=Lax`,
    ])
    expect(names(await show(slug, withCookie))).toEqual([file.name])
    expect(await (await get(`${slug}/files/${file.id}`, withCookie)).text()).toBe('hidden')
    expect((await get(`${other.slug}/files/${file.id}`, withCookie)).status).toBe(401)
    expect((await get(`${slug}/files/${file.id}`, { Cookie: `${withCookie.Cookie}x` })).status).toBe(401)
    await api.data('PUT', '/shares', { id, title: 'still open' })
    expect((await get(`${slug}/files/${file.id}`, withCookie)).status).toBe(200)
    await api.data('PUT', '/shares', { id, password: 'another tide' })
    expect((await get(`${slug}/files/${file.id}`, withCookie)).status).toBe(401)
  })

  test('opens for twelve hours', async () => {
    const file = await upload()
    const { slug } = await share([{ fileId: file.id }], { password: PASSWORD })
    const { withCookie } = await open(slug, PASSWORD)

    clock.advance(12 * 3_600_000 - 1)
    const before = (await get(`${slug}/files/${file.id}`, withCookie)).status
    clock.advance(1)

    expect([before, (await get(`${slug}/files/${file.id}`, withCookie)).status]).toEqual([200, 401])
  })

  test('can be tried ten times in a minute, of many tries at once too', async () => {
    const { slug, id } = await share([{ fileId: (await upload()).id }], { password: PASSWORD })

    const tries = await Promise.all(Array.from({ length: 20 }, () => open(slug, 'wrong')))

    const statuses = tries.map(({ status }) => status)
    expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(10)
    expect((await open(slug, PASSWORD)).status).toBe(429)
    clock.advance(60_000)
    expect((await open(slug, PASSWORD)).status).toBe(200)
    expect((await visitsOf(api, id))[0]).toMatchObject({ what: 'opened', address: '127.0.0.1' })
    expect((await visitsOf(api, id)).filter(({ what }) => what === 'refused').length).toBe(
      statuses.filter((status) => status === 401).length,
    )
  })
})

describe('an archive', () => {
  test('has files and folders from anywhere under their names, of the announced length', async () => {
    await api.upload('a.txt', 'one', 'zip/one')
    const [one, two] = [await api.list({ name: 'a.txt' }), await api.upload('a.txt', 'two', 'zip/two')]
    await api.upload('inner.txt', 'three', 'zip/three/deep')
    const folder = (await api.browse({ key: 'zip' })).folders.find(({ name }) => name === 'three')
    const items = [{ fileId: one[0]?.id }, { fileId: two.id }, { folderId: folder?.id }]
    const { slug } = await share(items, { title: 'All' })

    const response = await get(`${slug}/archive`)
    const bytes = new Uint8Array(await response.arrayBuffer())

    expect(response.headers.get('content-length')).toBe(String(bytes.length))
    expect(response.headers.get('content-disposition')).toContain('filename="All.zip"')
    expect(Object.keys(unzipSync(bytes))).toEqual([
      'a.txt',
      'a (2).txt',
      'three/',
      'three/deep/',
      'three/deep/inner.txt',
    ])
    const some = await get(`${slug}/archive?ids=${two.id}`)
    expect(Object.keys(unzipSync(new Uint8Array(await some.arrayBuffer())))).toEqual(['a.txt'])
  })
})

describe('a download', () => {
  const downloads = async (id: string) => {
    await holdfast.saveCounts()
    return (await shareOf(api, id))?.downloads
  }

  test('counts once for a visitor and file in a day, when every byte has left', async () => {
    const file = await upload('0123456789')
    const { slug, id } = await share([{ fileId: file.id }])
    const part = async (range: string, who = 'one') =>
      (await get(`${slug}/files/${file.id}`, { ...agent(who), Range: `bytes=${range}` })).text()

    await get(slug, agent('one'))
    await get(`${slug}/files/${file.id}`, agent('one'), 'HEAD')
    await part('0-3')
    await part('6-9')
    expect(await downloads(id)).toBe(0)
    await part('4-5', 'two')
    expect(await downloads(id)).toBe(0)
    await part('2-6')
    await eventually(async () => (await downloads(id)) === 1)
    await part('0-9')
    expect(await downloads(id)).toBe(1)
    clock.advance(DAY_MS + 1)
    await part('0-9')
    await eventually(async () => (await downloads(id)) === 2)
    const [last] = await visitsOf(api, id)
    expect(last).toMatchObject({
      what: 'downloaded',
      fileId: file.id,
      name: file.name,
      bytes: 10,
      userAgent: 'one',
    })
  })

  test('of an archive counts once', async () => {
    const { slug, id } = await share([{ fileId: (await upload()).id }, { fileId: (await upload()).id }])

    await (await get(`${slug}/archive`)).arrayBuffer()

    await eventually(async () => (await downloads(id)) === 1)
  })

  test('never finishes more often than the limit says, raced by 50 visitors', async () => {
    const file = await upload('x'.repeat(100_000))
    const { slug, id } = await share([{ fileId: file.id }], { maxDownloads: 3 })

    const responses = await Promise.all(
      Array.from({ length: 50 }, (_, n) => get(`${slug}/files/${file.id}`, agent(`visitor ${n}`))),
    )
    const lengths = await Promise.all(responses.map(async (response) => (await response.text()).length))

    expect(lengths.filter((length) => length === 100_000)).toHaveLength(3)
    // Others wait while places are taken; the share is closed after the last download.
    expect(responses.filter(({ status }) => status === 503 || status === 404)).toHaveLength(47)
    await eventually(async () => (await downloads(id)) === 3)
    expect((await get(slug)).status).toBe(404)
  })

  test('that is under way takes a place, which its visitor alone can use, and the page says until when', async () => {
    const file = await upload('0123456789')
    const { slug, id } = await share([{ fileId: file.id }], { maxDownloads: 1 })
    const part = (range: string, who: string) =>
      get(`${slug}/files/${file.id}`, { ...agent(who), Range: `bytes=${range}` })

    await (await part('0-8', 'one')).text()
    await holdfast.saveCounts()
    const taken = `Other visitors are downloading, and this link allows no more now. Try again at ${iso(clock.now() + 60_000).slice(11, 19)} UTC.`
    expect(await refusalOf(await part('0-8', 'two'))).toEqual([503, taken])
    const archive = await get(`${slug}/archive`, { ...agent('two'), Accept: 'text/html' })
    expect([archive.status, archive.headers.get('retry-after')]).toEqual([503, '60'])
    expect(await archive.text()).toContain(taken)
    expect(await page(slug, 'two')).toContain(taken)
    expect(await page(slug, 'one')).not.toContain('Other visitors')
    expect(names(await show(slug, agent('two')))).toEqual([file.name])
    expect(await (await part('9-9', 'one')).text()).toBe('9')
    await eventually(async () => (await downloads(id)) === 1)
    expect((await visitsOf(api, id)).map(({ what, userAgent }) => [what, userAgent])).toEqual([
      ['downloaded', 'one'],
      ['opened', 'one'],
      ['opened', 'two'],
      ['started', 'one'],
    ])
  })

  test('that was the last is still there for its visitor alone, for a day', async () => {
    const file = await upload('0123456789')
    const other = await upload('other')
    const items = [{ fileId: file.id }, { fileId: other.id }]
    const { slug, id } = await share(items, { maxDownloads: 1 })
    const read = (path: string, who: string) => get(`${slug}/${path}`, agent(who))
    await (await read(`files/${file.id}`, 'one')).text()
    await eventually(async () => (await downloads(id)) === 1)

    const again = await get(`${slug}/files/${file.id}`, { ...agent('one'), Range: 'bytes=2-3' })
    expect([again.status, await again.text()]).toEqual([206, '23'])
    expect((await get(`${slug}/files/${file.id}`, agent('one'), 'HEAD')).status).toBe(200)
    for (const path of [`files/${other.id}`, 'archive', `thumbs/${file.id}?width=200`])
      expect([path, (await read(path, 'one')).status]).toEqual([path, 404])
    expect((await get(slug, agent('one'))).status).toBe(404)
    expect((await read(`files/${file.id}`, 'two')).status).toBe(404)
    clock.advance(DAY_MS + 1)

    expect((await read(`files/${file.id}`, 'one')).status).toBe(404)
    expect(await downloads(id)).toBe(1)
  })

  test('gives its place back when it was sent nothing for a minute, and takes it up again with its cookie', async () => {
    const file = await upload('0123456789')
    const { slug, id } = await share([{ fileId: file.id }], { maxDownloads: 1 })
    const part = (who: string, range: string, headers = {}) =>
      get(`${slug}/files/${file.id}`, { ...agent(who), ...headers, Range: `bytes=${range}` })

    const first = await part('one', '0-3')
    await first.text()
    await holdfast.saveCounts()
    clock.advance(59_999)
    const before = (await part('two', '0-3')).status
    clock.advance(1)
    expect([before, (await part('two', '0-3')).status]).toEqual([503, 206])
    await holdfast.saveCounts()
    expect((await part('one', '4-9', cookieOf(first))).status).toBe(503)
    clock.advance(60_000)
    // Its address and browser may be others by now.
    await (await part('elsewhere', '4-9', cookieOf(first))).text()

    await eventually(async () => (await downloads(id)) === 1)
    expect((await part('two', '4-9')).status).toBe(404)
  })

  test('keeps its place while it is sent bytes, and breaks off once it has lost it', async () => {
    const file = await upload('x'.repeat(LONG))
    const { slug, id } = await share([{ fileId: file.id }], { maxDownloads: 1 })
    const path = `/api/s/${slug}/files/${file.id}`
    const head = `GET ${path} HTTP/1.1\r\nHost: localhost\r\nUser-Agent: one\r\nConnection: close\r\n\r\n`
    const { socket, length, closed } = await converse(holdfast.port, head)
    const other = async () =>
      (await get(`${slug}/files/${file.id}`, { ...agent('two'), Range: 'bytes=0-3' })).status
    const isKept = async () => {
      const { store } = holdfast.server.deps
      return (await store.shareDownloads.unfinished(id, clock.now() - 1)).count === 1
    }
    /** Reads until the server notes that bytes were sent now. */
    const readOn = async () => {
      while (!(await isKept())) {
        const read = new Promise((resolve) => socket.once('data', resolve))
        socket.resume()
        await read
        socket.pause()
      }
    }

    socket.once('data', () => socket.pause())
    await eventually(() => length() > 0)
    expect((await visitsOf(api, id)).map(({ what }) => what)).toContain('started')
    for (let minute = 0; minute < 3; minute += 1) {
      clock.advance(40_000)
      await readOn()
      expect(await other()).toBe(503)
    }
    // The kernel may take some more bytes first.
    await eventually(async () => {
      clock.advance(60_000)
      return (await other()) === 206
    })
    socket.resume()

    expect((await closed).length).toBeLessThan(LONG)
    expect(await downloads(id)).toBe(0)
  })

  test('of two visitors with one address and browser is two, once they have seen the page', async () => {
    const file = await upload('0123456789')
    const { slug, id } = await share([{ fileId: file.id }])
    for (let n = 0; n < 2; n += 1) {
      const cookie = cookieOf(await holdfast.fetch(`/s/${slug}`, { headers: agent('same') }))
      await (await get(`${slug}/files/${file.id}`, { ...agent('same'), ...cookie })).text()
    }

    await eventually(async () => (await downloads(id)) === 2)
    expect((await visitsOf(api, id)).filter(({ what }) => what === 'opened')).toHaveLength(1)
  })

  test('of a file without bytes counts', async () => {
    const file = await upload('')
    const { slug, id } = await share([{ fileId: file.id }])

    await (await get(`${slug}/files/${file.id}`)).text()

    await eventually(async () => (await downloads(id)) === 1)
  })
})
