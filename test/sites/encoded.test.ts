import { beforeAll, describe, expect, test } from 'bun:test'
import type { FileDetails } from '../../src/client/types.ts'
import { sitesOf } from '../folders/sites.ts'
import { startInsideWithAccount, withHoldfast } from '../support/fixture.ts'
import type { RawAnswer } from '../support/socket.ts'
import { askingOf } from './asking.ts'

const holdfast = withHoldfast({ environment: { SITES_DOMAIN: 'sites.test' } })
const { api } = holdfast
const { make, trash } = sitesOf(holdfast)
const { ask, askAgain } = askingOf(holdfast)
const HOST = 'www.sites.test'

beforeAll(async () => {
  const folderId = await make('web', {
    ...{ 'index.html': 'start', 'index.html.br': 'br', 'index.html.zst': 'zstd', 'index.html.gz': 'gzip' },
    ...{ 'one.css': 'plain', 'one.css.gz': 'gzip', 'two.js': 'plain', 'alone.txt': 'plain' },
    ...{
      'page.html': 'plain',
      'page.html.br': 'br',
      'only.txt.br': 'br',
      '404.html': 'none',
      '404.html.br': 'br',
    },
    _headers: '/page\n  Vary: Origin\n',
  })
  await api.data('POST', '/sites', { folderId, name: 'www' })
  await api.upload('two.js.br', 'private', 'web', 'private')
})

/** Returns what tells the representations apart. */
const formOf = ({ status, headers, body }: RawAnswer) => [
  status,
  body.toString(),
  headers.get('content-encoding'),
  headers.get('vary'),
]

/** Checks a response on the slow path, on the fast path, and from its cache. */
async function check(target: string, headers: Record<string, string>, form: unknown[]) {
  expect<unknown[]>(formOf(await ask(HOST, target, headers))).toEqual(form)
  for (const answer of await askAgain(HOST, target, headers)) expect<unknown[]>(formOf(answer)).toEqual(form)
}

test('a compressed form that is older than its file is not sent, nor named by Vary', async () => {
  const folderId = await make('stale', { 'a.css': 'old', 'a.css.br': 'br of old', 'a.css.gz': 'gzip of old' })
  await api.data('POST', '/sites', { folderId, name: 'stale' })
  const accepted = { 'Accept-Encoding': 'br, gzip' }
  const forms = async () =>
    (await askingOf(holdfast).askAgain('stale.sites.test', '/a.css', accepted)).map(formOf)
  const always = (form: ReturnType<typeof formOf>) => [form, form, form, form]
  expect(await forms()).toEqual(always([200, 'br of old', 'br', 'Accept-Encoding']))

  const named = async (name: string) => (await api.list()).find((file) => file.name === name)?.id ?? ''
  await api.replace(await named('a.css'), 'new')
  expect(await forms()).toEqual(always([200, 'new', undefined, undefined]))
  await api.replace(await named('a.css.gz'), 'gzip of new')
  expect(await forms()).toEqual(always([200, 'gzip of new', 'gzip', 'Accept-Encoding']))
})

describe('a file with compressed forms beside it', () => {
  const VARY = 'Accept-Encoding'
  test.each<[string, string, string | undefined]>([
    ['/', 'gzip, deflate, br, zstd', 'br'],
    ['/', 'gzip, deflate, zstd', 'zstd'],
    ['/', 'gzip', 'gzip'],
    ['/', 'GZIP;Q=1', 'gzip'],
    ['/', 'deflate', undefined],
    ['/', '', undefined],
    ['/', '*', 'br'],
    ['/', '*;q=0', undefined],
    ['/', 'br;q=0, *', 'zstd'],
    ['/', 'br;q=0.1, gzip;q=0.9, zstd;q=0.5', 'gzip'],
    ['/', 'br;q=0.5, identity', undefined],
    ['/', 'br; q=0.5 , identity;q=0.1', 'br'],
    ['/', 'br;q=0', undefined],
    ['/', 'identity;q=0', undefined],
    ['/one.css', 'br, gzip;q=0.1', 'gzip'],
    ['/one.css', 'br', undefined],
  ])('%s for %j is sent with %p', async (target, accepted, coding) => {
    const plain = target === '/' ? 'start' : 'plain'
    await check(target, { 'Accept-Encoding': accepted }, [200, coding ?? plain, coding, VARY])
    const type = target === '/' ? 'text/html' : 'text/css'
    expect((await ask(HOST, target, { 'Accept-Encoding': accepted })).headers.get('content-type')).toBe(type)
  })

  test('has none that is private, and is none of a file that is missing', async () => {
    const accepted = { 'Accept-Encoding': 'br, gzip' }
    await check('/two.js', accepted, [200, 'plain', undefined, undefined])
    await check('/alone.txt', accepted, [200, 'plain', undefined, undefined])
    await check('/only.txt', accepted, [404, 'none', undefined, undefined])
    await check('/only.txt.br', accepted, [200, 'br', undefined, undefined])
    await check('/index.html.br', accepted, [200, 'br', undefined, undefined])
  })

  test('adds to the Vary of its rules', async () => {
    await check('/page', { 'Accept-Encoding': 'br' }, [200, 'br', 'br', 'Origin, Accept-Encoding'])
    await check('/page', {}, [200, 'plain', undefined, 'Origin, Accept-Encoding'])
  })

  test('has an entity tag for each, and ranges of the plain bytes alone', async () => {
    const accepted = { 'Accept-Encoding': 'br' }
    const plain = (await ask(HOST, '/')).headers.get('etag') ?? ''
    const encoded = (await ask(HOST, '/', accepted)).headers.get('etag') ?? ''
    expect(encoded).toEndWith('-br"')
    expect(encoded).not.toBe(plain)
    for (const answer of await askAgain(HOST, '/', accepted)) expect(answer.headers.get('etag')).toBe(encoded)
    const statusOf = async (headers: Record<string, string>) => {
      const { status } = await ask(HOST, '/', headers)
      for (const again of await askAgain(HOST, '/', headers)) expect(again.status).toBe(status)
      return status
    }
    expect(await statusOf({ ...accepted, 'If-None-Match': encoded })).toBe(304)
    expect(await statusOf({ ...accepted, 'If-None-Match': plain })).toBe(200)
    expect(await statusOf({ 'If-None-Match': plain })).toBe(304)
    expect(await statusOf({ 'If-None-Match': encoded })).toBe(200)
    expect(await statusOf({ ...accepted, 'If-Match': plain })).toBe(412)
    const part = { ...accepted, Range: 'bytes=1-2' }
    await check('/', part, [206, 'ta', undefined, VARY])
    await check('/', { ...part, 'If-Range': plain }, [206, 'ta', undefined, VARY])
    await check('/', { ...part, 'If-Range': encoded }, [200, 'start', undefined, VARY])
    const head = await ask(HOST, '/', part, 'HEAD')
    expect(['content-encoding', 'content-length', 'etag'].map((name) => head.headers.get(name))).toEqual([
      ...['br', '2', encoded],
    ])
  })

  test('is that of this moment', async () => {
    await api.upload('now.txt', 'plain', 'web')
    const accepted = { 'Accept-Encoding': 'br' }
    await check('/now.txt', accepted, [200, 'plain', undefined, undefined])
    const form = await api.upload('now.txt.br', 'br', 'web')
    await check('/now.txt', accepted, [200, 'br', 'br', VARY])
    await check('/now.txt', {}, [200, 'plain', undefined, VARY])
    await api.data('PUT', '/files', { id: form.id, visibility: 'private' })
    await check('/now.txt', accepted, [200, 'plain', undefined, undefined])
    await api.data('PUT', '/files', { id: form.id, visibility: 'public' })
    await check('/now.txt', accepted, [200, 'br', 'br', VARY])
    await trash.put({ fileIds: [form.id] })
    await check('/now.txt', accepted, [200, 'plain', undefined, undefined])
  })

  test('counts as the file', async () => {
    const environment = { SITES_DOMAIN: 'sites.test' }
    await using own = await startInsideWithAccount({ environment, isAlone: true })
    const { id } = await own.api.upload('index.html', 'start', 'a')
    await own.api.upload('index.html.br', 'br', 'a')
    await own.api.data('POST', '/sites', { folder: 'a', name: 'www' })
    const accepted = { 'Accept-Encoding': 'br' }
    await askingOf(own).ask(HOST, '/', accepted)
    await askingOf(own).askAgain(HOST, '/', accepted)
    const { traffic } = await own.api.data<FileDetails>('GET', `/files/details?id=${id}`)
    expect(traffic).toMatchObject({ requests: 5, bytes: 10 })
  })
})
