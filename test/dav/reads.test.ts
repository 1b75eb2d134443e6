import { describe, expect, test } from 'bun:test'
import { basic, davOf, problemOf, propertiesIn } from '../support/dav.ts'
import { withHoldfast } from '../support/fixture.ts'
import { ADMIN, createKey } from '../support/holdfast.ts'

const holdfast = withHoldfast()
const { api } = holdfast
const dav = davOf(holdfast, () => basic(holdfast.key))

/** Names that need an escape somewhere. */
const NAMES = [
  'plain.txt',
  'a b.txt',
  '100%.txt',
  '%41.txt',
  '#1.txt',
  'a&b<c>.txt',
  'ä ✓ 😀.txt',
  "it's(1)~!*.txt",
  'q?x=1;y.txt',
]

describe('OPTIONS', () => {
  test('names the classes and the methods without credentials', async () => {
    const response = await holdfast.fetch('/dav/anything', { method: 'OPTIONS' })
    expect(response.status).toBe(200)
    expect(response.headers.get('dav')).toBe('1, 2, 3')
    expect(response.headers.get('allow')).toContain('PROPFIND')
  })
})

test('a failure has its message and its precondition in XML', async () => {
  const failed = async (...sent: Parameters<typeof dav.send>) => problemOf(await dav.send(...sent))
  await api.createFolder('failures & <more>')
  expect(await failed('GET', 'nowhere.txt')).toEqual({
    ...{ status: 404, code: 'not-found', message: 'Not found', preconditions: [] },
  })
  const name = `${'x'.repeat(250)}&<\u0001`
  expect((await failed('PUT', encodeURIComponent(name), {}, 'x')).status).toBe(400)
  expect(await failed('PATCH', 'nowhere.txt')).toMatchObject({ status: 405, code: 'method-not-allowed' })
  expect(await failed('PROPFIND', '', { Depth: 'infinity' })).toMatchObject({
    status: 403,
    preconditions: ['propfind-finite-depth'],
  })
  expect(await failed('PROPFIND', '', { Depth: '2' })).toMatchObject({ status: 400, code: 'invalid' })
  const strangers = davOf(holdfast, () => ({}))
  const refused = await strangers.send('PROPFIND', '', { Depth: '0' })
  expect(refused.headers.get('www-authenticate')).toStartWith('Basic')
  expect(await problemOf(refused)).toMatchObject({ status: 401 })
  const editor = await holdfast.addUser('editor')
  await holdfast.bySession.data('PUT', '/users/quota', { id: editor.id, quota: 1 })
  const full = davOf(holdfast, () => basic(ADMIN.password, editor.email))
  expect(await problemOf(await full.send('PUT', 'too much.txt', {}, 'xx'))).toMatchObject({
    ...{ status: 507, code: 'quota-exceeded', preconditions: ['quota-not-exceeded'] },
  })
  const protectedOne =
    '<propertyupdate xmlns="DAV:"><set><prop><getetag>x</getetag></prop></set></propertyupdate>'
  const patched = await (await dav.send('PROPPATCH', '', {}, protectedOne)).text()
  expect(patched).toContain('cannot-modify-protected-property')
})

describe('a listing', () => {
  test('has each name by a path that leads back to it', async () => {
    for (const name of NAMES) await api.upload(name, name, 'names')
    const paths = (await dav.list('names')).slice(1)
    expect(paths.map((path) => decodeURIComponent(path.slice('/dav/names/'.length))).sort()).toEqual(
      [...NAMES].sort(),
    )
    for (const path of paths) {
      const response = await holdfast.fetch(path, { headers: basic(holdfast.key) })
      expect(await response.text()).toBe(decodeURIComponent(path.slice('/dav/names/'.length)))
    }
  })

  test('describes files and folders by the values that a download has', async () => {
    await api.createFolder('described/below')
    await api.upload('a.txt', 'ä', 'described')
    const found = await dav.find('described/', '1')
    expect(Object.keys(found)).toEqual(['/dav/described/', '/dav/described/below/', '/dav/described/a.txt'])
    expect(found['/dav/described/']?.[200]?.['resourcetype']).toContain('collection')
    const download = await dav.send('GET', 'described/a.txt')
    expect(found['/dav/described/a.txt']?.[200]).toMatchObject({
      resourcetype: '',
      getcontentlength: '2',
      getcontenttype: 'text/plain; charset=utf-8',
      getetag: download.headers.get('etag') ?? '',
      getlastmodified: download.headers.get('last-modified') ?? '',
    })
  })

  test('has what a client asks for, and says what there is not', async () => {
    await api.upload('asked.txt', '12345')
    const found = await dav.find('asked.txt', '0', '<getcontentlength/><x xmlns="urn:x"/><y xmlns=""/>')
    expect(found['/dav/asked.txt']).toEqual({
      200: { getcontentlength: '5' },
      404: { '{urn:x}x': '', '{}y': '' },
    })
    const names = await dav.send(
      'PROPFIND',
      'asked.txt',
      { Depth: '0' },
      '<propfind xmlns="DAV:"><propname/></propfind>',
    )
    expect(Object.keys(propertiesIn(await names.text())['/dav/asked.txt']?.[200] ?? {})).toContain('getetag')
  })

  test('of a long folder is complete', async () => {
    const key = 'long'
    for (let part = 0; part < 6; part += 1)
      await holdfast.sendUpload(
        Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`${part}-${index}.txt`, 'x'])),
        { folder: key },
      )
    await api.createFolder('long/below')
    expect(await dav.list(key)).toHaveLength(602)
  })

  test('of the whole tree is refused by its name', async () => {
    for (const headers of [{ Depth: 'infinity' }, {}]) {
      const response = await dav.send('PROPFIND', '', headers)
      expect(response.status).toBe(403)
      expect(await response.text()).toContain('propfind-finite-depth')
    }
  })

  test('of bodies that are no "propfind" is refused', async () => {
    const bodies = [
      '<a',
      '<a/>',
      '<propfind xmlns="DAV:"/>',
      '<!DOCTYPE a><propfind xmlns="DAV:"><allprop/></propfind>',
    ]
    for (const body of bodies) expect(await dav.status('PROPFIND', '', { Depth: '0' }, body)).toBe(400)
    expect(await dav.status('PROPFIND', '', { Depth: '2' })).toBe(400)
    expect(await dav.status('PROPFIND', '', { Depth: '0' }, 'x'.repeat(65_537))).toBe(413)
  })

  test('has the room of the account', async () => {
    const { 'quota-available-bytes': available, 'quota-used-bytes': used } = await dav.properties(
      '',
      '<quota-available-bytes/><quota-used-bytes/>',
    )
    expect(Number(available)).toBeGreaterThan(0)
    expect(Number(used)).toBeGreaterThan(0)
  })
})

describe('a file', () => {
  test('is read in parts, and again by its tag', async () => {
    await api.upload('parts.txt', '0123456789')
    const part = await dav.send('GET', 'parts.txt', { Range: 'bytes=2-4' })
    expect([part.status, await part.text()]).toEqual([206, '234'])
    const again = await dav.send('GET', 'parts.txt', { 'If-None-Match': part.headers.get('etag') ?? '' })
    expect(again.status).toBe(304)
    const head = await dav.send('HEAD', 'parts.txt')
    expect([head.status, head.headers.get('content-length')]).toEqual([200, '10'])
  })

  test('that is missing is 404, and a folder has no bytes', async () => {
    await api.createFolder('empty')
    expect(await dav.status('GET', 'missing.txt')).toBe(404)
    expect(await dav.status('PROPFIND', 'missing.txt', { Depth: '0' })).toBe(404)
    expect(await dav.status('GET', 'empty/')).toBe(405)
    expect(await dav.status('GET', '%2e%2e/x')).toBe(404)
    expect(await dav.status('GET', 'a%2Fb')).toBe(404)
    expect(await dav.status('GET', '%ff')).toBe(400)
  })
})

describe('methods', () => {
  test('of WebDAV are known below /dav/ only', async () => {
    expect(await api.status('PROPFIND', '/files')).toBe(405)
    expect(await api.status('MKCOL', '/me')).toBe(405)
    const post = await dav.send('POST', '')
    expect([post.status, post.headers.get('allow')]).toEqual([405, expect.stringContaining('PROPFIND')])
  })
})

describe('credentials', () => {
  const status = async (headers: Record<string, string>) =>
    (await holdfast.fetch('/dav/', { method: 'PROPFIND', headers: { Depth: '0', ...headers } })).status

  test('that are missing or wrong are asked for', async () => {
    for (const headers of [
      {},
      basic('wrong'),
      basic('hf_'.padEnd(67, '0')),
      { Authorization: 'Basic ?' },
      { Authorization: 'Bearer x' },
    ]) {
      const response = await holdfast.fetch('/dav/', {
        method: 'PROPFIND',
        headers: { Depth: '0', ...headers },
      })
      expect(response.status).toBe(401)
      expect(response.headers.get('www-authenticate')).toBe('Basic realm="Holdfast", charset="UTF-8"')
    }
  })

  test('never come from a cookie', async () => {
    expect(await status({ Cookie: holdfast.cookie })).toBe(401)
  })

  test('of an API key end with it, and have its scopes', async () => {
    const secret = await createKey(holdfast, holdfast.cookie, { name: 'writes', scopes: ['files:write'] })
    expect(await status(basic(secret))).toBe(403)
    const reading = await createKey(holdfast, holdfast.cookie, { name: 'reads', scopes: ['files:read'] })
    expect(await status(basic(reading))).toBe(207)
    const { keys } = await holdfast.bySession.data<{ keys: { id: string; name: string }[] }>('GET', '/keys')
    const id = keys.find(({ name }) => name === 'reads')?.id
    await holdfast.bySession.data('DELETE', '/keys', { id })
    expect(await status(basic(reading))).toBe(401)
  })
})
