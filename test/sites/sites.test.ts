import { beforeEach, describe, expect, test } from 'bun:test'
import type { Site, Sites } from '../../src/client/types.ts'
import { readConfig } from '../../src/platform/config.ts'
import { sitesOf } from '../folders/sites.ts'
import { becomes, eventually } from '../support/eventually.ts'
import { startInsideWithAccount, startWithAccount, withHoldfast } from '../support/fixture.ts'
import { TestClock } from '../support/holdfast.ts'
import { trashOf } from '../support/trash.ts'
import { askingOf } from './asking.ts'

const environment = { SITES_DOMAIN: 'sites.test', TRUSTED_ORIGINS: 'https://app.example.org' }
const holdfast = withHoldfast({ environment })
const { api } = holdfast
const { trash, make, replace } = sitesOf(holdfast)

const list = () => api.data<Sites>('GET', '/sites')
const create = async (fields: object) => (await api.data<{ site: Site }>('POST', '/sites', fields)).site
const change = async (fields: object) => (await api.data<{ site: Site }>('PUT', '/sites', fields)).site
const folderOf = async (name: string) => (await list()).sites.find((site) => site.name === name)?.folder
const ask = async (domain: string) =>
  (await holdfast.fetch(`/api/sites/ask?domain=${encodeURIComponent(domain)}`)).status

beforeEach(async () => {
  for (const { id } of (await list()).sites) await api.data('DELETE', '/sites', { id })
})

describe('a site', () => {
  test('is made for a folder by its id or key, listed by name, changed, and removed without its files', async () => {
    const folderId = await make('rows/one', { 'index.html': 'one' })
    const www = await create({ folderId, name: 'www', domains: ['Bücher.example', 'www.example.org.'] })
    const app = await create({ folder: 'rows/one', name: 'app', spa: true })

    expect(www).toMatchObject({
      ...{ name: 'www', folderId, folder: 'rows/one', spa: false, url: 'http://www.sites.test/' },
      domains: ['xn--bcher-kva.example', 'www.example.org'],
    })
    expect(app).toMatchObject({ folderId, spa: true, domains: [] })
    expect(await list()).toEqual({ sites: [app, www], domain: 'sites.test' })

    const changed = await change({ id: app.id, name: 'app-2', domains: ['app.example.net'] })
    expect(changed).toMatchObject({ id: app.id, name: 'app-2', domains: ['app.example.net'], spa: true })
    expect(await change({ id: app.id, spa: false, domains: [] })).toMatchObject({ spa: false, domains: [] })

    await api.data('DELETE', '/sites', { id: www.id })
    expect((await list()).sites.map(({ name }) => name)).toEqual(['app-2'])
    expect(await api.hosted('rows/one/index.html')).toBe('one')
    expect(await api.refusal('DELETE', '/sites', { id: www.id })).toEqual([404, 'Site not found'])
    expect(await api.refusal('PUT', '/sites', { id: www.id })).toEqual([404, 'Site not found'])
  })

  test('tells at which of its domains a request has arrived', async () => {
    const folderId = await make('rows/reached', { 'index.html': 'one' })
    const domains = ['www.reached.example', 'reached.example']
    await create({ folderId, name: 'reached', domains })
    const reached = async () => (await list()).sites[0]?.reached
    expect(await reached()).toEqual([])
    await eventually(async () => (await ask('www.reached.example')) === 200)
    for (const host of ['reached.sites.test', 'other.example']) await askingOf(holdfast).ask(host, '/')
    expect(await reached()).toEqual([])
    await askingOf(holdfast).ask('reached.example', '/')
    // Each server tells its own; of two, the next request asks the other one.
    expect(await becomes(async () => (await reached())?.join() === 'reached.example')).toBe(true)
  })

  test('is refused with a name, domain or folder that cannot be one', async () => {
    const folderId = await make('bad', { a: 'a' })
    for (const name of ['', 'A', 'a_b', '-a', 'a-', 'a--b', 'a.b', 'ä', 'a'.repeat(64)])
      expect([name, await api.status('POST', '/sites', { folderId, name })]).toEqual([name, 400])
    for (const domain of [
      ...[
        'localhost',
        'nodot',
        '192.0.2.1',
        '[2001:db8::1]',
        '0x7f.1',
        'a..example',
        'a b.example',
        'a_b.example',
      ],
      ...[
        'a.example:80',
        'a.example/x',
        'https://a.example',
        '-a.example',
        '*.example',
        `${'a'.repeat(64)}.example`,
      ],
      ...[
        'sites.test',
        'www.sites.test',
        'a.b.SITES.test',
        'holdfast.test',
        'HOLDFAST.test.',
        'app.example.org',
      ],
    ])
      expect([
        domain,
        await api.status('POST', '/sites', { folderId, name: 'x', domains: [domain] }),
      ]).toEqual([domain, 400])
    expect(await api.refusal('POST', '/sites', { folder: 'none', name: 'x' })).toEqual([
      404,
      'Folder not found',
    ])
    expect(await api.status('POST', '/sites', { folder: '', name: 'x' })).toBe(400)
    expect(await api.status('POST', '/sites', { name: 'x' })).toBe(400)
    expect((await list()).sites).toEqual([])
  })

  test('is refused a name or domain of another one, also in a change', async () => {
    const folderId = await make('taken', { a: 'a' })
    await create({ folderId, name: 'one', domains: ['one.example'] })
    const { id } = await create({ folderId, name: 'two' })
    const name = [409, 'Another site has the name "one"']
    const domain = [409, 'Another site has the domain "one.example"']
    expect(await api.refusal('POST', '/sites', { folderId, name: 'one' })).toEqual(name as [number, string])
    expect(await api.refusal('PUT', '/sites', { id, name: 'one' })).toEqual(name as [number, string])
    const fields = { folderId, name: 'three', domains: ['ONE.example'] }
    expect(await api.refusal('POST', '/sites', fields)).toEqual(domain as [number, string])
    expect(await api.refusal('PUT', '/sites', { id, domains: ['one.example'] })).toEqual(
      domain as [number, string],
    )
    expect(await change({ id, name: 'two' })).toMatchObject({ name: 'two' })
  })

  test('follows its folder through a rename, a move, a replacement and a rollback', async () => {
    const old = await make('way/live', { 'index.html': 'first', 'docs/index.html': 'docs' })
    await create({ folderId: old, name: 'www' })
    await create({ folder: 'way/live/docs', name: 'docs' })

    await api.data('PUT', '/folders', { id: old, name: 'renamed' })
    expect([await folderOf('www'), await folderOf('docs')]).toEqual(['way/renamed', 'way/renamed/docs'])
    await api.data('POST', '/folders/move', { id: old, folder: 'moved' })
    expect(await folderOf('www')).toBe('moved/renamed')

    const next = await make('way/next', { 'index.html': 'second', 'docs/index.html': 'more' })
    await replace(next, old)
    const { sites } = await list()
    expect(sites.map(({ name, folder }) => [name, folder])).toEqual([
      ['docs', 'moved/renamed/docs'],
      ['www', 'moved/renamed'],
    ])
    expect(sites[1]?.folderId).toBe(next)

    await replace(old, next)
    expect((await list()).sites.map(({ folder, folderId }) => [folder, folderId === old])).toEqual([
      ['moved/renamed/docs', false],
      ['moved/renamed', true],
    ])
  })

  test('outlives its folder, which the list tells, and is there again with it', async () => {
    const folderId = await make('gone/live', { 'index.html': 'here' })
    const { id } = await create({ folderId, name: 'www' })
    await trash.put({ folderIds: [folderId] })
    expect((await list()).sites).toMatchObject([{ name: 'www', folder: null, folderId }])
    await trash.restore(folderId)
    expect(await folderOf('www')).toBe('gone/live')

    await api.data('DELETE', '/folders', { id: folderId })
    expect((await list()).sites).toMatchObject([{ name: 'www', folder: null }])
    expect(await change({ id, spa: true })).toMatchObject({ spa: true, folder: null })
  })

  test('is in the security log when it is made, changed and removed', async () => {
    const folderId = await make('rows/logged', { 'index.html': 'one' })
    const { id } = await create({ folderId, name: 'logged', domains: ['logged.example'] })
    await change({ id, name: 'logged-2' })
    await api.data('DELETE', '/sites', { id })
    const path = '/activity?security=1&types=site.created,site.changed,site.deleted'
    const response = await holdfast.fetch(`/api${path}`, { headers: { Cookie: holdfast.cookie } })
    const { data } = (await response.json()) as { data: { activities: { type: string; detail: string }[] } }
    const found = data.activities.map(({ type, detail }) => `${type} ${detail}`)
    for (const entry of ['created logged', 'changed logged-2', 'deleted logged-2'])
      expect(found).toContain(`site.${entry}, logged.example`)
  })

  test('needs the scope to write files', async () => {
    const folderId = await make('rights', { a: 'a' })
    const { id } = await create({ folderId, name: 'www' })
    const reader = await holdfast.byKey('files:read')
    expect(await reader.status('GET', '/sites')).toBe(200)
    expect(await reader.status('PUT', '/sites', { id, spa: true })).toBe(403)
  })
})

describe('a preview', () => {
  const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString()

  test('has two hyphens in its name and an end; other sites have neither', async () => {
    const folderId = await make('previews/a', { 'index.html': 'a' })
    const expiresAt = inAnHour()
    for (const fields of [
      { name: 'www--a' },
      { name: 'www', expiresAt },
      { name: 'www--a--b', expiresAt },
      { name: 'xn--a', expiresAt },
      { name: 'www--a', expiresAt: '2020-01-01T00:00:00Z' },
    ])
      expect([fields, await api.status('POST', '/sites', { folderId, ...fields })]).toEqual([fields, 400])

    const preview = await create({ folderId, name: 'www--a', expiresAt })
    expect(preview).toMatchObject({ name: 'www--a', expiresAt })
    expect(await api.status('PUT', '/sites', { id: preview.id, name: 'www' })).toBe(400)
    const site = await create({ folderId, name: 'www' })
    expect(await api.status('PUT', '/sites', { id: site.id, expiresAt })).toBe(400)
    expect(await change({ id: preview.id, spa: true })).toMatchObject({ expiresAt })
    expect(await ask('www--a.sites.test')).toBe(200)

    const get = (name: string) => askingOf(holdfast).ask(`${name}.sites.test`, '/')
    expect((await get('www--a')).headers.get('x-robots-tag')).toBe('noindex')
    expect((await get('www')).headers.has('x-robots-tag')).toBe(false)

    const writer = await holdfast.byKey('files:read', 'files:write')
    expect(await writer.status('POST', '/sites', { folderId, name: 'www--b', expiresAt })).toBe(403)
  })

  test('has the password of its site, unless it has one of its own', async () => {
    const folderId = await make('previews/locked', { 'index.html': 'a' })
    const expiresAt = inAnHour()
    const preview = (name: string, more = {}) => create({ folderId, name, expiresAt, ...more })
    const [low, high, own] = ['low tide at noon', 'high tide at noon', 'no tide at all']
    const { ask: get, enter } = askingOf(holdfast)
    /** Expects that a password opens these sites, which nothing else does. */
    const expectLocked = async (password: string, ...names: string[]) => {
      for (const host of names.map((name) => `${name}.sites.test`)) {
        expect([host, (await get(host, '/')).status]).toEqual([host, 401])
        expect([host, (await enter(host, { password })).status]).toEqual([host, 303])
      }
    }
    const expectOpen = async (...names: string[]) => {
      for (const name of names)
        expect([name, (await get(`${name}.sites.test`, '/')).status]).toEqual([name, 200])
    }
    await preview('tide--before')
    const other = await create({ folderId, name: 'early' })
    await preview('tide--own', { password: own })
    await expectOpen('tide--before', 'early')

    const { id } = await create({ folderId, name: 'tide', password: low })
    const after = await preview('tide--after')
    expect(after.hasPassword).toBe(true)
    await expectLocked(low, 'tide--before', 'tide--after')
    await change({ id, password: high })
    await change({ id: after.id, password: null })
    await expectLocked(high, 'tide--before', 'tide--after')
    await expectLocked(own, 'tide--own')
    await change({ id, password: null })
    await expectOpen('tide--before', 'tide--after', 'early')
    await expectLocked(own, 'tide--own')

    await change({ id, password: low })
    await api.data('DELETE', '/sites', { id })
    await expectLocked(low, 'tide--after')
    await change({ id: other.id, name: 'free', password: high })
    await change({ id: after.id, name: 'free--a', password: null })
    await expectLocked(high, 'free--a')
  })

  test('ends with its folder, unless another site shows that', async () => {
    const clock = new TestClock()
    await using own = await startInsideWithAccount({ clock, environment: { SITES_DOMAIN: 'sites.test' } })
    const named = async () => (await own.api.data<Sites>('GET', '/sites')).sites.map(({ name }) => name)
    const preview = async (name: string, folder: string, hours: number) => {
      const expiresAt = new Date(clock.now() + hours * 3_600_000).toISOString()
      await own.api.data('POST', '/sites', { folder, name, expiresAt })
    }
    for (const folder of ['own', 'shared', 'later']) await own.api.upload('index.html', folder, folder)
    await own.api.data('POST', '/sites', { folder: 'shared', name: 'www' })
    await preview('www--own', 'own', 1)
    await preview('www--shared', 'shared', 1)
    await preview('www--later', 'later', 3)
    await own.server.jobs.runAll()
    expect(await named()).toEqual(['www', 'www--later', 'www--own', 'www--shared'])

    clock.advance(2 * 3_600_000)
    await own.server.jobs.runAll()

    expect(await named()).toEqual(['www', 'www--later'])
    expect((await own.api.browse()).folders.map(({ name }) => name)).toEqual(['later', 'shared'])
    expect((await trashOf(own.api).list()).items.map(({ key }) => key)).toEqual(['own'])
  })
})

describe('the question of a proxy', () => {
  test('is answered without credentials for hosts of the instance and of sites', async () => {
    const folderId = await make('asked', { a: 'a' })
    await create({ folderId, name: 'www', domains: ['www.example.org'] })
    const known = ['www.sites.test', 'WWW.example.org', 'holdfast.test']
    const unknown = [
      'other.sites.test',
      'sites.test',
      'a.www.sites.test',
      'example.org',
      '127.0.0.1',
      '',
      'a b',
    ]
    const answers = async (hosts: string[]) => Promise.all(hosts.map(ask))
    // Another server learns of the site soon after the first question.
    await eventually(async () => (await answers(known)).every((status) => status === 200))
    expect(new Set(await answers(unknown))).toEqual(new Set([404]))
    expect((await holdfast.fetch('/api/sites/ask')).status).toBe(400)
  })
})

describe('SITES_DOMAIN', () => {
  test('turns sites on', async () => {
    await using own = await startWithAccount()
    await own.api.createFolder('a')
    const off = [409, 'This instance has no sites: SITES_DOMAIN is not set'] as [number, string]
    expect(await own.api.refusal('POST', '/sites', { folder: 'a', name: 'www' })).toEqual(off)
    expect(await own.api.data<Sites>('GET', '/sites')).toEqual({ sites: [], domain: null })
    expect((await own.fetch('/api/sites/ask?domain=holdfast.test')).status).toBe(200)
  })

  test.each([
    ['http://files.example.com', 'sites.example.com', true],
    ['http://files.example.com', 'example-sites.net', false],
  ])('%s with sites at %s: is one domain, which the log tells: %p', async (BASE_URL, SITES_DOMAIN, isOne) => {
    await using own = await startInsideWithAccount({ environment: { BASE_URL, SITES_DOMAIN } })
    const isTold = own.securityLines.some(({ message }) => message.includes('probably belong to one domain'))
    expect(isTold).toBe(isOne)
  })

  test('must be a host name that is neither that of BASE_URL or a trusted origin, nor above it', () => {
    const BASE_URL = 'https://files.example.com:8443'
    const TRUSTED_ORIGINS = 'https://app.example.org,holdfast://'
    const read = (SITES_DOMAIN: string) => readConfig({ BASE_URL, TRUSTED_ORIGINS, SITES_DOMAIN }).sitesDomain
    expect(read('')).toBeUndefined()
    expect(read('Sites.Example.com')).toBe('sites.example.com')
    expect(read('sites.files.example.com')).toBe('sites.files.example.com')
    for (const bad of [
      ...['files.example.com', 'example.com', 'com', 'app.example.org', 'example.org'],
      ...['https://sites.net', 'sites.net:80', '192.0.2.1', 'a b', '*.sites.net'],
    ])
      expect(() => read(bad)).toThrow('SITES_DOMAIN must be a host name')
  })
})
