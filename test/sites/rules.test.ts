import { beforeAll, describe, expect, test } from 'bun:test'
import type { Site } from '../../src/client/types.ts'
import { sitesOf } from '../folders/sites.ts'
import { createShare } from '../shares/visitors.ts'
import { withHoldfast } from '../support/fixture.ts'
import { askingOf, OURS, PAGE, rowOf } from './asking.ts'

const holdfast = withHoldfast({ environment: { SITES_DOMAIN: 'sites.test' } })
const { api } = holdfast
const { make, trash, replace } = sitesOf(holdfast)
const { ask, askAgain, enter } = askingOf(holdfast)

let count = 0
/** Makes a site of these files. Returns its host. */
async function siteOf(files: Record<string, string>, more: object = {}): Promise<string> {
  count += 1
  const folderId = await make(`made/${count}`, files)
  await api.data('POST', '/sites', { folderId, name: `made-${count}`, ...more })
  return `made-${count}.sites.test`
}

const problemsAt = async (host: string) =>
  (await api.data<{ sites: Site[] }>('GET', '/sites')).sites.find(({ name }) => host.startsWith(`${name}.`))
    ?.problems

/** Checks a response on the slow path, on the fast path, and from its cache. */
async function check(
  host: string,
  target: string,
  row: (string | number)[],
  headers: Record<string, string> = {},
) {
  expect(rowOf(await ask(host, target, headers))).toEqual(row)
  for (const answer of await askAgain(host, target, headers)) expect(rowOf(answer)).toEqual(row)
}

const PAGES = {
  'index.html': 'start',
  'about.html': 'about',
  'file.txt': 'file',
  'deep/index.html': 'deep',
  'deep/page.html': 'page',
  '.secret': 'secret',
}

describe('a rule of _redirects', () => {
  const RULES = `
# a comment
/exact /about                    # and another
/both /about 302
/both /file.txt
/of/* /first
/of/second /second
/second/one /exact-first
/second/* /second/:splat/x
/found /about 302
/other /about 303
/kept /about 307
/moved /about 308
/shown /deep/page 200
/shown-folder /deep 200
/shown-with-slash /deep/ 200
/shown-by-name /file.txt 200
/hidden /.secret 200
/hidden-rules /_redirects 200
/not-there /none 200
/app/* /index.html 200
/gone /about.html 404
/gone-page /none 404
/blog/:year/:slug /posts/:year-:slug?from=:slug#:year
/wiki/* https://en.wikipedia.org/wiki/Help:Contents?x=1
/away/* https://example.org/a//b/:splat
/query /about?a=b
/hash /about#part
/about /file.txt
/file.txt /about 301!
/shadow/* /deep/page 200!
/größe /gr%C3%B6%C3%9Fe/neu
/a%20b /a%2520b
/slash/ /slash
/self /self
/self-too/* /self-too/:splat 301!
/colon/* /colon-:splat:8080
`
  let host = ''
  beforeAll(async () => {
    host = await siteOf({ ...PAGES, _redirects: RULES, 'shadow/file': 'shadowed' })
  })

  test.each<[string, number, string]>([
    ['/exact', 301, '/about'],
    ['/exact/', 301, '/about'],
    ['/exact?a=1&b=%20', 301, '/about?a=1&b=%20'],
    ['/both', 302, '/about'],
    ['/of/second', 301, '/first'],
    ['/of/', 301, '/first'],
    ['/of', 301, '/first'],
    ['/offset', 404, OURS],
    ['/second/one', 301, '/exact-first'],
    ['/second/two', 301, '/second/two/x'],
    ['/found', 302, '/about'],
    ['/other', 303, '/about'],
    ['/kept', 307, '/about'],
    ['/moved', 308, '/about'],
    ['/shown', 200, 'page'],
    ['/shown?x=1', 200, 'page'],
    ['/shown-folder', 200, 'deep'],
    ['/shown-with-slash', 200, 'deep'],
    ['/shown-by-name', 200, 'file'],
    ['/hidden', 404, OURS],
    ['/hidden-rules', 404, OURS],
    ['/not-there', 404, OURS],
    ['/app/users/7', 200, 'start'],
    ['/app/missing.js', 200, 'start'],
    ['/gone', 404, 'about'],
    ['/gone-page', 404, OURS],
    ['/blog/2026/a%26b', 301, '/posts/2026-a%26b?from=a%26b#2026'],
    ['/blog/2026/a/b', 404, OURS],
    ['/wiki/Page', 301, 'https://en.wikipedia.org/wiki/Help:Contents?x=1'],
    ['/away/c/d/?q=1', 301, 'https://example.org/a//b/c/d/?q=1'],
    ['/query?c=d', 301, '/about?a=b'],
    ['/hash?c=d', 301, '/about?c=d#part'],
    ['/about', 200, 'about'],
    ['/file.txt', 301, '/about'],
    ['/shadow/file', 200, 'page'],
    ['/gr%C3%B6%C3%9Fe', 301, '/gr%C3%B6%C3%9Fe/neu'],
    ['/a%20b', 301, '/a%2520b'],
    ['/slash/', 301, '/slash'],
    ['/slash', 404, OURS],
    ['/self', 404, OURS],
    ['/self-too/x', 404, OURS],
    ['/colon/x', 301, '/colon-x:8080'.replace(':', '%3A')],
    ['/_redirects', 404, OURS],
  ])('%s', async (target, status, text) => {
    await check(host, target, [status, text])
    const head = await ask(host, target, {}, 'HEAD')
    expect([head.status, head.body.length]).toEqual([status, 0])
  })

  test('comes before the start page of an app, and after its files', async () => {
    const app = await siteOf({ ...PAGES, _redirects: '/old /about\n' }, { spa: true })
    await check(app, '/old', [301, '/about'], PAGE)
    await check(app, '/new', [200, 'start'], PAGE)
  })

  test('begins no address of another host, whatever is in its place', async () => {
    const evil = await siteOf({
      'index.html': 'start',
      _redirects: `
/a/* /:splat/evil.example
/b/* /:splat:splat
/c/:x /.:x/:x
/d/* /.//:splat
/e/* /./:splat/..//:splat
/f/* https://example.org/:splat
/g/* https://example.org/../:splat
/h/:x /x?to=:x#:x
`,
    })
    for (const path of ['', '/', '/%2Fevil.example', '//evil.example', '/%5Cevil.example', '/\\evil.example'])
      for (const rule of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']) {
        const { status, headers } = await ask(evil, `/${rule}${path}`)
        const to = headers.get('location') ?? ''
        const host = new URL(to, 'http://own.test').host
        expect([rule, path, status, rule === 'f' || rule === 'g' ? '' : host]).toEqual([
          ...[rule, path, to === '' ? 404 : 301],
          rule === 'f' || rule === 'g' ? '' : 'own.test',
        ])
        if (rule === 'f' || rule === 'g') expect(['own.test', 'example.org']).toContain(host)
        expect(to).not.toStartWith('//')
      }
    for (const code of ['%0D%0ASet-Cookie:x', '%00', '%0A', '%7F', '%C2%85', '%E2%80%A8x%0D'])
      for (const rule of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']) {
        const { status, headers } = await ask(evil, `/${rule}/${code}`)
        expect<unknown>([code, status, headers.get('location'), headers.get('set-cookie')]).toEqual([
          ...[code, 404, undefined, undefined],
        ])
      }
  })

  test('makes no endless address', async () => {
    const long = await siteOf({ 'index.html': 'start', _redirects: `/x/* /${':splat'.repeat(150)}\n` })
    await check(long, `/x/${'a'.repeat(200)}`, [404, OURS])
    await check(long, '/x/a', [301, `/${'a'.repeat(150)}`])
  })
})

describe('a line of _redirects has no effect', () => {
  test.each<[string, RegExp]>([
    ['/bad /about 201', /status/],
    ['/bad /about 418!', /status/],
    ['/bad /about !', /status/],
    ['/bad https://example.org/api 200', /one of this site/],
    ['/bad https://example.org/ 404', /one of this site/],
    ['/bad /about 301 Country=de', /Conditions/],
    ['/bad /about Language=de', /Conditions/],
    ['/bad /about 200 Role=admin', /Conditions/],
    ['/bad /about 200! Cookie=is_staff', /Conditions/],
    ['/bad id=:id /about/:id 301', /query patterns/],
    ['/bad?id=1 /about', /query/],
    ['https://www.example.org/bad /about', /begins with/],
    ['bad /about', /begins with/],
    ['/bad', /"from to"/],
    ['/bad //evil.example', /no address/],
    ['/bad //evil.example/:splat', /no address/],
    ['/bad /\\evil.example', /no address/],
    ['/bad \\\\evil.example', /begins with/],
    ['/bad javascript:alert(1)', /begins with/],
    ['/bad https:evil.example', /begins with/],
    ['/bad https://user:password@example.org/', /no address/],
    ['/bad/* https://:splat', /no address/],
    ['/bad/* https://:splat/x', /no address/],
    ['/bad/* https://:splat.example.org/', /no address/],
    ['/bad/* https://example.org:splat', /no address/],
    ['/bad/* https://:splat@example.org/', /no address/],
    ['/bad /%zz', /bad escape/],
    ['/b*d /about', /"\*"/],
    ['/*/bad /about', /"\*"/],
    ['/bad* /about', /"\*"/],
    ['/bad//x /about', /empty name/],
    ['/bad/%ff /about', /bad escape/],
    ['/bad/.. /about', /must not/],
    ['/bad/%2F /about', /must not/],
    ['/bad/: /about', /placeholder/],
    ['/bad/:a-b /about', /placeholder/],
    ['/bad/:a/:a /about', /again/],
    ['/bad/:splat/* /about', /again/],
    ['/bad /about\u0000', /control/],
    ['/bad /about\rSet-Cookie:x', /control/],
    ['/bad /about\u0085', /control/],
    [`/bad /${'a'.repeat(1000)}`, /1000 characters/],
  ])('%j', async (line, message) => {
    const host = await siteOf({
      'index.html': 'start',
      _redirects: `/ok /about\n\n${line}\n/fine /about\r\n`,
    })
    expect(await problemsAt(host)).toEqual([
      { file: '_redirects', line: 3, message: expect.stringMatching(message) },
    ])
    for (const target of ['/bad', '/bad/x', '/bad/x/y', '/']) {
      const { headers } = await ask(host, target)
      expect<unknown>([target, headers.get('location'), headers.get('set-cookie')]).toEqual([
        target,
        undefined,
        undefined,
      ])
    }
    await check(host, '/fine', [301, '/about'])
  })

  test('past 2,000 rules, and none has one in a file of more than 256 KiB', async () => {
    const rules = Array.from({ length: 2001 }, (_, at) => `/${at} /about`)
    const host = await siteOf({ 'index.html': 'start', _redirects: rules.join('\n') })
    expect(await problemsAt(host)).toMatchObject([{ line: 2001 }])
    await check(host, '/1999', [301, '/about'])
    await check(host, '/2000', [404, OURS])
    const long = await siteOf({ 'index.html': 'start', _redirects: `/x /about\n#${'x'.repeat(256 * 1024)}` })
    expect(await problemsAt(long)).toMatchObject([{ file: '_redirects', line: 0 }])
    await check(long, '/x', [404, OURS])
  })

  test('2,000 patterns take no more time than their length', async () => {
    // Each pattern fails at its last name. Backtracking would never end.
    const names = Array.from({ length: 20 }, (_, at) => `:p${at}`).join('/')
    const rules = Array.from({ length: 2000 }, (_, at) => `/${names}/${at} /x`)
    const text = rules.join('\n').slice(0, 256 * 1024)
    const host = await siteOf({ 'index.html': 'start', _redirects: text.slice(0, text.lastIndexOf('\n')) })
    await check(host, `/${'a/'.repeat(40)}x`, [404, OURS])
    await check(host, `/${'a/'.repeat(1900)}x`, [404, OURS])
  })
})

describe('headers by _headers', () => {
  const RULES = `
/*
  X-All: 1
  X-Joined: a
/about
  X-Joined: b
  Cache-Control: public, max-age=60
/deep/:page
  Content-Type: text/plain; charset=utf-8
  ! Referrer-Policy
/deep/*
  Content-Security-Policy: default-src 'self'
\tX-Tab: a\tb
/away
  X-Away: 1
https://other.example/*
  X-Other: 1
https://www.example.org/deep/*
  ! X-All
# a comment
/file.txt
  X-Joined: b
  ! X-Joined
  X-Joined: c
  Vary: Origin
`
  let host = ''
  beforeAll(async () => {
    const files = {
      ...PAGES,
      '404.html': 'none',
      _headers: RULES,
      _redirects: '/away /about\n/shown /about 200\n',
    }
    host = await siteOf(files, { domains: ['www.example.org'] })
  })

  const NAMES = ['x-all', 'x-joined', 'x-away', 'x-other', 'x-tab', 'cache-control', 'content-type', 'vary']
  const MORE = ['referrer-policy', 'x-content-type-options', 'content-security-policy']
  const ours = {
    ...{ 'x-all': '1', 'x-joined': 'a', 'cache-control': 'public, max-age=0, must-revalidate' },
    ...{ 'referrer-policy': 'strict-origin-when-cross-origin', 'x-content-type-options': 'nosniff' },
    'content-type': 'text/html',
  }
  test.each<[string, Record<string, string | undefined>]>([
    ['/', {}],
    ['/about', { 'x-joined': 'a, b', 'cache-control': 'public, max-age=60' }],
    ['/about/', { 'x-joined': 'a, b', location: '/about', 'content-type': undefined }],
    ['/deep/', { 'content-security-policy': "default-src 'self'", 'x-tab': 'a\tb' }],
    [
      '/deep/page',
      {
        ...{ 'content-security-policy': "default-src 'self'", 'x-tab': 'a\tb' },
        ...{ 'content-type': 'text/plain; charset=utf-8', 'referrer-policy': undefined },
      },
    ],
    ['/file.txt', { 'x-joined': 'c', 'content-type': 'text/plain', vary: 'Origin' }],
    ['/shown', {}],
    ['/about/none', {}],
  ])('%s', async (target, changed) => {
    const isRedirect = 'location' in changed
    const expected = isRedirect
      ? { ...ours, 'x-all': undefined, 'x-joined': undefined, 'content-type': undefined }
      : { ...ours, ...changed }
    for (const { headers } of [
      await ask(host, target),
      await ask(host, target, {}, 'HEAD'),
      ...(await askAgain(host, target)),
    ])
      for (const name of [...NAMES, ...MORE])
        expect([name, headers.get(name) ?? undefined]).toEqual([
          name,
          expected[name as keyof typeof expected],
        ])
  })

  test('belong to the host for which they are', async () => {
    for (const { headers } of await askAgain('www.example.org', '/deep/page'))
      expect(headers.get('x-all')).toBeUndefined()
    for (const { headers } of await askAgain(host, '/deep/page')) expect(headers.get('x-all')).toBe('1')
    expect(await problemsAt(host)).toMatchObject([
      { file: '_headers', message: '"other.example" is no host of this site' },
    ])
  })

  test('are part of a 304, and neither age nor type of a page of 404', async () => {
    const [whole] = await askAgain(host, '/about')
    const fields = { 'If-None-Match': whole?.headers.get('etag') ?? '' }
    for (const { status, headers } of [
      await ask(host, '/about', fields),
      ...(await askAgain(host, '/about', fields)),
    ])
      expect([status, headers.get('x-joined'), headers.get('cache-control')]).toEqual([
        ...[304, 'a, b', 'public, max-age=60'],
      ])
    const none = await siteOf({
      ...{ 'index.html': 'start', '404.html': 'none' },
      _headers:
        '/assets/*\n  Cache-Control: public, max-age=31536000, immutable\n  Content-Type: text/css\n  X-A: 1\n',
    })
    const { headers } = await ask(none, '/assets/none.css')
    expect(['cache-control', 'content-type', 'x-a'].map((name) => headers.get(name))).toEqual([
      ...['public, max-age=0, must-revalidate', 'text/html', '1'],
    ])
  })

  test.each<[string, RegExp]>([
    ...[
      ...[
        'Set-Cookie',
        'Content-Length',
        'Content-Encoding',
        'Content-Range',
        'Transfer-Encoding',
        'Connection',
      ],
      ...['Upgrade', 'Trailer', 'Date', 'ETag', 'Last-Modified', 'Accept-Ranges', 'Location'],
      ...['Strict-Transport-Security', 'Basic-Auth', 'sEt-cOOkie'],
      ...['Keep-Alive', 'Proxy-Connection', 'TE', 'Alt-Svc', 'Clear-Site-Data'],
      ...['X-Accel-Redirect', 'x-accel-expires', 'X-Sendfile', 'X-Sendfile-Type', 'X-LIGHTTPD-send-file'],
      ...['X-LiteSpeed-Location', 'X-LiteSpeed-Purge'],
    ].flatMap((name): [string, RegExp][] => [
      [`${name}: x=1`, /cannot be changed/],
      [`! ${name}`, /cannot be changed/],
    ]),
    ['! Content-Type', /taken away/],
    ['! Vary', /taken away/],
    ['X Y: 1', /name of a header/],
    [': 1', /name of a header/],
    ['X(Y): 1', /name of a header/],
    ['Xé: 1', /name of a header/],
    ['X-Bad', /"Name: value"/],
    ['X-Bad: a\u0000b', /printable/],
    ['X-Bad: a\rSet-Cookie: x=1', /printable/],
    ['X-Bad: \u010d\u010aSet-Cookie: x=1', /printable/],
    ['X-Bad: é', /printable/],
  ])('cannot be %j', async (line, message) => {
    const host = await siteOf({
      'index.html': 'start',
      _headers: `/*\n  X-Good: 1\n  ${line}\n  X-Fine: 2\n`,
    })
    expect(await problemsAt(host)).toEqual([
      { file: '_headers', line: 3, message: expect.stringMatching(message) },
    ])
    for (const { headers } of [await ask(host, '/'), ...(await askAgain(host, '/'))]) {
      expect<unknown>([headers.get('x-good'), headers.get('x-fine'), headers.get('x-bad')]).toEqual([
        '1',
        '2',
        undefined,
      ])
      expect<unknown>([headers.get('set-cookie'), headers.get('content-length')]).toEqual([undefined, '5'])
      expect(headers.get('x-content-type-options')).toBe('nosniff')
    }
  })

  test('have a path above them, at most 100 paths, and 64 KiB', async () => {
    const host = await siteOf({
      'index.html': 'start',
      _headers: `  X-A: 1\nno-path\n  X-B: 1\n${Array.from({ length: 101 }, (_, at) => `/${at}*\n/*\n  X-C: ${at}\n`).join('')}`,
    })
    const problems = (await problemsAt(host)) ?? []
    expect(problems.slice(0, 3).map(({ line }) => line)).toEqual([1, 2, 4])
    expect(problems).toHaveLength(50)
    const all = (await ask(host, '/')).headers.get('x-c')?.split(', ') ?? []
    expect([all.length, all.at(-1)]).toEqual([100, '99'])
    const long = await siteOf({ 'index.html': 'start', _headers: `/*\n  X-C: 1\n#${'x'.repeat(64 * 1024)}` })
    expect(await problemsAt(long)).toMatchObject([{ file: '_headers', line: 0 }])
    expect((await ask(long, '/')).headers.get('x-c')).toBeUndefined()
  })
})

test('rules are those of this moment, and private files have none', async () => {
  const host = await siteOf({ 'index.html': 'start', 'file.txt': 'file' })
  const folder = `made/${count}`
  const state = async () => {
    const answers = await askAgain(host, '/file.txt')
    const rows = answers.map(({ status, headers }) => [status, headers.get('x-a') ?? headers.get('location')])
    for (const row of rows) expect<unknown>(row).toEqual(rows[0] ?? [])
    return rows[0]
  }
  const put = (name: string, text: string, visibility?: 'private') =>
    api.upload(name, text, folder, visibility)
  expect(await state()).toEqual([200, undefined])
  const headers = await put('_headers', '/*\n  X-A: 1\n')
  expect(await state()).toEqual([200, '1'])
  await api.data('PUT', '/files', { id: headers.id, visibility: 'private' })
  expect(await state()).toEqual([200, undefined])
  await api.data('PUT', '/files', { id: headers.id, visibility: 'public' })
  expect(await state()).toEqual([200, '1'])
  const redirects = await put('_redirects', '/file.txt / 301!\n', 'private')
  expect(await state()).toEqual([200, '1'])
  await api.data('PUT', '/files', { id: redirects.id, visibility: 'public' })
  expect(await state()).toEqual([301, '/'])
  await api.data('PUT', '/files', { id: redirects.id, name: 'redirects' })
  expect(await state()).toEqual([200, '1'])
  await api.data('PUT', '/files', { id: redirects.id, name: '_redirects' })
  expect(await state()).toEqual([301, '/'])
  await trash.put({ fileIds: [redirects.id, headers.id] })
  expect(await state()).toEqual([200, undefined])
  const live = (await api.data<{ sites: Site[] }>('GET', '/sites')).sites.find(
    ({ folder: key }) => key === folder,
  )
  const next = await make('made/next', { 'file.txt': 'next', _headers: '/*\n  X-A: 2\n' })
  await replace(next, live?.folderId ?? '')
  expect(await state()).toEqual([200, '2'])
})

/** Sends files to a share as a visitor. */
function drop(slug: string, files: Record<string, string>): Promise<Response> {
  const form = new FormData()
  for (const [name, text] of Object.entries(files)) form.append('files', new Blob([text]), name)
  return holdfast.fetch(`/api/s/${slug}/files`, { method: 'POST', body: form })
}

const EVIL = {
  _redirects: '/* https://evil.example/ 302!\n',
  _headers: '/*\n  Refresh: 0; https://evil.example\n',
}

const siteAt = async (folder: string) =>
  (await api.data<{ sites: Site[] }>('GET', '/sites')).sites.find((site) => site.folder === folder)

test('files that visitors send to the folder of a site change nothing of it', async () => {
  const host = await siteOf({ 'file.txt': 'file' })
  const { folderId } = (await siteAt(`made/${count}`)) ?? {}
  const box = await createShare(api, { canRead: false, canWrite: true, folderId })
  expect((await drop(box.slug, { ...EVIL, 'page.html': '<script>' })).ok).toBe(true)
  expect(await problemsAt(host)).toEqual([])
  await check(host, '/file.txt', [200, 'file'])
  await check(host, '/page', [404, OURS])
  expect((await ask(host, '/file.txt')).headers.has('refresh')).toBe(false)
})

test('a drop box in a site with a password takes no files, and what it took before are no rules', async () => {
  const host = await siteOf({ 'file.txt': 'file', 'in/a.txt': 'a' })
  const { id, folderId } = (await siteAt(`made/${count}`)) ?? {}
  const below = (await api.browse({ key: `made/${count}` })).folders[0]?.id
  const boxes = []
  for (const place of [folderId, below])
    boxes.push(await createShare(api, { canRead: false, canWrite: true, folderId: place }))
  for (const { slug } of boxes) expect((await drop(slug, EVIL)).ok).toBe(true)

  const password = 'low tide at noon'
  await api.data('PUT', '/sites', { id, password })
  const [cookie = ''] = ((await enter(host, { password })).headers.get('set-cookie') ?? '').split(';')
  const shown = await ask(host, '/file.txt', { Cookie: cookie })
  expect([...rowOf(shown), shown.headers.has('refresh')]).toEqual([200, 'file', false])
  for (const { slug } of boxes) {
    expect((await drop(slug, { 'file.txt.br': 'evil' })).status).toBe(503)
    expect(await (await holdfast.fetch(`/s/${slug}`)).text()).not.toContain('type="file"')
  }
  await api.data('PUT', '/sites', { id, password: null })
  for (const { slug } of boxes) expect((await drop(slug, { 'file.txt.br': 'evil' })).ok).toBe(true)
})
