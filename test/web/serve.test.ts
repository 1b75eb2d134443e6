import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import type { Asset, Assets } from '../../src/api/assets.ts'
import { assetsFrom } from '../../src/api/assets.ts'
import { withInstance } from '../../src/modules/web/instance.ts'
import { indexPath, withSession } from '../../src/modules/web/serve.ts'
import { withInside } from '../support/fixture.ts'
import { refusalOf } from '../support/holdfast.ts'
import { rawRequest } from '../support/socket.ts'

const PAGE = '<!doctype html><title>Holdfast</title>'
const GERMAN = '<!doctype html><html lang="de"><title>Holdfast</title>'
const GERMAN_SIGNED_IN = '<!doctype html><html lang="de" class="is-signed-in"><title>Holdfast</title>'
const SCRIPT = 'console.log("here")'.repeat(20)

const bytesOf = (text: string) => new TextEncoder().encode(text)

const FORMS = {
  identity: bytesOf(SCRIPT),
  br: new Uint8Array(brotliCompressSync(SCRIPT)),
  gzip: new Uint8Array(gzipSync(SCRIPT)),
}

const ASSETS: Assets = new Map<string, Asset>([
  [
    '/',
    {
      read: () => bytesOf(PAGE),
      isCompressed: false,
      type: 'text/html; charset=utf-8',
      isImmutable: false,
      digest: 'page',
    },
  ],
  [
    indexPath('de'),
    {
      read: () => bytesOf(GERMAN),
      isCompressed: false,
      type: 'text/html; charset=utf-8',
      isImmutable: false,
      digest: 'seite',
    },
  ],
  [
    withSession(indexPath('de')),
    {
      read: () => bytesOf(GERMAN_SIGNED_IN),
      isCompressed: false,
      type: 'text/html; charset=utf-8',
      isImmutable: false,
      digest: 'seite-angemeldet',
    },
  ],
  [
    '/assets/main-1a2b.js',
    {
      read: (coding) => FORMS[coding ?? 'identity'],
      isCompressed: true,
      type: 'text/javascript; charset=utf-8',
      isImmutable: true,
      digest: 'script',
    },
  ],
])

const holdfast = withInside({ dashboard: ASSETS })

const open = (path: string, headers: Record<string, string> = {}) =>
  holdfast.fetch(path, { headers: { Accept: 'text/html,application/xhtml+xml', ...headers } })

describe('the page', () => {
  test.each(['/', '/files', '/files?folder=a/b', '/files/', '/no/such/page.txt'])(
    'is the response to a browser at %s',
    async (path) => {
      const response = await open(path)

      expect(response.status).toBe(200)
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(await response.text()).toBe(PAGE)
    },
  )

  test('is revalidated each time, and not sent again when it is unchanged', async () => {
    const first = await open('/')
    const again = await open('/files', { 'If-None-Match': first.headers.get('etag') ?? '' })

    expect(first.headers.get('cache-control')).toBe('no-cache')
    expect(first.headers.get('etag')).toBe('"page"')
    expect(again.status).toBe(304)
    expect(await again.text()).toBe('')
  })

  test.each([
    ['de', undefined, GERMAN],
    ['de-AT,en;q=0.8', undefined, GERMAN],
    ['it, en;q=0.3, DE;q=0.7', undefined, GERMAN],
    ['en,de;q=0.9', undefined, PAGE],
    ['de;q=0', undefined, PAGE],
    ['zh-TW', undefined, PAGE],
    ['it', undefined, PAGE],
    ['en', 'a=b; holdfast-language=de', GERMAN],
    ['de', 'holdfast-language=en', PAGE],
    ['de', 'holdfast-language=xx', GERMAN],
    ['de', 'better-auth.session_token=any', GERMAN_SIGNED_IN],
    ['en', 'better-auth.session_token=any', PAGE],
  ])('for a browser that accepts %p, with the cookie %p, is %s', async (accepted, cookie, page) => {
    const response = await open('/files', { 'Accept-Language': accepted, ...(cookie && { Cookie: cookie }) })

    expect(await response.text()).toBe(page)
    expect(response.headers.get('vary')).toContain('Accept-Language, Cookie')
  })

  test('allows scripts only from its own origin, and forbids framing', async () => {
    const { headers } = await open('/')

    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("script-src 'self';")
    expect(policy).toContain("style-src 'self';")
    expect(policy).toContain("frame-ancestors 'none'")
    // A second policy, which narrows the first.
    expect(policy.split(', ')[1]).toContain('script-src *:*/assets/;')
    expect(policy).not.toContain('unsafe')
    expect(headers.get('x-frame-options')).toBe('DENY')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('referrer-policy')).toBe('strict-origin-when-cross-origin')
  })

  test('answers a HEAD with its headers alone', async () => {
    const response = await holdfast.fetch('/', { method: 'HEAD' })

    expect(response.status).toBe(200)
    expect(response.headers.get('content-length')).toBe(String(PAGE.length))
    expect(await response.text()).toBe('')
  })

  test('is not the response to a program that requests an unknown path', async () => {
    for (const accept of ['*/*', 'application/json']) {
      const response = await holdfast.fetch('/nope', { headers: { Accept: accept } })

      expect(await refusalOf(response)).toEqual([404, 'Not found'])
    }
  })

  test.each(['/api', '/api/nope', '/assets', '/assets/main-old.js'])(
    'is never an answer at %s',
    async (path) => {
      expect(await refusalOf(await open(path))).toEqual([404, 'Not found'])
    },
  )

  test('takes no other method', async () => {
    const response = await holdfast.fetch('/', { method: 'POST', headers: { Accept: 'text/html' } })

    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toBe('GET, HEAD')
  })

  test('leaves hosted pages in their sandbox', async () => {
    const { url } = await holdfast.api.upload('index.html', PAGE)

    expect((await open(`/${url}`)).headers.get('content-security-policy')).toBe('sandbox')
  })
})

describe('a file with its content in its name', () => {
  test('may be kept for a year', async () => {
    const { headers } = await holdfast.fetch('/assets/main-1a2b.js')

    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
  })

  test.each([
    ['br, gzip', 'br', '"script-br"'],
    ['gzip, deflate', 'gzip', '"script-gzip"'],
    ['gzip;q=0.5, br;q=0', 'gzip', '"script-gzip"'],
    ['identity', undefined, '"script"'],
    ['br;q=0.0', undefined, '"script"'],
  ])('is sent for Accept-Encoding %p in the encoding %p', async (accepted, encoding, etag) => {
    const { headers } = await rawRequest(holdfast.port, [
      'GET /assets/main-1a2b.js HTTP/1.1',
      'Host: localhost',
      `Accept-Encoding: ${accepted}`,
    ])

    expect(headers.get('content-encoding')).toBe(encoding)
    expect(headers.get('etag')).toBe(etag)
    expect(headers.get('vary')).toBe('Accept-Encoding')
    expect(headers.get('content-type')).toBe('text/javascript; charset=utf-8')
  })
})

test('files of the build are read with their compressed forms', () => {
  const built = { path: '/assets/a.js', file: 'a.js', type: 'text/javascript', isImmutable: true }

  const asset = assetsFrom([{ ...built, isCompressed: true, digest: 'a' }], bytesOf).get('/assets/a.js')

  expect([asset?.read(), asset?.read('br'), asset?.read('gzip')]).toEqual(
    ['a.js', 'a.js.br', 'a.js.gz'].map(bytesOf),
  )
})

describe('an instance with a name and a logo', () => {
  const source = readFileSync(join(import.meta.dir, '../../src/dashboard/index.html'), 'utf8')
  const indexOf = (instance: { instanceName: string; instanceLogo: string | undefined }) => {
    const page = { type: 'text/html', isImmutable: false, isCompressed: false, digest: 'page' }
    const assets = new Map(
      [indexPath('en'), withSession(indexPath('fr'))].map((path) => [
        path,
        { ...page, read: () => bytesOf(source) },
      ]),
    )
    return [...withInstance(assets, instance).values()].map(({ read }) => new TextDecoder().decode(read()))
  }

  test('has its name, escaped, in the title and beside each logo of every index', () => {
    for (const page of indexOf({ instanceName: 'A <b>$&', instanceLogo: undefined })) {
      expect(page).toContain('<title>A &lt;b&gt;$&amp;</title>')
      expect(page.split('</svg>A &lt;b&gt;$&amp;</span>').length).toBe(
        source.split('</svg>Holdfast</span>').length,
      )
      expect(page).not.toContain('Holdfast</')
    }
  })

  test('keeps the pages of the build without one', () => {
    for (const page of indexOf({ instanceName: 'Holdfast', instanceLogo: undefined }))
      expect(page).toBe(source)
  })
})
