import { afterAll, describe, expect, test } from 'bun:test'
import { readConfig } from '../../src/platform/config.ts'
import { askingOf } from '../sites/asking.ts'
import { type Registered, startInsideWithAccount } from '../support/fixture.ts'
import type { Inside } from '../support/holdfast.ts'
import { StandIn } from './caches.ts'
import { SITES_DOMAIN, sendPurges } from './ways.ts'

const TOKEN = 'token-of-the-service'
const cache = new StandIn()
afterAll(() => cache[Symbol.asyncDispose]())

/** Starts an instance behind a service, with a public file in a folder, and returns their cache keys. */
async function behind(kind: string, environment: Record<string, string> = {}) {
  const holdfast = await startInsideWithAccount({
    environment: {
      CDN_KIND: kind,
      CDN_URL: `${cache.url}/`,
      CDN_ZONE: 'zone1',
      CDN_TOKEN: TOKEN,
      ...environment,
    },
  })
  const file = await holdfast.api.upload('ä b*.txt', 'x', 'a folder', 'public')
  const { headers } = await holdfast.fetch(`/api/hosting/${encodeURIComponent('a folder/ä b*.txt')}`)
  return { holdfast, file, headers }
}

/** Makes a file private, then deletes its folder, and returns the requests for both. */
async function purgesOf(holdfast: Registered<Inside>, file: { id: string; folderId: string }) {
  cache.purged.length = 0
  await holdfast.api.data('PUT', '/files', { id: file.id, visibility: 'private' })
  await sendPurges(holdfast)
  const ofFile = [...cache.purged]
  cache.purged.length = 0
  await holdfast.api.data('DELETE', '/folders', { id: file.folderId })
  await sendPurges(holdfast)
  return { ofFile, ofFolder: [...cache.purged] }
}

describe('purges of', () => {
  const SERVICES = [
    {
      kind: 'fastly',
      header: 'surrogate-key',
      separator: ' ',
      path: '/service/zone1/purge',
      token: { name: 'fastly-key', value: TOKEN },
      body: (key: string) => ({ surrogate_keys: [key] }),
    },
    {
      kind: 'cloudflare',
      header: 'cache-tag',
      separator: ',',
      path: '/client/v4/zones/zone1/purge_cache',
      token: { name: 'authorization', value: `Bearer ${TOKEN}` },
      body: (key: string) => ({ tags: [key] }),
    },
    {
      kind: 'bunny',
      header: 'cdn-tag',
      separator: ',',
      path: '/pullzone/zone1/purgeCache',
      token: { name: 'accesskey', value: TOKEN },
      body: (key: string) => ({ CacheTag: key }),
    },
  ]
  test.each(SERVICES)(
    '$kind are requests of its API',
    async ({ kind, header, separator, path, token, body }) => {
      const { holdfast, file, headers } = await behind(kind)
      await using _ = holdfast
      const [, folder = '', own = ''] = headers.get(header)?.split(separator) ?? []
      const { ofFile, ofFolder } = await purgesOf(holdfast, file)
      for (const [requests, key] of [
        [ofFile, own],
        [ofFolder, folder],
      ] as const) {
        expect(requests).toHaveLength(1)
        const [request] = requests
        expect([request?.method, request?.path]).toEqual(['POST', path])
        expect(request?.headers.get('content-type')).toBe('application/json')
        expect(request?.headers.get(token.name)).toBe(token.value)
        expect(JSON.parse(request?.text ?? '')).toEqual(body(key))
      }
    },
  )

  test('nginx are of addresses, for a folder those of all public files below it', async () => {
    const { holdfast, file, headers } = await behind('nginx')
    await using _ = holdfast
    expect(headers.get('cache-control')).toContain('s-maxage=86400')
    await holdfast.api.upload('other.txt', 'x', 'a folder/deep', 'public')
    // nginx says so when it has none.
    cache.respond = () => new Response(null, { status: 404 })
    const { ofFile, ofFolder } = await purgesOf(holdfast, file)
    cache.respond = () => new Response()
    const shown = [...ofFile, ...ofFolder].map(({ method, path }) => `${method} ${path}`)
    expect(shown.toSorted()).toEqual([
      'PURGE /api/hosting/a%20folder/%C3%A4%20b*.txt',
      'PURGE /api/hosting/a%20folder/*',
      'PURGE /api/hosting/a%20folder/deep/other.txt',
    ])
    expect(holdfast.catalog.purges.overdue()).toBeUndefined()
  })

  test('nginx never end with the asterisk of a file, which it does not keep, as it keeps no page of a site', async () => {
    const { holdfast, file } = await behind('nginx', { SITES_DOMAIN })
    await using _ = holdfast
    const { api } = holdfast
    const star = await api.upload('*', 'x', 'a folder', 'public')
    const hosted = await holdfast.fetch('/api/hosting/a%20folder/*')
    expect(hosted.headers.get('cache-control')).toContain('s-maxage=0')
    cache.purged.length = 0
    await api.data('PUT', '/files/visibility', { ids: [star.id, file.id], visibility: 'private' })
    await sendPurges(holdfast)
    expect(cache.purged.map(({ path }) => path)).toEqual(['/api/hosting/a%20folder/%C3%A4%20b*.txt'])

    const rules =
      '/a.js\n  Cache-Control: public, s-maxage=600, max-age=600\n/no.js\n  Cache-Control: no-store\n'
    for (const [name, text] of Object.entries({
      'a.js': 'x',
      'no.js': 'x',
      'index.html': 'x',
      _headers: rules,
    }))
      await api.upload(name, text, 'web', 'public')
    await api.data('POST', '/sites', { folder: 'web', name: 'www' })
    const caching = async (path: string) =>
      (await askingOf(holdfast).ask(`www.${SITES_DOMAIN}`, path)).headers.get('cache-control')
    expect(await Promise.all(['/', '/a.js', '/no.js'].map(caching))).toEqual([
      's-maxage=0, public, max-age=0, must-revalidate',
      's-maxage=0, public, max-age=600',
      'no-store',
    ])
  })

  test('many files at once are of the folder above them where each takes a request', async () => {
    const { holdfast, file, headers } = await behind('bunny', { CDN_TAG_HEADER: 'X-Keys', CDN_MAX_AGE: '60' })
    await using _ = holdfast
    expect(headers.get('cache-control')).toContain('s-maxage=60')
    const [, folder = ''] = headers.get('x-keys')?.split(',') ?? []
    const ids = [file.id]
    for (let n = 0; n < 50; n += 1)
      ids.push(
        (await holdfast.api.upload(`${n}.txt`, 'x', n % 2 ? 'a folder' : 'a folder/deep', 'public')).id,
      )
    cache.purged.length = 0
    await holdfast.api.data('PUT', '/files/visibility', { ids, visibility: 'private' })
    await sendPurges(holdfast)
    expect(cache.purged.map(({ text }) => JSON.parse(text))).toEqual([{ CacheTag: folder }])
  })

  test('several caches are sent to each', async () => {
    await using other = new StandIn()
    const { holdfast, file } = await behind('varnish', { CDN_URL: `${cache.url}, ${other.url}` })
    await using _ = holdfast
    await purgesOf(holdfast, file)
    expect(other.purged.map(({ method }) => method)).toEqual(['PURGE', 'PURGE'])
  })
})

describe('a start is refused', () => {
  test.each([
    [{ CDN_KIND: 'varnish' }, /^CDN_URL must be set: CDN_KIND varnish needs it$/],
    [{ CDN_KIND: 'fastly', CDN_TOKEN: 'secret' }, /^CDN_ZONE must be set: CDN_KIND fastly needs it$/],
    [{ CDN_KIND: 'bunny' }, /^CDN_ZONE and CDN_TOKEN must be set: CDN_KIND bunny needs them$/],
    [{ CDN_KIND: 'squid' }, /^CDN_KIND must be varnish, nginx, fastly, cloudflare or bunny, not "squid"$/],
    [{ CDN_KIND: 'fastly', CDN_ZONE: 'a', CDN_TOKEN: 'my secret' }, /^CDN_TOKEN must .*not "\(hidden\)"$/],
    [{ CDN_KIND: 'varnish', CDN_URL: 'http://a/path' }, /^CDN_URL must be http or https addresses/],
  ])('with %j', (environment, message) => {
    expect(() => readConfig(environment)).toThrow(message)
  })
})
