import { describe, expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import { deriveSecrets } from '../../src/access/secrets.ts'
import { createClient, uploadTo } from '../../src/client/index.ts'
import type { SignedLink as Link } from '../../src/client/types.ts'
import { apiOf } from '../support/api.ts'
import { startInsideWithAccount, withInside } from '../support/fixture.ts'
import { createKey, type FileView, filesUnder, refusalOf, TestClock } from '../support/holdfast.ts'
import { registerWith, spawnHoldfast } from '../support/process.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { metadata, pushedBody, VERSION } from './tus.ts'

const clock = new TestClock()
const SECRET = 'a secret of this test, which is long enough'
const holdfast = withInside({ clock, environment: { AUTH_SECRET: SECRET } })
const { api } = holdfast

const sign = async (rules: object = {}, by: Pick<typeof api, 'data'> = api) =>
  (await by.data<Link>('POST', '/uploads/sign', rules)).url
const put = (url: string, name = 'a.txt', body: NonNullable<RequestInit['body']> = 'text', headers = {}) =>
  holdfast.fetch(`/${url}?name=${encodeURIComponent(name)}`, { method: 'PUT', body, headers })
const post = (url: string, files: Record<string, string>) => {
  const form = new FormData()
  form.append('comment', 'ignored')
  for (const [name, content] of Object.entries(files)) form.append('any', new Blob([content]), name)
  return holdfast.fetch(`/${url}`, { method: 'POST', body: form })
}
const beginAt = (url: string, length: number, fields: Record<string, string> = { filename: 'tus.txt' }) =>
  holdfast.fetch(`/${url}`, {
    method: 'POST',
    headers: { ...VERSION, 'Upload-Length': String(length), 'Upload-Metadata': metadata(fields) },
  })
const patch = (path: string | null, offset: number, body: string) =>
  holdfast.fetch(path ?? '', {
    method: 'PATCH',
    headers: {
      ...VERSION,
      'Content-Type': 'application/offset+octet-stream',
      'Upload-Offset': String(offset),
    },
    body,
  })
const head = (path: string | null) => holdfast.fetch(path ?? '', { method: 'HEAD', headers: VERSION })
const fileIn = async (response: Response) =>
  ((await response.json()) as { data: { file: FileView } }).data.file
const codeOf = ({ status, headers }: Response) => [status, headers.get('error-code')]
const folder = async (name: string) =>
  (await api.data<{ folder: { id: string; key: string } }>('POST', '/folders', { folder: name })).folder

describe('a signed upload', () => {
  test('is one file, by PUT, by a form or by tus, without credentials', async () => {
    await folder('in')
    const byPut = await fileIn(await put(await sign({ folder: 'in', visibility: 'public' }), 'dir/put.txt'))
    expect(byPut).toMatchObject({ key: 'in/put.txt', visibility: 'public', size: 4 })
    const byForm = await fileIn(await post(await sign({ folder: 'in' }), { 'form.txt': 'form' }))
    expect(byForm.key).toBe('in/form.txt')
    const began = await beginAt(await sign({ folder: 'in' }), 4)
    expect(began.status).toBe(201)
    const path = began.headers.get('location')
    expect((await patch(path, 0, 'tu')).status).toBe(204)
    expect((await head(path)).headers.get('upload-offset')).toBe('2')
    const done = await patch(path, 2, 's!')
    const id = done.headers.get('holdfast-file-id') ?? ''
    const { file } = await api.data<{ file: FileView }>('GET', `/files?id=${id}`)
    expect(file.key).toBe('in/tus.txt')
    // A client that missed the last response can ask.
    expect((await head(path)).headers.get('holdfast-file-id')).toBe(id)
    const { activities } = await holdfast.bySession.data<{ activities: { type: string; target: string }[] }>(
      'GET',
      '/activity?limit=3',
    )
    expect(activities.slice(0, 3).map(({ type, target }) => `${type} ${target}`)).toEqual([
      'upload.succeeded tus.txt',
      'upload.succeeded form.txt',
      'upload.succeeded put.txt',
    ])
    const chosen = await put(await sign({ folder: 'in', visibility: 'public' }), '_redirects')
    expect(await refusalOf(chosen)).toEqual([400, 'The sender cannot choose the name "_redirects"'])
  })

  test('is used once, however it is replayed', async () => {
    const url = await sign()
    expect((await put(url, 'once.txt')).status).toBe(200)
    for (const again of [
      await put(url, 'other.txt'),
      await post(url, { 'other.txt': 'x' }),
      await beginAt(url, 3),
    ])
      expect(codeOf(again)).toEqual([410, 'upload-link-used'])
    expect((await holdfast.fetch('/api/hosting/other.txt', { headers: holdfast.withKey })).status).toBe(404)
  })

  test('of many at once by one link is published once', async () => {
    const url = await sign()
    const responses = await Promise.all(
      Array.from({ length: 6 }, (_, n) =>
        n % 2 ? put(url, `race ${n}.txt`) : post(url, { [`race ${n}.txt`]: 'x' }),
      ),
    )
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 410, 410, 410, 410, 410])
    const { files } = await api.data<{ files: FileView[] }>('GET', '/files')
    expect(files.filter(({ name }) => name.startsWith('race'))).toHaveLength(1)
  })

  test('that is refused or breaks off uses nothing up', async () => {
    const url = await sign({ types: ['.txt'], maxBytes: 5 })
    expect(codeOf(await put(url, 'no.png'))).toEqual([415, 'type-not-accepted'])
    expect(codeOf(await put(url, 'long.txt', 'longer'))).toEqual([413, 'too-large'])
    const wrong = { 'Content-Digest': 'sha-256=:n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=:' }
    expect((await put(url, 'digest.txt', 'else', wrong)).status).toBe(400)
    const cut = pushedBody()
    const leaving = new AbortController()
    const sent = fetch(`${holdfast.url}/${url}?name=cut.txt`, {
      method: 'PUT',
      body: cut.body,
      signal: leaving.signal,
    }).catch(() => undefined)
    cut.push('cu')
    leaving.abort()
    await sent
    expect((await put(url, 'whole.txt')).status).toBe(200)
  })

  test('of two resumable ones, the first to end wins, and the other is removed', async () => {
    const url = await sign({ onConflict: 'rename' })
    const [one, two, three] = [await beginAt(url, 4), await beginAt(url, 4), await beginAt(url, 4)].map(
      ({ headers }) => headers.get('location'),
    )
    expect(codeOf(await beginAt(url, 4))).toEqual([413, 'too-many'])
    expect((await patch(two ?? '', 0, 'tw')).status).toBe(204)
    const ends = await Promise.all([patch(one ?? '', 0, 'one!'), patch(two ?? '', 2, 'o!')])
    expect(ends.map(({ status }) => status).sort()).toEqual([204, 410])
    expect(codeOf(await patch(three ?? '', 0, 'thr'))).toEqual([410, 'upload-link-used'])
    expect((await head(three ?? '')).status).toBe(410)
  })

  test('cannot be continued by another link, by members, or later than an hour after it began', async () => {
    const [url, other] = [await sign({ expiresIn: 60, onConflict: 'rename' }), await sign()]
    const path = (await beginAt(url, 4)).headers.get('location') ?? ''
    const id = path.slice(path.lastIndexOf('/') + 1)
    expect((await patch(`/${other}/${id}`, 0, 'x')).status).toBe(404)
    expect(await api.status('GET', `/uploads/${id}`)).toBe(404)
    clock.advance(3_500_000)
    expect((await patch(path, 0, 'x')).status).toBe(204)
    clock.advance(101_000)
    expect(codeOf(await patch(path, 1, 'x'))[0]).toBe(404)
    clock.advance(3_600_000)
    expect(codeOf(await patch(path, 1, 'x'))).toEqual([410, 'upload-link-expired'])
  })
})

describe('a link', () => {
  test('names an existing folder, and its rules are judged when it is signed', async () => {
    expect(await api.refusal('POST', '/uploads/sign', { folder: 'nowhere' })).toEqual([
      404,
      'Folder not found',
    ])
    expect((await api.refusal('POST', '/uploads/sign', { folderId: 'nowhere' }))[0]).toBe(404)
    for (const rules of [
      { maxBytes: 0 },
      { maxBytes: 1.5 },
      { types: ['*'] },
      { onConflict: 'skip' },
      { onConflict: 'replace' },
      { expiresIn: 'soon' },
      { name: 'a/b' },
      { visibility: 'secret' },
      { types: Array.from({ length: 50 }, (_, n) => `application/${'x'.repeat(40)}${n}`) },
    ])
      expect([rules, await api.status('POST', '/uploads/sign', rules)]).toEqual([rules, 400])
    expect(await api.status('GET', '/folders?key=nowhere')).toBe(404)
  })

  test('has a lifetime like links to files', async () => {
    const until = async (expiresIn?: number) => {
      const { expiresAt } = await api.data<Link>('POST', '/uploads/sign', { expiresIn })
      return Math.round((Date.parse(expiresAt) - clock.now()) / 1000)
    }
    expect([await until(2.9), await until(-5), await until(1e9), await until()]).toEqual([
      2, 1, 604_800, 3600,
    ])
    const url = await sign({ expiresIn: 10 })
    clock.advance(10_000)
    expect(codeOf(await put(url))).toEqual([410, 'upload-link-expired'])
  })

  test('leads to its folder, wherever that moves, and to no other of its name', async () => {
    const { id } = await folder('moving')
    const [first, second] = [await sign({ folderId: id }), await sign({ folder: 'moving' })]
    await api.data('PUT', '/folders', { id, name: 'moved' })
    expect((await fileIn(await put(first, 'm.txt'))).key).toBe('moved/m.txt')
    await api.data('DELETE', '/folders', { id })
    await folder('moved')
    expect(codeOf(await put(second))).toEqual([410, 'upload-link-ended'])
  })

  test('fixes a name, and decides what a taken one means', async () => {
    await api.upload('taken.txt', 'old')
    expect(codeOf(await put(await sign(), 'taken.txt'))).toEqual([409, 'name-taken'])
    expect((await fileIn(await put(await sign({ onConflict: 'rename' }), 'taken.txt'))).name).toBe(
      'taken (2).txt',
    )
    const url = await sign({ name: 'taken.txt', onConflict: 'replace' })
    expect(await fileIn(await put(url, 'else.txt', 'newer'))).toMatchObject({ name: 'taken.txt', size: 5 })
    expect(codeOf(await put(url, 'else.txt', 'newest'))).toEqual([410, 'upload-link-used'])
    const tus = await beginAt(await sign({ name: 'taken.txt', onConflict: 'replace' }), 6, { filename: 'z' })
    expect((await patch(tus.headers.get('location'), 0, 'by tus')).status).toBe(204)
    const served = await holdfast.fetch('/api/hosting/taken.txt', { headers: holdfast.withKey })
    expect(await served.text()).toBe('by tus')
    expect((await put(await sign(), '')).status).toBe(400)
    expect((await beginAt(await sign(), 1, { filename: 'x', replaces: 'id' })).status).toBe(400)
    expect((await post(await sign(), { a: 'x', b: 'y' })).status).toBe(400)
    expect((await post(await sign(), {})).status).toBe(400)
  })

  test('ends with its key, account, role or folder, and works again when the right is back', async () => {
    const user = await holdfast.addUser('editor')
    const secret = await createKey(holdfast, user.cookie, { name: 'app', scopes: ['files:write'] })
    const byKey = apiOf(holdfast, { withKey: { 'API-Key': secret } })
    const [ofKey, ofUser] = [await sign({ onConflict: 'rename' }, byKey), await sign({}, user.api)]
    const path = (await beginAt(ofKey, 2)).headers.get('location')
    const change = (changes: object) => holdfast.bySession.data('PUT', '/users', { id: user.id, ...changes })
    const ended = [410, 'upload-link-ended']

    await change({ role: 'viewer' })
    for (const url of [ofKey, ofUser]) expect(codeOf(await put(url, 'u.txt'))).toEqual(ended)
    expect(codeOf(await patch(path, 0, 'x'))).toEqual(ended)
    await change({ role: 'custom', scopes: ['files:write'] })
    expect(codeOf(await put(ofKey, 'u.txt'))).toEqual(ended)
    await change({ role: 'editor' })
    const { keys } = await user.api.data<{ keys: { id: string }[] }>('GET', '/keys')
    await user.api.data('DELETE', '/keys', { id: keys[0]?.id })
    expect(codeOf(await put(ofKey, 'k.txt'))).toEqual(ended)
    await change({ disabled: true })
    expect(codeOf(await put(ofUser, 'u.txt'))).toEqual(ended)
    await change({ disabled: false })
    expect((await put(ofUser, 'u.txt')).status).toBe(200)
  })

  test('of an account that loses its right while the body arrives publishes nothing', async () => {
    const user = await holdfast.addUser('editor')
    const url = await sign({}, user.api)
    const pushed = pushedBody()
    const sent = fetch(`${holdfast.url}/${url}?name=late.txt`, { method: 'PUT', body: pushed.body })
    pushed.push('a')
    await holdfast.bySession.data('PUT', '/users', { id: user.id, role: 'viewer' })
    pushed.push('b')
    pushed.close()
    expect(codeOf(await sent)).toEqual([410, 'upload-link-ended'])
  })

  test('counts for the quota of its account, and tells nothing about it', async () => {
    const user = await holdfast.addUser('editor')
    const url = await sign({}, user.api)
    await holdfast.bySession.data('PUT', '/users/quota', { id: user.id, quota: 10 })
    const full: [number, string] = [507, 'The file does not fit: the storage is full']
    expect(await refusalOf(await put(url, 'big.txt', 'x'.repeat(11)))).toEqual(full)
    expect(await refusalOf(await beginAt(url, 11, { filename: 'tus full.txt' }))).toEqual(full)
    const file = await fileIn(await put(url, 'fits.txt', 'x'.repeat(10)))
    const { uploadedBy } = await api.data<{ uploadedBy: { id: string } }>(
      'GET',
      `/files/details?id=${file.id}`,
    )
    expect(uploadedBy.id).toBe(user.id)
  })

  test('is no credential that was forged, spelled differently or made with another secret', async () => {
    const url = await sign()
    const [payload = '', signature = ''] = (url.split('/').at(-1) ?? '').split('.')
    const last = signature.at(-1) ?? ''
    const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const neighbour = letters[letters.indexOf(last) ^ 1] ?? ''
    const longer = JSON.parse(Buffer.from(payload, 'base64url').toString()) as unknown[]
    longer[3] = Number(longer[3]) + 1
    const forged = Buffer.from(JSON.stringify(longer)).toString('base64url')
    const [own, secrets] = [deriveSecrets(SECRET), deriveSecrets('another secret, which is long enough')]
    const by = (key: Uint8Array) => createHmac('sha256', key).update(payload).digest('base64url')
    for (const token of [
      `${payload}.${signature.slice(0, -1)}${neighbour}`,
      `${payload}.${signature}=`,
      `${payload}=.${signature}`,
      `${forged}.${signature}`,
      `${payload}.${by(secrets.upload)}`,
      `${payload}.${by(own.link)}`,
      `${payload}.${by(own.share)}`,
      `${payload}.${signature}.${signature}`,
      payload,
      'x',
    ]) {
      const response = await put(`api/uploads/signed/${token}`)
      expect([token, ...codeOf(response)]).toEqual([token, 404, 'upload-link-not-found'])
    }
    expect((await put(url, 'genuine.txt')).status).toBe(200)
  })

  test('needs the scope to write, and a bound key signs for its folder alone', async () => {
    const reader = await holdfast.byKey('files:read')
    expect(await reader.status('POST', '/uploads/sign', {})).toBe(403)
    const { id } = await folder('bound')
    const secret = await createKey(holdfast, holdfast.cookie, {
      name: 'bound',
      scopes: ['files:read', 'files:write'],
      folderId: id,
    })
    const bound = apiOf(holdfast, { withKey: { 'API-Key': secret } })
    expect(await bound.status('POST', '/uploads/sign', { folder: 'in' })).toBe(404)
    expect(await bound.status('POST', '/uploads/sign', { folderId: (await folder('out')).id })).toBe(404)
    expect((await fileIn(await put(await sign({}, bound), 'b.txt'))).key).toBe('bound/b.txt')
  })
})

describe('pages of any origin', () => {
  const ORIGIN = { Origin: 'https://app.example' }

  test('may send to a link, and read what comes, refusals too', async () => {
    const url = await sign()
    const preflight = await holdfast.fetch(`/${url}`, {
      method: 'OPTIONS',
      headers: { ...ORIGIN, 'Access-Control-Request-Method': 'PUT' },
    })
    expect(preflight.headers.get('access-control-allow-methods')).toContain('PUT')
    expect(preflight.headers.get('access-control-allow-headers')).toContain('Upload-Offset')
    const foreign = { ...ORIGIN, Cookie: holdfast.cookie, 'API-Key': 'hf_wrong' }
    const responses = [
      preflight,
      await put('api/uploads/signed/x', 'a', 'x', foreign),
      await put(url, 'origin.txt', 'x', foreign),
      await put(url, 'origin.txt', 'x', foreign),
      await holdfast.fetch(`/${url}`, { headers: ORIGIN }),
    ]
    expect(responses.map(({ status }) => status)).toEqual([204, 404, 200, 410, 405])
    for (const { headers } of responses) {
      expect(headers.get('access-control-allow-origin')).toBe('*')
      expect(headers.get('access-control-allow-credentials')).toBeNull()
      expect(headers.get('access-control-expose-headers')).toContain('Error-Code')
    }
  })

  test('upload by the typed client', async () => {
    const client = createClient({ url: holdfast.url, key: holdfast.key })
    const { url } = await client.uploads.sign({ maxBytes: 100 })
    let loaded = 0
    const file = await uploadTo(
      url,
      { name: 'by client.txt', content: 'client' },
      { onProgress: (progress) => (loaded = progress.loaded) },
    )
    expect([file.key, loaded]).toEqual(['by client.txt', 6])
    const again = uploadTo(url, { name: 'x', content: 'x' })
    expect(again).rejects.toMatchObject({ status: 410, code: 'upload-link-used' })
  })
})

test('the log has no signed link', async () => {
  const lines: string[] = []
  await using server = await startInsideWithAccount({ environment: { LOG_LEVEL: 'debug' } })
  const { url } = await server.api.data<Link>('POST', '/uploads/sign', {})
  await server.fetch(`/${url}?name=logged.txt`, { method: 'PUT', body: 'x' })
  for (const { message, error } of server.logged) lines.push(`${message} ${JSON.stringify(error)}`)
  expect(JSON.stringify([lines, server.securityLines])).not.toContain(url.slice(-20))
})

test('a link survives a crash while its body arrives, and nothing of that stays', async () => {
  using folder = temporaryFolder()
  const dataPath = folder.path
  let url = ''
  {
    await using server = await spawnHoldfast({ dataPath })
    const { withKey } = await registerWith(server)
    ;({ url } = await apiOf(server, { withKey }).data<Link>('POST', '/uploads/sign', { name: 'crash.txt' }))
    const pushed = pushedBody()
    const sent = fetch(`${server.url}/${url}`, { method: 'PUT', body: pushed.body }).catch(() => undefined)
    pushed.push('half')
    server.child.kill('SIGKILL')
    await server.child.exited
    await sent
  }
  await using server = await spawnHoldfast({ dataPath })
  expect((await server.fetch(`/${url}`, { method: 'PUT', body: 'whole' })).status).toBe(200)
  expect(filesUnder(server, 'tmp')).toEqual([])
})
