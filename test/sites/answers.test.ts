import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { FileDetails, SignedSite, Site, SiteMiss, Sites } from '../../src/client/types.ts'
import { sitesOf } from '../folders/sites.ts'
import {
  startAgain,
  startInsideWithAccount,
  startWithAccount,
  withHoldfast,
  withInside,
} from '../support/fixture.ts'
import { TestClock } from '../support/holdfast.ts'
import { type RawAnswer, rawRequest } from '../support/socket.ts'
import { askingOf, OURS, PAGE, rowOf, told } from './asking.ts'

const holdfast = withHoldfast({ environment: { SITES_DOMAIN: 'sites.test' } })
const { api } = holdfast
const { trash, make, replace } = sitesOf(holdfast)

const { ask, askAgain } = askingOf(holdfast)

const create = async (fields: object) => (await api.data<{ site: Site }>('POST', '/sites', fields)).site

beforeAll(async () => {
  const folderId = await make('web/www', {
    'index.html': 'start',
    'about.html': 'about',
    plain: 'plain',
    'plain.html': 'shadowed',
    'both/index.html': 'both folder',
    'both.html': 'both page',
    'docs/index.html': 'docs',
    'docs/404.html': 'docs 404',
    'docs/deep/er/page.html': 'page',
    '404.html': 'root 404',
    'größe/index.html': 'größe',
    'a b/c%d.txt': 'odd',
    'evil.example/index.html': 'evil',
    '.env': 'secret',
    'docs/.git/config': 'secret',
    '.well-known/security.txt': 'contact',
    _headers: 'rules',
    _redirects: 'rules',
    'docs/_headers': 'a file',
    'app.JS': '"ü"',
    'sitemap.xml': '<ü/>',
    'drawing.svg': '<svg>ü</svg>',
    'data.json': '"ü"',
    'api/health': 'mine',
  })
  await create({ folderId, name: 'www', domains: ['www.example.org', 'bücher.example'] })
  await api.upload('private.html', 'private', 'web/www', 'private')
  const app = await make('web/app', { 'index.html': 'app', 'main.js': 'script' })
  await create({ folderId: app, name: 'app', spa: true })
  const fallback = await make('web/fallback', {
    'index.html': 'start',
    '200.html': 'fallback',
    '404.html': 'none',
  })
  await create({ folderId: fallback, name: 'fallback' })
})

describe('a path', () => {
  test.each([
    ['/', 200, 'start'],
    ['/index.html', 200, 'start'],
    ['/about', 200, 'about'],
    ['/about.html', 200, 'about'],
    ['/about/', 301, '/about'],
    ['/about/?a=1&b=2', 301, '/about?a=1&b=2'],
    ['/about?x', 200, 'about'],
    ['/plain', 200, 'plain'],
    ['/docs', 301, '/docs/'],
    ['/docs?q=a%20b', 301, '/docs/?q=a%20b'],
    ['/docs/', 200, 'docs'],
    ['/docs/index', 200, 'docs'],
    ['/both', 200, 'both page'],
    ['/both/', 200, 'both folder'],
    ['/gr%C3%B6%C3%9Fe', 301, '/gr%C3%B6%C3%9Fe/'],
    ['/a%20b/c%25d.txt', 200, 'odd'],
    ['/About', 404, 'root 404'],
    ['/missing', 404, 'root 404'],
    ['/docs/missing', 404, 'docs 404'],
    ['/docs/deep/er/missing', 404, 'docs 404'],
    ['/docs/deep/er/none/', 404, 'docs 404'],
    ['/404.html', 200, 'root 404'],
    ['/private.html', 404, 'root 404'],
    ['/private', 404, 'root 404'],
    ['//', 404, 'root 404'],
    ['//evil.example', 404, 'root 404'],
    ['//evil.example/', 404, 'root 404'],
    ['/docs//', 404, 'root 404'],
    ['/%2F%2Fevil.example', 404, 'root 404'],
    ['/\\evil.example', 404, 'root 404'],
    ['/%5Cevil.example', 404, 'root 404'],
    ['/docs/../about', 404, 'root 404'],
    ['/docs/%2e%2e/about', 404, 'root 404'],
    ['/about%00', 404, 'root 404'],
    ['/about%ff', 404, 'root 404'],
    ['/about%', 404, 'root 404'],
    ['/.env', 404, 'root 404'],
    ['/%2Eenv', 404, 'root 404'],
    ['/docs/.git/config', 404, 'root 404'],
    ['/.well-known/security.txt', 200, 'contact'],
    ['/_headers', 404, 'root 404'],
    ['/_redirects', 404, 'root 404'],
    ['/docs/_headers', 200, 'a file'],
    ['/api/health', 200, 'mine'],
    ['/api/health/ready', 404, 'root 404'],
    ['/api/hosting/web/www/about.html', 404, 'root 404'],
    ['/api/sites/ask?domain=www.sites.test', 404, 'root 404'],
    ['/api/s/x', 404, 'root 404'],
    ['/dav/', 404, 'root 404'],
    ['/metrics', 404, 'root 404'],
    ['/login', 404, 'root 404'],
    ['/favicon.ico', 404, 'root 404'],
    [`/${'a/'.repeat(3000)}`, 404, 'root 404'],
  ])('%s', async (target, status, text) => {
    expect(rowOf(await ask('www.sites.test', target))).toEqual([status, text])
    expect(rowOf(await ask('www.sites.test', target, PAGE))).toEqual([status, text])
    for (const answer of await askAgain('www.sites.test', target))
      expect(rowOf(answer)).toEqual([status, text])
    const head = await ask('www.sites.test', target, {}, 'HEAD')
    expect([head.status, head.body.length]).toEqual([status, 0])
  })

  test.each([
    ['app', '/', PAGE, 200, 'app'],
    ['app', '/users/7', PAGE, 200, 'app'],
    ['app', '/users/7/', PAGE, 200, 'app'],
    ['app', '/users/7', {}, 404, OURS],
    ['app', '/missing.js', PAGE, 404, OURS],
    ['app', '/main.js', PAGE, 200, 'script'],
    ['app', '/.env', PAGE, 404, OURS],
    ['fallback', '/users/7', PAGE, 200, 'fallback'],
    ['fallback', '/users/7', {}, 404, 'none'],
    ['fallback', '/', PAGE, 200, 'start'],
  ])('of a site with a page for the others: %s%s %o', async (site, target, headers, status, text) => {
    expect(rowOf(await ask(`${site}.sites.test`, target, headers))).toEqual([status, text])
    for (const answer of await askAgain(`${site}.sites.test`, target, headers))
      expect(rowOf(answer)).toEqual([status, text])
  })

  test.each([
    ['app', '/users/7', 'Accept'],
    ['app', '/users/7/', 'Accept'],
    ['app', '/', undefined],
    ['app', '/main.js', undefined],
    ['app', '/missing.js', undefined],
    ['app', '/.env', undefined],
    ['fallback', '/users/7', 'Accept'],
    ['fallback', '/', undefined],
    ['www', '/missing', undefined],
  ])('depends on Accept where a page takes the place of others: %s%s', async (site, target, vary) => {
    for (const headers of [PAGE, {}])
      for (const answer of await askAgain(`${site}.sites.test`, target, headers))
        expect([headers, answer.headers.get('vary')]).toEqual([headers, vary])
  })

  test('takes GET and HEAD alone', async () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'])
      for (const target of ['/', '/api/files', '/dav/', '/missing']) {
        const { status, headers } = await ask('www.sites.test', target, { 'API-Key': 'none' }, method)
        expect([method, status, headers.get('allow')]).toEqual([method, 405, 'GET, HEAD'])
      }
  })
})

describe('a host', () => {
  test.each([
    'www.sites.test',
    'WWW.Sites.TEST',
    'www.sites.test:8080',
    'www.sites.test.',
    'www.sites.test.:80',
    'www.example.org',
    'xn--bcher-kva.example',
  ])('%s is that of the site', async (host) => {
    expect(told(await ask(host, '/about'))).toEqual([200, 'about'])
    expect(told(await ask('files.example', `http://${host}/about`))).toEqual([200, 'about'])
  })

  test.each(['sites.test', 'none.sites.test', 'a.www.sites.test', 'www..sites.test', 'xn--.sites.test'])(
    '%s is none of a site',
    async (host) => {
      for (const target of ['/', '/about', '/api/health', '/api/hosting/web/www/about.html'])
        expect([400, 404]).toContain((await ask(host, target)).status)
    },
  )

  test.each([
    'holdfast.test',
    '127.0.0.1',
    'wwwsites.test',
    'example.org',
    'www.sites.test.example',
    '[::1]:80',
  ])('%s is that of the instance', async (host) => {
    expect((await ask(host, '/api/health')).status).toBe(200)
    expect((await ask(host, '/api/hosting/web/www/about.html')).body.toString()).toBe('about')
  })

  test('is that of X-Forwarded-Host from a trusted proxy alone', async () => {
    const forwarded = { 'X-Forwarded-Host': 'www.sites.test' }
    expect((await ask('holdfast.test', '/about', forwarded)).status).toBe(404)
    const environment = { SITES_DOMAIN: 'sites.test', TRUST_PROXY: '127.0.0.1' }
    await using own = await startWithAccount({ environment })
    await own.api.upload('index.html', 'start', 'a')
    await own.api.data('POST', '/sites', { folder: 'a', name: 'www' })
    const by = async (host: string, lines: string[]) =>
      told(await rawRequest(own.port, ['GET / HTTP/1.1', `Host: ${host}`, ...lines]))
    expect(await by('holdfast', ['X-Forwarded-Host: www.sites.test'])).toEqual([200, 'start'])
    expect(await by('holdfast', ['X-Forwarded-Host: www.sites.test:443, inner'])).toEqual([200, 'start'])
    expect(await by('www.sites.test', [])).toEqual([200, 'start'])
    expect((await by('www.sites.test', ['X-Forwarded-Host: none.sites.test']))[0]).toBe(404)
  })
})

describe('a host of the instance', () => {
  test('stays its own when a site has named it before', async () => {
    const environment = { SITES_DOMAIN: 'sites.test' }
    await using before = await startInsideWithAccount({ environment })
    await before.api.upload('index.html', 'start', 'a')
    const domains = ['files.example', 'app.example', 'www.example']
    await before.api.data('POST', '/sites', { folder: 'a', name: 'www', domains })
    await before.stop()

    const named = { BASE_URL: 'http://files.example', TRUSTED_ORIGINS: 'http://app.example' }
    await using own = await startAgain(before, { environment: { ...environment, ...named } })
    const { ask, askAgain } = askingOf(own)
    for (const host of ['files.example', 'app.example']) {
      expect((await ask(host, '/api/health')).status).toBe(200)
      for (const answer of await askAgain(host, '/index.html'))
        expect(answer.body.toString()).not.toBe('start')
      const isLogged = own.securityLines.some(({ message }) => message.startsWith(`"${host}" is a host of`))
      expect(isLogged).toBe(true)
    }
    expect((await own.fetch('/api/sites/ask?domain=app.example')).status).toBe(404)
    expect(told(await ask('www.example', '/'))).toEqual([200, 'start'])
  })
})

describe('a request that is no HTTP', () => {
  test.each<[string[]]>([
    [['GET / HTTP/1.1', 'X-\0: a', 'Host: www.sites.test']],
    [['GET / HTTP/1.1', 'Host: WWW.example.org:80', 'Content-Length: x']],
    [['GET / HTTP/1.1', 'Host: none.sites.test', 'no colon']],
    [['GET http://www.sites.test/ HTTP/1.1', 'Host: holdfast.test', 'no colon']],
    [['FETCH / HTTP/1.1', 'Host: www.sites.test']],
    [['GET / HTTP/3.0', 'Host: www.sites.test']],
    [['GET / HTTP/1.1', 'Host: www.sites.test', 'Long: …']],
  ])('gets the plain page of a site at its host: %j', async (named) => {
    const lines = named.map((line) => line.replace('…', 'x'.repeat(20_000)))
    const { status, headers, body } = await rawRequest(holdfast.port, lines)
    expect(status).toBeGreaterThanOrEqual(400)
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(body.toString()).toStartWith('<!doctype html>')
  })

  test('gets the JSON of the API at another host', async () => {
    for (const host of ['Host: holdfast.test', 'Host: a b', 'None: a']) {
      const { headers } = await rawRequest(holdfast.port, ['GET / HTTP/1.1', host, 'no colon'])
      expect(headers.get('content-type')).toStartWith('application/json')
    }
  })
})

describe('a response', () => {
  test('has validators, types with their charset, and no header of the instance', async () => {
    const answer = await ask('www.sites.test', '/about')
    const withoutDate = ({ headers }: RawAnswer) =>
      [...headers].filter(([name]) => name !== 'connection' && name !== 'date').sort()
    for (const again of await askAgain('www.sites.test', '/about'))
      expect(withoutDate(again)).toEqual(withoutDate(answer))
    const names = [...answer.headers.keys()].filter((name) => name !== 'connection').sort()
    expect(names).toEqual([
      ...[
        'accept-ranges',
        'cache-control',
        'content-length',
        'content-type',
        'date',
        'etag',
        'last-modified',
      ],
      ...['referrer-policy', 'x-content-type-options'],
    ])
    expect(answer.headers.get('cache-control')).toBe('public, max-age=0, must-revalidate')
    expect(answer.headers.get('referrer-policy')).toBe('strict-origin-when-cross-origin')
    const typeOf = async (target: string) => (await ask('www.sites.test', target)).headers.get('content-type')
    expect(
      await Promise.all(
        ['/gr%C3%B6%C3%9Fe/', '/app.JS', '/sitemap.xml', '/drawing.svg', '/data.json'].map(typeOf),
      ),
    ).toEqual([
      'text/html; charset=utf-8',
      'text/javascript; charset=utf-8',
      'application/xml; charset=utf-8',
      'image/svg+xml; charset=utf-8',
      'application/json; charset=utf-8',
    ])
    expect(await typeOf('/plain')).toBe('application/octet-stream')
  })

  test('has ranges, and is validated as a hosted file is', async () => {
    const { headers } = await ask('www.sites.test', '/about')
    const [etag, modified] = [headers.get('etag') ?? '', headers.get('last-modified') ?? '']
    const hosted = await holdfast.fetch('/api/hosting/web/www/about.html')
    expect(etag).toBe(hosted.headers.get('etag') ?? '')
    const statusOf = async (fields: Record<string, string>) => {
      const answer = told(await ask('www.sites.test', '/about', fields))
      for (const again of await askAgain('www.sites.test', '/about', fields))
        expect(told(again)).toEqual(answer)
      return answer
    }
    expect(await statusOf({ 'If-None-Match': etag })).toEqual([304, ''])
    expect(await statusOf({ 'If-Modified-Since': modified })).toEqual([304, ''])
    expect(await statusOf({ Range: 'bytes=1-2' })).toEqual([206, 'bo'])
    expect((await statusOf({ Range: 'bytes=9-' }))[0]).toBe(416)
    expect((await statusOf({ 'If-Match': '"x"' }))[0]).toBe(412)
    expect((await ask('www.sites.test', '/none', { 'If-None-Match': '*' })).status).toBe(404)
  })

  test('does not depend on credentials', async () => {
    const Cookie = holdfast.cookie
    for (const headers of [{ Cookie }, { 'API-Key': 'hf_wrong' }, { 'API-Key': holdfast.key, Cookie }]) {
      for (const answer of await askAgain('www.sites.test', '/about', headers))
        expect(told(answer)).toEqual([200, 'about'])
      for (const answer of await askAgain('www.sites.test', '/private.html', headers))
        expect(told(answer)).toEqual([404, 'root 404'])
    }
  })

  test('is that of the folder at this moment', async () => {
    const old = await make('now/live', { 'index.html': 'first', 'old.html': 'old' })
    const { id } = await create({ folderId: old, name: 'now', domains: ['now.example'] })
    const now = async (target = '/', host = 'now.sites.test') => {
      const [first, ...others] = (await askAgain(host, target)).map(rowOf)
      expect(others.every((other) => Bun.deepEquals(other, first))).toBe(true)
      return first ?? []
    }
    expect(await now()).toEqual([200, 'first'])

    const next = await make('now/next', { 'index.html': 'second', 'new': 'new' })
    await replace(next, old)
    expect([await now(), await now('/old'), await now('/new')]).toEqual([
      [200, 'second'],
      [404, OURS],
      [200, 'new'],
    ])
    await replace(old, next)
    expect(await now()).toEqual([200, 'first'])

    await api.data('PUT', '/folders', { id: old, name: 'renamed' })
    expect(await now('/old')).toEqual([200, 'old'])
    await api.upload('old', 'nearer', 'now/renamed')
    expect(await now('/old')).toEqual([200, 'nearer'])
    await api.data('PUT', '/sites', { id, name: 'then', domains: [] })
    expect([await now(), await now('/', 'then.sites.test')]).toEqual([
      [404, OURS],
      [200, 'first'],
    ])
    await trash.put({ folderIds: [old] })
    expect(await now('/', 'then.sites.test')).toEqual([404, OURS])
    await trash.restore(old)
    expect(await now('/', 'then.sites.test')).toEqual([200, 'first'])
    await api.data('PUT', '/folders', { id: old, visibility: 'private' })
    expect(await now('/', 'then.sites.test')).toEqual([404, OURS])
    await api.data('DELETE', '/sites', { id })
    expect(await now('/', 'then.sites.test')).toEqual([404, OURS])
  })
})

test('no visitor of a site gets a failure while it is replaced and rolled back', async () => {
  const filesOf = (version: string) => ({
    ...{ 'index.html': `page ${version}`, 'data.txt': `data ${version}`, 'data.txt.br': `br ${version}` },
    ...{ _headers: `/*\n  X-Version: ${version}\n`, _redirects: `/shown /data.txt 200\n/${version} / 302\n` },
  })
  const old = await make('busy/live', filesOf('1'))
  const next = await make('busy/next', filesOf('2'))
  await create({ folderId: old, name: 'busy' })
  const done = new AbortController()
  const odd: unknown[] = []
  let answers = 0
  const visit = async (target: string, accepted: string, word: string) => {
    while (!done.signal.aborted)
      for (const answer of await askAgain('busy.sites.test', target, { 'Accept-Encoding': accepted })) {
        const version = answer.headers.get('x-version')
        answers += 1
        const isWhole = answer.status === 200 && answer.body.toString() === `${word} ${version}`
        if (!isWhole) odd.push([target, answer.status, answer.body.toString(), version])
      }
  }
  const visitors = [
    visit('/', '', 'page'),
    visit('/data.txt', '', 'data'),
    visit('/data.txt', 'br', 'br'),
    visit('/shown', '', 'data'),
  ]
  let live = [old, next]
  for (let round = 0; round < 8; round += 1) {
    const before = answers
    const [from = '', to = ''] = live
    await replace(to, from)
    live = [to, from]
    while (answers < before + 16) await Bun.sleep(1)
  }
  done.abort()
  await Promise.all(visitors)
  expect(odd).toEqual([])
})

describe('a site with a password', () => {
  const HOST = 'locked.sites.test'
  const enter = (fields: Record<string, string>) => askingOf(holdfast).enter(HOST, fields)
  const cookieOf = (answer: RawAnswer) => ({ Cookie: answer.headers.get('set-cookie')?.split(';')[0] ?? '' })
  let id = ''
  beforeAll(async () => {
    const folderId = await make('web/locked', {
      ...{ 'index.html': 'public', _headers: '/*\n  Cache-Control: public, max-age=9\n' },
      '404.html': 'none',
    })
    await api.upload('secret.html', 'private', 'web/locked', 'private')
    await api.upload('_redirects', '/moved /secret\n', 'web/locked', 'private')
    await create({ folderId, name: 'locked' })
    expect((await askAgain(HOST, '/'))[3]?.body.toString()).toBe('public')
    const { sites } = await api.data<Sites>('GET', '/sites')
    id = sites.find(({ name }) => name === 'locked')?.id ?? ''
    const password = 'low tide at noon'
    const { site } = await api.data<{ site: Site }>('PUT', '/sites', { id, password })
    expect(site.hasPassword).toBe(true)
    expect(JSON.stringify(site)).not.toContain('argon2')
  })

  test('asks for it at every path, and lets nothing be stored', async () => {
    for (const target of ['/', '/secret.html', '/none', '/_headers', '/.holdfast/open', '/?a="><script>'])
      for (const answer of await askAgain(HOST, target)) {
        expect([target, answer.status, answer.headers.get('cache-control')]).toEqual([
          target,
          401,
          'no-store',
        ])
        const page = answer.body.toString()
        expect(page).toContain('<form method="post" action="/.holdfast/open">')
        expect(page).not.toContain('<script')
      }
    for (const method of ['POST', 'DELETE']) expect((await ask(HOST, '/', {}, method)).status).toBe(401)
  })

  test('opens with it for a holder of its cookie, also to private files, until it changes', async () => {
    const wrong = await enter({ password: 'high tide at noon', to: '/secret?a=1' })
    expect([wrong.status, wrong.headers.has('set-cookie')]).toEqual([401, false])
    expect(wrong.body.toString()).toContain('The password is wrong.')
    const german = (await ask(HOST, '/', { 'Accept-Language': 'de' })).body.toString()
    expect(german).toContain('<html lang="de">')
    expect(german).toContain('<button>Öffnen</button>')
    const opened = await enter({ password: 'low tide at noon', to: '/secret?a=1' })
    expect([opened.status, opened.headers.get('location')]).toEqual([303, '/secret?a=1'])
    const [, ...attributes] = (opened.headers.get('set-cookie') ?? '').split('; ')
    expect(attributes.sort()).toEqual(['HttpOnly', 'Max-Age=43200', 'Path=/', 'SameSite=Lax'])

    const cookie = cookieOf(opened)
    for (const [target, status, body] of [
      ...([['/', 200, 'public']] as const),
      ...([['/secret', 200, 'private']] as const),
      ...([['/nothing', 404, 'none']] as const),
    ])
      for (const answer of await askAgain(HOST, target, cookie)) {
        expect([target, answer.status, answer.body.toString()]).toEqual([target, status, body])
        expect(answer.headers.get('cache-control')).toBe('private, no-store')
      }
    expect((await ask(HOST, '/moved', cookie)).headers.get('location')).toBe('/secret')
    expect((await ask(HOST, '/', { Cookie: `${cookie.Cookie}x` })).status).toBe(401)
    expect((await ask('www.sites.test', '/private.html', cookie)).status).toBe(404)

    await api.data('PUT', '/sites', { id, password: 'high tide at noon' })
    expect((await ask(HOST, '/', cookie)).status).toBe(401)
    await api.data('PUT', '/sites', { id, password: null })
    expect((await ask(HOST, '/')).body.toString()).toBe('public')
    expect((await ask(HOST, '/secret')).status).toBe(404)
    await api.data('PUT', '/sites', { id, password: 'low tide at noon' })
  })

  test.each([
    ...['//evil.example', '/\\evil.example', '/\t/evil.example', '/.//evil.example', 'https://evil.example/'],
    ...['evil.example', '/a/..//evil.example', '/%0d%0aX: y\r\nZ: z'],
  ])('leads to no other host: %j', async (to) => {
    const location = (await enter({ password: 'low tide at noon', to })).headers.get('location') ?? ''
    expect(location).toMatch(/^\/(?![/\\])/)
    expect(new URL(location, 'http://site.test').host).toBe('site.test')
  })

  describe('has an address that opens it', () => {
    const sign = async (fields: object = {}) => {
      const signed = await api.data<SignedSite>('POST', '/sites/sign', { id, ...fields })
      const { host, pathname, search } = new URL(signed.url)
      return { ...signed, host, target: pathname + search }
    }

    test('without its password, to private files too, until that changes', async () => {
      const { host, target } = await sign({ expiresIn: 600 })
      expect(host).toBe(HOST)
      const opened = await ask(HOST, target.replace('to=/', 'to=/secret?a=1'))
      expect([opened.status, opened.headers.get('location')]).toEqual([303, '/secret?a=1'])
      expect(opened.headers.get('cache-control')).toBe('no-store')
      expect(Number(/Max-Age=(\d+)/.exec(opened.headers.get('set-cookie') ?? '')?.[1])).toBeLessThanOrEqual(
        600,
      )
      const cookie = cookieOf(opened)
      expect((await ask(HOST, '/secret', cookie)).body.toString()).toBe('private')
      const again = await ask(HOST, target, cookie)
      expect([again.status, again.headers.get('location'), again.headers.has('set-cookie')]).toEqual([
        ...[303, '/', false],
      ])

      await api.data('PUT', '/sites', { id, password: 'low tide at noon' })
      expect((await ask(HOST, '/secret', cookie)).status).toBe(401)
      const ended = await ask(HOST, target)
      expect([ended.status, ended.headers.has('set-cookie')]).toEqual([401, false])
      expect(ended.body.toString()).toContain('This address no longer opens the site')
    })

    test('that cannot be changed, or made of another signature', async () => {
      const { target } = await sign()
      const cookie = cookieOf(await enter({ password: 'low tide at noon' })).Cookie
      const [, end, signature] = /^site=(\d+)\.([\w-]+)$/.exec(cookie) ?? []
      const [, exp = '', sig = ''] = /exp=(\d+)&sig=([\w-]+)/.exec(target) ?? []
      const other = await make('web/locked-too', { 'index.html': 'other' })
      const { id: otherId } = await create({
        folderId: other,
        name: 'locked-too',
        password: 'low tide at noon',
      })
      for (const query of [
        ...[`exp=${Number(exp) + 1}&sig=${sig}`, `exp=0${exp}&sig=${sig}`, `exp=${exp}&sig=${sig}x`],
        ...[`exp=${exp}&sig=`, `sig=${sig}`, `exp=&sig=${sig}`, `exp=${end}&sig=${signature}`],
        new URL((await sign({ id: otherId })).url).search.slice(1),
      ]) {
        const answer = await ask(HOST, `/.holdfast/open?${query}`)
        expect([query, answer.status, answer.headers.has('set-cookie')]).toEqual([query, 401, false])
      }
      expect((await ask(HOST, '/', { Cookie: `site=${exp}.${sig}` })).status).toBe(401)
    })

    test('of the site only, and only with a password', async () => {
      const at = async (to: string) => {
        const { target } = await sign()
        return (await ask(HOST, target.replace('to=/', `to=${to}`))).headers.get('location')
      }
      expect([await at('//evil.example'), await at('https://evil.example'), await at('/a')]).toEqual([
        ...['/', '/', '/a'],
      ])
      const folderId = await make('web/open', { 'index.html': 'open' })
      const site = await create({ folderId, name: 'open' })
      expect(await api.refusal('POST', '/sites/sign', { id: site.id })).toEqual([
        ...([409, 'The site has no password: its address is open to all'] as const),
      ])
      expect((await ask('open.sites.test', (await sign()).target)).status).toBe(404)
    })

    test('until it expires, with the visits that it opened', async () => {
      const clock = new TestClock()
      await using own = await startInsideWithAccount({ clock, environment: { SITES_DOMAIN: 'sites.test' } })
      await own.api.upload('index.html', 'start', 'a')
      const fields = { folder: 'a', name: 'www', password: 'low tide at noon' }
      const { site } = await own.api.data<{ site: Site }>('POST', '/sites', fields)
      const body = { id: site.id, expiresIn: 3600 }
      const { url, expiresAt } = await own.api.data<SignedSite>('POST', '/sites/sign', body)
      expect(Date.parse(expiresAt)).toBe(Math.floor(clock.now() / 1000) * 1000 + 3_600_000)
      const { pathname, search } = new URL(url)
      const { ask } = askingOf(own)
      clock.advance(3_598_000)
      const cookie = cookieOf(await ask('www.sites.test', pathname + search))
      expect((await ask('www.sites.test', '/', cookie)).status).toBe(200)
      clock.advance(2_000)
      expect((await ask('www.sites.test', '/', cookie)).status).toBe(401)
      expect((await ask('www.sites.test', pathname + search)).status).toBe(401)
    })
  })

  test('limits tries, also at its previews', async () => {
    const fields = { password: 'wrong wrong wrong' }
    let status = 0
    for (let tries = 0; tries < 12 && status !== 429; tries += 1) ({ status } = await enter(fields))
    expect(status).toBe(429)
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString()
    await create({ folder: 'web/locked', name: 'locked--a', expiresAt })
    expect((await askingOf(holdfast).enter('locked--a.sites.test', fields)).status).toBe(429)
  })
})

describe('requests at a site', () => {
  test('have a rate limit of their own', async () => {
    const environment = { SITES_DOMAIN: 'sites.test', RATE_LIMIT_SITES: '2', RATE_LIMIT_HOSTING: '1' }
    await using own = await startWithAccount({ environment })
    await own.api.upload('index.html', 'start', 'a')
    await own.api.data('POST', '/sites', { folder: 'a', name: 'www' })
    const at = () => rawRequest(own.port, ['GET / HTTP/1.1', 'Host: www.sites.test'])
    const answers = [await at(), await at(), await at()]
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429])
    expect(answers[2]?.headers.has('retry-after')).toBe(true)
    expect(answers[2]?.body.toString()).toStartWith('<!doctype html>')
    expect((await own.fetch('/api/hosting/a/index.html')).status).toBe(200)
  })

  test('are counted as hosted ones', async () => {
    await using own = await startInsideWithAccount({
      environment: { SITES_DOMAIN: 'sites.test' },
      isAlone: true,
    })
    const { id } = await own.api.upload('index.html', 'start', 'a')
    await own.api.upload('404.html', 'none', 'a')
    await own.api.data('POST', '/sites', { folder: 'a', name: 'www' })
    const at = (target: string, ...lines: string[]) =>
      rawRequest(own.port, [`GET ${target} HTTP/1.1`, 'Host: www.sites.test', ...lines])
    const { headers } = await at('/')
    await at('/', 'Range: bytes=0-1')
    await at('/', `If-None-Match: ${headers.get('etag')}`)
    await at('/none')
    await rawRequest(own.port, ['HEAD / HTTP/1.1', 'Host: www.sites.test'])
    await rawRequest(own.port, ['GET / HTTP/1.1', 'Host: none.sites.test'])
    await askingOf(own).askAgain('www.sites.test', '/')
    const { traffic } = await own.api.data<FileDetails>('GET', `/files/details?id=${id}`)
    expect(traffic).toMatchObject({ requests: 7, bytes: 27 })
    expect(own.server.modules.hosting.traffic.sinceStart()).toEqual({ requests: 7, bytes: 27, notFound: 1 })
  })

  describe('that find nothing', () => {
    const clock = new TestClock()
    const own = withInside({
      clock,
      isAlone: true,
      environment: { SITES_DOMAIN: 'sites.test', TRUST_PROXY: '127.0.0.1' },
    })
    const { ask } = askingOf(own)
    const miss = (path: string, { from = '192.0.2.1', method = 'GET' } = {}) =>
      ask('www.sites.test', path, { 'X-Forwarded-For': from }, method)
    const list = async (id: string) => {
      await own.server.modules.sites.flush()
      const path = `/sites/misses?id=${id}`
      return (await own.api.data<{ misses: SiteMiss[] }>('GET', path)).misses
    }
    let id = ''
    beforeAll(() => own.api.upload('index.html', 'start', 'a'))
    beforeEach(async () => {
      id = (await own.api.data<{ site: Site }>('POST', '/sites', { folder: 'a', name: 'www' })).site.id
    })
    afterEach(async () => {
      await own.api.data('DELETE', '/sites', { id })
      clock.advance(3_600_000)
    })

    test('are listed by path with their count and last time, for a week', async () => {
      await miss('/old-page?secret=1')
      clock.advance(60_000)
      const times = [clock.now() - 60_000, clock.now()].map((time) => new Date(time).toISOString())
      await miss('/gr%C3%B6%C3%9Fe')
      await list(id)
      clock.advance(1000)
      await miss('/old-page')
      for (const path of ['/', '/.env', '/a/.git/config', `/${'a'.repeat(500)}`]) await miss(path)
      await miss('/head', { method: 'HEAD' })
      const misses = await list(id)
      expect(misses.map(({ path, count }) => [path, count])).toEqual([
        ['/old-page', 2],
        ['/gr%C3%B6%C3%9Fe', 1],
      ])
      expect(misses[1]?.lastAt).toBe(times[1] ?? '')

      clock.advance(7 * 86_400_000)
      expect((await list(id)).map(({ path }) => path)).toEqual(['/old-page'])
      clock.advance(1001)
      expect(await list(id)).toEqual([])
    })

    test('are up to 200, the most frequent and the latest, and 100 of one address in an hour', async () => {
      for (const path of ['/often', '/often', '/once']) await miss(path)
      await list(id)
      clock.advance(1000)
      for (let at = 0; at < 240; at += 1) await miss(`/page-${at}`, { from: `192.0.2.${2 + (at % 3)}` })
      for (let at = 0; at < 120; at += 1) await miss(`/scan-${at}`, { from: '192.0.2.9' })
      const paths = (await list(id)).map(({ path }) => path)
      expect([paths.length <= 200, paths.length >= 101]).toEqual([true, true])
      expect([paths.includes('/often'), paths.includes('/once')]).toEqual([true, false])
      clock.advance(1000)
      await miss('/scan-more', { from: '192.0.2.9' })
      await miss('/new', { from: '192.0.2.1' })
      expect((await list(id))[0]?.path).toBe('/new')
    })

    test('are none of a site that was deleted meanwhile', async () => {
      await miss('/gone')
      await own.api.data('DELETE', '/sites', { id })
      await own.server.modules.sites.flush()
      id = (await own.api.data<{ site: Site }>('POST', '/sites', { folder: 'a', name: 'www' })).site.id
      expect(await list(id)).toEqual([])
    })
  })
})
