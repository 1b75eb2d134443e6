import { afterAll, describe, expect, test } from 'bun:test'
import { createServer, type Socket } from 'node:net'
import type { FileFetch as Fetch } from '../../src/client/types.ts'
import { apiOf } from '../support/api.ts'
import { eventually } from '../support/eventually.ts'
import { startInsideWithAccount, withInside } from '../support/fixture.ts'
import { createKey, type FileView, filesUnder } from '../support/holdfast.ts'
import { registerWith, spawnHoldfast } from '../support/process.ts'
import { temporaryFolder } from '../support/temporary.ts'

const environment = { FETCH_ALLOW_PRIVATE: '127.0.0.1' }
const holdfast = withInside({ environment, runsJobs: true })
const { api } = holdfast

/** Part of a response: bytes to send, a wait until a test has seen them arrive, or how the connection ends. */
type Part = string | 'END' | 'RESET' | 'SEEN'
type Respond = (head: string, count: number) => readonly Part[]

/** Source of files that misbehaves as a test says. */
class Sources {
  readonly heads: string[] = []
  readonly #server = createServer((socket) => this.#serve(socket))
  readonly #responses = new Map<string, Respond>()
  readonly #open = new Set<Socket>()
  #seen = Promise.withResolvers<void>()
  port = 0

  async start() {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    const address = this.#server.address()
    if (typeof address === 'object' && address) this.port = address.port
    return this
  }

  /** Returns the URL of a source that responds so. */
  at(path: string, respond: Respond): string {
    this.#responses.set(path, respond)
    return `http://127.0.0.1:${this.port}${path}`
  }

  /** Lets the sources go on whose beginnings have arrived. */
  seen() {
    this.#seen.resolve()
    this.#seen = Promise.withResolvers<void>()
  }

  headsOf = (path: string) => this.heads.filter((head) => head.startsWith(`GET ${path} `))

  stop() {
    for (const socket of this.#open) socket.destroy()
    this.#server.close()
  }

  #serve(socket: Socket) {
    this.#open.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => this.#open.delete(socket))
    socket.once('data', async (data) => {
      const head = data.toString('latin1')
      this.heads.push(head)
      const path = head.split(' ')[1] ?? ''
      const count = this.headsOf(path).length
      for (const part of this.#responses.get(path)?.(head, count) ?? [
        'HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n',
        'END',
      ]) {
        if (part === 'END') socket.end()
        else if (part === 'RESET') socket.resetAndDestroy()
        else if (part === 'SEEN') await this.#seen.promise
        else await new Promise<void>((resolve) => socket.write(part, 'latin1', () => resolve()))
      }
    })
  }
}

const sources = await new Sources().start()
afterAll(() => sources.stop())

const ok = (body: string, headers: readonly string[] = [], status = '200 OK') =>
  [
    [`HTTP/1.1 ${status}`, `Content-Length: ${body.length}`, ...headers, '', ''].join('\r\n') + body,
    'END',
  ] as const
const redirect = (location: string) => ok('', [`Location: ${location}`], '302 Found')

const start = async (body: object, by: Pick<typeof api, 'send'> = api) => {
  const response = await by.send('POST', '/files/fetch', body)
  expect(response.status).toBe(202)
  return ((await response.json()) as { data: { fetch: Fetch } }).data.fetch
}
const look = async (id: string) => (await api.data<{ fetch: Fetch }>('GET', `/files/fetch?id=${id}`)).fetch
const isOpen = ({ state }: Fetch) => state === 'waiting' || state === 'running'
/** Fetches a file and returns how that ended. A source that breaks off does so once its first bytes have arrived. */
async function fetched(body: object, isCut = false): Promise<Fetch> {
  const { id } = await start(body)
  if (isCut) {
    await eventually(async () => (await look(id)).receivedBytes > 0)
    sources.seen()
  }
  await eventually(async () => !isOpen(await look(id)))
  return look(id)
}
const failure = async (body: object, isCut = false) => {
  const { state, error, fileId } = await fetched(body, isCut)
  expect([state, fileId]).toEqual(['failed', null])
  return error?.message
}
const content = async ({ fileId }: Fetch) =>
  (await holdfast.fetch(`/api/files/download/${fileId}`, { headers: holdfast.withKey })).text()
const fileOf = async ({ fileId }: Fetch) =>
  (await api.data<{ file: FileView }>('GET', `/files?id=${fileId}`)).file

describe('fetching a file by URL', () => {
  test('stores it in a folder that is created with it, and sends nothing of the caller', async () => {
    const url = sources.at('/dir/a%20b.txt?token=secret', () => ok('hello'))
    const done = await fetched({ url, folder: 'new/deep', visibility: 'private' })
    expect(done).toMatchObject({
      url: url.replace(/\?.*/, ''),
      state: 'done',
      name: 'a b.txt',
      size: 5,
      receivedBytes: 5,
      error: null,
    })
    expect(await content(done)).toBe('hello')
    expect(await fileOf(done)).toMatchObject({ key: 'new/deep/a b.txt', visibility: 'private' })
    const head = sources.headsOf('/dir/a%20b.txt?token=secret')[0]?.toLowerCase() ?? ''
    expect(head).toContain('accept-encoding: identity')
    expect(head).toContain('user-agent: holdfast/')
    expect(head).not.toMatch(/api-key|cookie|origin|referer/)
    const { fetches } = await api.data<{ fetches: Fetch[] }>('GET', '/files/fetch')
    expect(fetches[0]?.id).toBe(done.id)
  })

  test('names it as asked, as its source says, or by the end of its path', async () => {
    const named = (path: string, disposition: string) =>
      sources.at(path, () => ok('x', [`Content-Disposition: ${disposition}`]))
    const starred = named('/1', `attachment; filename="plain.txt"; filename*=UTF-8''%E2%82%AC.txt`)
    expect((await fetched({ url: starred })).name).toBe('€.txt')
    expect((await fetched({ url: named('/2', 'inline; filename="../../up.txt"') })).name).toBe('up.txt')
    expect((await fetched({ url: starred, name: 'asked.txt' })).name).toBe('asked.txt')
    expect((await fetched({ url: sources.at('/', () => ok('x')) })).name).toBe('download')
    expect(await failure({ url: sources.at('/a%2F..', () => ok('x')) })).toContain('name')
    expect(await failure({ url: starred, name: 'asked.txt' })).toContain('asked.txt')
    expect((await fetched({ url: starred, name: 'asked.txt', onConflict: 'rename' })).name).toBe('asked.txt')
  })

  test('refuses at once what no source can be', async () => {
    for (const url of [
      'ftp://127.0.0.1/x',
      'file:///etc/passwd',
      'nothing',
      'http://user:password@127.0.0.1/x',
      `http://127.0.0.1/${'x'.repeat(2048)}`,
    ])
      expect([url, await api.status('POST', '/files/fetch', { url })]).toEqual([url, 400])
    expect(await api.status('POST', '/files/fetch', { url: 'http://127.0.0.1/', folderId: 'no' })).toBe(404)
    expect(await api.status('GET', '/files/fetch?id=no')).toBe(404)
    expect(await api.status('DELETE', '/files/fetch', { id: 'no' })).toBe(404)
  })

  test.each([
    'http://10.0.0.1/',
    'http://169.254.169.254/latest/meta-data/',
    'http://2130706434/',
    'http://0x7f.0.0.2/',
    'http://0177.0.0.2/',
    'http://127.2/',
    'http://[::1]/',
    'http://[::ffff:10.0.0.1]/',
    'http://[64:ff9b::a00:1]/',
    'http://[fe80::1]/',
    'http://[fd00::1]/',
    'http://0.0.0.0/',
  ])('refuses the address %s at once, and after a redirect', async (address) => {
    const response = await api.send('POST', '/files/fetch', { url: address })
    expect([response.status, response.headers.get('error-code')]).toEqual([400, 'address-not-allowed'])
    const path = `/to/${encodeURIComponent(address)}`
    expect(await failure({ url: sources.at(path, () => redirect(address)) })).toContain('not allowed')
  })

  test('fails for a name without an address', async () => {
    expect(await failure({ url: 'http://no-such-name.invalid/' })).toContain('has no address')
  })

  test('follows five redirects', async () => {
    for (let n = 0; n < 7; n += 1) sources.at(`/hop${n}`, () => redirect(`/hop${n + 1}`))
    sources.at('/hop7', () => ok('arrived'))
    expect(await content(await fetched({ url: `http://127.0.0.1:${sources.port}/hop2`, name: 'hops' }))).toBe(
      'arrived',
    )
    expect(await failure({ url: `http://127.0.0.1:${sources.port}/hop0` })).toContain(
      'redirects more than 5 times',
    )
    expect(await failure({ url: sources.at('/away', () => redirect('ftp://127.0.0.1/')) })).toContain('http')
    expect(await failure({ url: sources.at('/nowhere', () => redirect('http://[')) })).toContain('nowhere')
  })

  test('fails for another status, a coding and too many bytes', async () => {
    expect(await failure({ url: sources.at('/500', () => ok('secret body', [], '500 Oops')) })).toBe(
      'The source responded with 500',
    )
    expect(await failure({ url: sources.at('/206', () => ok('x', [], '206 Partial')) })).toContain('206')
    expect(await failure({ url: sources.at('/gzip', () => ok('x', ['Content-Encoding: gzip'])) })).toContain(
      'compressed',
    )
    expect(await failure({ url: sources.at('/big', () => ok('x'.repeat(11))), maxBytes: 10 })).toContain(
      'larger',
    )
    const chunked = [
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n',
      'b\r\nhello world\r\n',
      '0\r\n\r\n',
      'END',
    ]
    expect(await failure({ url: sources.at('/bigger', () => chunked), maxBytes: 10 })).toContain('larger')
    expect((await fetched({ url: sources.at('/chunked', () => chunked) })).size).toBe(11)
    expect(await failure({ url: 'http://127.0.0.1:1/' })).toContain('The request failed')
    await eventually(() => filesUnder(holdfast, 'tmp').length === 0)
  })
})

describe('a source that breaks off', () => {
  const cut = (body: string, headers: readonly string[] = [], end: Part = 'END') =>
    [['HTTP/1.1 200 OK', 'Content-Length: 10', ...headers, '', ''].join('\r\n') + body, 'SEEN', end] as const
  const STRONG = ['ETag: "one"', 'Accept-Ranges: bytes']
  const rest = (range: string, body: string) =>
    ok(body, [`Content-Range: bytes ${range}`, ...STRONG], '206 Partial Content')

  test('is continued by a range that its entity tag guards', async () => {
    const url = sources.at('/resumed', (_, count) =>
      count === 1 ? cut('0123', STRONG, 'RESET') : rest('4-9/10', '456789'),
    )
    expect(await content(await fetched({ url }, true))).toBe('0123456789')
    const [, second = ''] = sources.headsOf('/resumed')
    expect(second.toLowerCase()).toMatch(/\r\nrange: bytes=4-\r\n/)
    expect(second.toLowerCase()).toMatch(/\r\nif-range: "one"\r\n/)
  })

  test('begins again when it has changed meanwhile, or cannot be continued', async () => {
    const changed = sources.at('/changed', (_, count) =>
      count === 1 ? cut('0123', STRONG) : ok('another', ['ETag: "two"']),
    )
    expect(await content(await fetched({ url: changed }, true))).toBe('another')
    const fresh = sources.at('/fresh', (_, count) => (count === 1 ? cut('0123') : ok('0123456789')))
    expect(await content(await fetched({ url: fresh }, true))).toBe('0123456789')
    const weak = sources.at('/weak', () =>
      cut('01', ['ETag: W/"one"', 'Accept-Ranges: bytes']).filter((part) => part !== 'SEEN'),
    )
    expect(await failure({ url: weak })).toBe('The source broke off')
    expect(sources.headsOf('/weak')).toHaveLength(2)
    const endless = ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n', 'END'] as const
    expect(await failure({ url: sources.at('/endless', () => endless) })).toBe('The source broke off')
  })

  test('fails when it continues at another byte', async () => {
    for (const [n, range] of ['5-9/10', '4-8/10', '4-9/11', '4-9/*'].entries()) {
      const url = sources.at(`/other${n}`, (_, count) =>
        count === 1 ? cut('0123', STRONG) : rest(range, '456789'),
      )
      expect(await failure({ url }, true)).toBe('The source continued at another byte')
    }
  })
})

describe('a fetch under way', () => {
  /** Returns the URL of a source that sends a beginning and waits. */
  const waiting = (path: string) =>
    sources.at(path, () => ['HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\nbegun'])
  const running = (id: string) => eventually(async () => (await look(id)).state === 'running')

  test('is canceled: its connection closes, its bytes go', async () => {
    const { id } = await start({ url: waiting('/cancel') })
    await running(id)
    const { fetch } = await api.data<{ fetch: Fetch }>('DELETE', '/files/fetch', { id })
    expect(fetch).toMatchObject({ state: 'canceled', fileId: null })
    await eventually(() => filesUnder(holdfast, 'tmp').length === 0)
    expect((await api.data<{ fetch: Fetch }>('DELETE', '/files/fetch', { id })).fetch.state).toBe('canceled')
  })

  test('belongs to its account, which runs two at a time, and ends with its key', async () => {
    const user = await holdfast.addUser('editor')
    const secret = await createKey(holdfast, user.cookie, { name: 'fetching', scopes: ['files:write'] })
    const byKey = apiOf(holdfast, { withKey: { 'API-Key': secret } })
    const own = async (id: string) =>
      (await user.api.data<{ fetch: Fetch }>('GET', `/files/fetch?id=${id}`)).fetch
    const ids: string[] = []
    for (let n = 0; n < 3; n += 1)
      ids.push((await start({ url: waiting(`/key${n}`), name: `key${n}` }, byKey)).id)
    const [first = '', , third = ''] = ids
    await eventually(async () => (await own(first)).state === 'running')
    expect((await own(third)).state).toBe('waiting')
    expect(await api.status('GET', `/files/fetch?id=${first}`)).toBe(404)
    expect(await api.status('DELETE', '/files/fetch', { id: first })).toBe(404)

    const { keys } = await user.api.data<{ keys: { id: string }[] }>('GET', '/keys')
    await user.api.data('DELETE', '/keys', { id: keys[0]?.id })
    for (const id of ids) {
      await eventually(async () => !isOpen(await own(id)))
      expect(await own(id)).toMatchObject({ state: 'failed', error: { code: 'unauthorized' } })
    }
  })

  test('fails past the quota of its account, by its length or its bytes', async () => {
    const user = await holdfast.addUser('editor')
    await holdfast.bySession.data('PUT', '/users/quota', { id: user.id, quota: 10 })
    const chunked = [
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n',
      'b\r\nhello world\r\n',
      '0\r\n\r\n',
      'END',
    ]
    for (const url of [
      sources.at('/quota1', () => ok('x'.repeat(11))),
      sources.at('/quota2', () => chunked),
    ]) {
      const { id } = await start({ url }, user.api)
      const own = async () => (await user.api.data<{ fetch: Fetch }>('GET', `/files/fetch?id=${id}`)).fetch
      await eventually(async () => !isOpen(await own()))
      expect(await own()).toMatchObject({ state: 'failed', error: { code: 'quota-exceeded' } })
    }
  })

  test('is in the stream of changes of its owner', async () => {
    const leaving = new AbortController()
    const stream = await holdfast.fetch('/api/changes', { headers: holdfast.withKey, signal: leaving.signal })
    const reader = stream.body?.getReader()
    let text = ''
    const { id } = await start({ url: sources.at('/told', () => ok('x')), name: 'told' })
    while (!text.includes('"fetches"')) text += Buffer.from((await reader?.read())?.value ?? []).toString()
    leaving.abort()
    await eventually(async () => !isOpen(await look(id)))
  })

  test('of an account may wait a hundredfold', async () => {
    const user = await holdfast.addUser('editor')
    const url = waiting('/many')
    const statuses = []
    for (let n = 0; n < 101; n += 1)
      statuses.push(await user.api.status('POST', '/files/fetch', { url, name: `${n}` }))
    expect(statuses.filter((status) => status === 202)).toHaveLength(100)
    expect(statuses.at(-1)).toBe(429)
    await holdfast.bySession.data('PUT', '/users', { id: user.id, role: 'viewer' })
  })
})

test('a source that sends nothing is given up, and Holdfast is no source of its own', async () => {
  await using server = await startInsideWithAccount({
    isAlone: true,
    environment: { ...environment, FETCH_TIMEOUT_SECONDS: '1' },
  })
  const health = `${server.url}/api/health`
  for (const url of [health, sources.at('/self', () => redirect(health))]) {
    const { id } = await start({ url }, server.api)
    const own = async () => (await server.api.data<{ fetch: Fetch }>('GET', `/files/fetch?id=${id}`)).fetch
    await eventually(async () => !isOpen(await own()))
    expect((await own()).error?.message).toBe('This is the address of Holdfast itself')
  }
  const hangs = sources.at('/hangs', () => ['HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe'])
  for (const url of [hangs, sources.at('/silent', () => [])]) {
    const { id } = await start({ url }, server.api)
    const own = async () => (await server.api.data<{ fetch: Fetch }>('GET', `/files/fetch?id=${id}`)).fetch
    await eventually(async () => !isOpen(await own()))
    expect((await own()).error?.message).toBe('The source sent nothing for 1 seconds')
  }
})

test('a fetch begins again after a kill of the server, and publishes one file', async () => {
  using folder = temporaryFolder()
  const options = {
    dataPath: folder.path,
    environment: { ...environment, FETCH_TIMEOUT_SECONDS: '300' },
  }
  const url = sources.at('/killed', (_, count) =>
    count === 1 ? ['HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe'] : ok('whole'),
  )
  let id = ''
  let withKey: Record<string, string> = {}
  {
    await using server = await spawnHoldfast(options)
    ;({ withKey } = await registerWith(server))
    const own = apiOf(server, { withKey })
    ;({ id } = await start({ url, name: 'killed.txt' }, own))
    await eventually(() => sources.headsOf('/killed').length === 1)
  }
  await using server = await spawnHoldfast(options)
  const own = apiOf(server, { withKey })
  const now = async () => (await own.data<{ fetch: Fetch }>('GET', `/files/fetch?id=${id}`)).fetch
  await eventually(async () => !isOpen(await now()))
  expect(await now()).toMatchObject({ state: 'done', name: 'killed.txt', size: 5 })
  expect(filesUnder(server, 'tmp')).toEqual([])
})
