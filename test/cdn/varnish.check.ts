import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { SignedSite, Site } from '../../src/client/types.ts'
import { askingOf } from '../sites/asking.ts'
import { eventually } from '../support/eventually.ts'
import { startInsideWithAccount, withInside } from '../support/fixture.ts'
import { Varnish } from './caches.ts'
import { expectNoSite, expectSiteWay, expectWay, SITE_WAYS, SITES_DOMAIN, WAYS } from './ways.ts'

const varnish = new Varnish('xkey')
const holdfast = withInside({
  environment: { CDN_KIND: 'varnish', CDN_URL: varnish.url, TRUST_PROXY: '127.0.0.1', SITES_DOMAIN },
})
const { api } = holdfast
beforeAll(() => varnish.start(holdfast.port))
afterAll(() => varnish[Symbol.asyncDispose]())

const cached = (path: string, init: RequestInit = {}) => fetch(`${varnish.url}/${path}`, init)
/** Returns true for a response that Varnish had, whose id has a second one: that of the request that stored it. */
const isHit = (response: Response) => response.headers.get('x-varnish')?.includes(' ') === true

describe("Debian's Varnish, configured as documented, stops serving a file as it was when", () => {
  test.each([...WAYS])('$name', (way) => expectWay(holdfast, varnish, way))
  test.each([...SITE_WAYS])('of a site: $name', (way) => expectSiteWay(holdfast, varnish, way))
})

describe('Varnish', () => {
  test('keeps public files: whole, in part, as a head, revalidated, and shows no keys', async () => {
    const { url } = await api.upload('kept.txt', '0123456789', '', 'public')
    const first = await cached(url)
    expect([isHit(first), await first.text()]).toEqual([false, '0123456789'])
    const whole = await cached(url)
    expect([isHit(whole), await whole.text(), whole.headers.get('xkey')]).toEqual([true, '0123456789', null])
    const part = await cached(url, { headers: { Range: 'bytes=2-4' } })
    expect([isHit(part), part.status, await part.text()]).toEqual([true, 206, '234'])
    const head = await cached(url, { method: 'HEAD' })
    expect([isHit(head), head.status]).toEqual([true, 200])
    const same = await cached(url, { headers: { 'If-None-Match': whole.headers.get('etag') ?? '' } })
    expect([isHit(same), same.status]).toEqual([true, 304])
  })

  test('keeps nothing that only some may have, and takes no purge without keys', async () => {
    const file = await api.upload('secret.txt', 'secret', '', 'private')
    const signed = (await api.sign(file.id)).url
    for (let n = 0; n < 2; n += 1) {
      const responses = [
        await cached(file.url, { headers: holdfast.withKey }),
        await cached(file.url, { headers: { Cookie: holdfast.cookie } }),
        await cached(signed),
        await cached(file.url),
        await cached('api/stats', { headers: holdfast.withKey }),
      ]
      expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 404, 200])
      expect(responses.some(isHit)).toBe(false)
    }
    expect((await cached('', { method: 'PURGE' })).status).toBe(403)
  })

  test('has no file of a site for a client that names its host', () => expectNoSite(holdfast, varnish))

  test('keeps nothing of a site with a password, whatever its rules say', async () => {
    const password = 'correct horse battery'
    await api.upload('index.html', 'secret', 'locked', 'public')
    const rules = '/*\n  Cache-Control: public, max-age=600\n  CDN-Cache-Control: max-age=600\n'
    await api.upload('_headers', rules, 'locked', 'public')
    const fields = { name: 'locked', folder: 'locked', password }
    const { site } = await api.data<{ site: Site }>('POST', '/sites', fields)
    expect(site.problems).toMatchObject([{ file: '_headers', line: 3 }])
    const { ask } = askingOf({ port: Number(new URL(varnish.url).port) })
    const host = `locked.${SITES_DOMAIN}`
    const { url } = await api.data<SignedSite>('POST', '/sites/sign', { id: site.id })
    const { pathname, search } = new URL(url)
    for (let n = 0; n < 2; n += 1) {
      const opened = await ask(host, pathname + search)
      const Cookie = opened.headers.get('set-cookie')?.split(';')[0] ?? ''
      const inside = await ask(host, '/', { Cookie })
      expect([inside.status, inside.body.toString()]).toEqual([200, 'secret'])
      expect((await ask(host, '/')).status).toBe(401)
    }
  })

  test('passes uploads and large downloads through', async () => {
    const bytes = new Uint8Array(3_000_000).fill(7)
    const form = new FormData()
    form.set('visibility', 'public')
    form.set('files', new File([bytes], 'large.bin'))
    const sent = await cached('api/files', { method: 'POST', headers: holdfast.withKey, body: form })
    expect(sent.status).toBe(200)
    expect(new Uint8Array(await (await cached('api/hosting/large.bin')).arrayBuffer())).toEqual(bytes)
  })
})

test('Varnish with bans purges within seconds, also what it missed while it was away', async () => {
  await using bans = new Varnish('bans')
  let isAway = false
  await using gate = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: ({ method, headers }) =>
      isAway ? new Response(null, { status: 503 }) : fetch(bans.url, { method, headers }),
  })
  await using server = await startInsideWithAccount({
    environment: { CDN_KIND: 'varnish', CDN_URL: gate.url.origin, TRUST_PROXY: '127.0.0.1' },
    runsJobs: true,
  })
  await bans.start(server.port)
  const [one, two] = [
    await server.api.upload('one.txt', 'x', 'folder', 'public'),
    await server.api.upload('two.txt', 'x', 'folder', 'public'),
  ]
  const get = (url: string) => fetch(`${bans.url}/${url}`)
  for (const { url } of [one, two, one, two]) expect((await get(url)).status).toBe(200)
  expect(isHit(await get(one.url))).toBe(true)
  await server.api.data('PUT', '/files', { id: one.id, visibility: 'private' })
  await eventually(async () => (await get(one.url)).status === 404)
  expect(isHit(await get(two.url))).toBe(true)

  isAway = true
  await server.api.data('PUT', '/files', { id: two.id, visibility: 'private' })
  await eventually(() => server.catalog.purges.overdue()?.count === 1)
  expect(isHit(await get(two.url))).toBe(true)
  isAway = false
  await eventually(async () => (await get(two.url)).status === 404)
})
