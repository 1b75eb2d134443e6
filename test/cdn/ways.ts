import { expect } from 'bun:test'
import { askingOf } from '../sites/asking.ts'
import type { Api } from '../support/api.ts'
import { basic, davOf } from '../support/dav.ts'
import type { Registered } from '../support/fixture.ts'
import type { Inside } from '../support/holdfast.ts'
import { createS3Keys, rawS3 } from '../support/s3.ts'
import type { FrontCache } from './caches.ts'

/** Instance, and the folder of one row, whose public files `a.txt` and `deep/b.txt` are in the cache. */
interface Place {
  api: Api
  dav: ReturnType<typeof davOf>
  s3: ReturnType<typeof rawS3>
  /** Time of the server. */
  now: number
  /** Key of the folder. */
  folder: string
  folderId: string
  /** Ids of the files. */
  a: string
  b: string
}

/** Change by which a visitor must get another response than before. */
interface Way {
  name: string
  change: (place: Place) => Promise<unknown>
  /** Change before the files are in the cache. */
  before?: (place: Place) => Promise<unknown>
  /** Files whose response changes; both without it. */
  changes?: readonly ('a.txt' | 'deep/b.txt')[]
}

const A = ['a.txt'] as const

/** All ways in which a public file stops being served as it was. */
export const WAYS: readonly Way[] = [
  {
    name: 'a file is made private',
    changes: A,
    change: ({ api, a }) => api.data('PUT', '/files', { id: a, visibility: 'private' }),
  },
  {
    name: 'several files are made private',
    change: ({ api, a, b }) => api.data('PUT', '/files/visibility', { ids: [a, b], visibility: 'private' }),
  },
  {
    name: 'a folder is made private',
    change: ({ api, folderId }) => api.data('PUT', '/folders', { id: folderId, visibility: 'private' }),
  },
  {
    name: 'chosen items are made private',
    change: ({ api, folderId }) =>
      api.data('PUT', '/items/visibility', { fileIds: [], folderIds: [folderId], visibility: 'private' }),
  },
  {
    name: 'a file is renamed',
    changes: A,
    change: ({ api, a }) => api.data('PUT', '/files', { id: a, name: 'c.txt' }),
  },
  {
    name: 'a file is moved',
    changes: A,
    change: ({ api, a }) => api.data('POST', '/files/move', { id: a, folder: 'elsewhere' }),
  },
  {
    name: 'files are moved together',
    change: ({ api, a, b, folder }) =>
      api.data('POST', '/files/move', { ids: [a, b], folder: `${folder} moved` }),
  },
  {
    name: 'a folder is renamed',
    change: ({ api, folderId, folder }) =>
      api.data('PUT', '/folders', { id: folderId, name: `${folder} renamed` }),
  },
  {
    name: 'a folder is moved',
    change: ({ api, folderId }) => api.data('POST', '/folders/move', { id: folderId, folder: 'elsewhere' }),
  },
  { name: 'a file is deleted', changes: A, change: ({ api, a }) => api.data('DELETE', '/files', { id: a }) },
  { name: 'files are deleted', change: ({ api, a, b }) => api.data('DELETE', '/files', { ids: [a, b] }) },
  {
    name: 'a folder is deleted',
    change: ({ api, folderId }) => api.data('DELETE', '/folders', { id: folderId }),
  },
  {
    name: 'items are deleted',
    change: ({ api, a, folderId }) => api.data('DELETE', '/items', { fileIds: [a], folderIds: [folderId] }),
  },
  {
    name: 'a file goes to the trash',
    changes: A,
    change: ({ api, a }) => api.data('POST', '/trash', { fileIds: [a], folderIds: [] }),
  },
  {
    name: 'a folder goes to the trash',
    change: ({ api, folderId }) => api.data('POST', '/trash', { fileIds: [], folderIds: [folderId] }),
  },
  { name: 'its bytes are replaced', changes: A, change: ({ api, a }) => api.replace(a, 'new') },
  {
    name: 'an upload replaces it',
    changes: A,
    change: async ({ api, folder }) => {
      const form = new FormData()
      form.set('folder', folder)
      form.set('onConflict', 'replace')
      form.set('files', new File(['new'], 'a.txt'))
      await api.sendBody('POST', '/files', form)
    },
  },
  {
    name: 'a version is restored',
    changes: A,
    before: ({ api, a }) => api.replace(a, 'replaced before'),
    change: async ({ api, a }) => {
      const { versions } = await api.data<{ versions: { id: string }[] }>('GET', `/files/versions?id=${a}`)
      await api.data('POST', '/files/versions/restore', { id: versions[0]?.id })
    },
  },
  {
    name: 'another folder takes the place of its folder',
    change: async ({ api, folderId, folder }) => {
      const other = await api.createFolder(`${folder} other`)
      await api.upload('a.txt', 'new', other.key, 'public')
      await api.data('POST', '/folders/replace', { id: other.id, replaces: folderId })
    },
  },
  {
    name: 'WebDAV deletes it',
    changes: A,
    change: ({ dav, folder }) => dav.send('DELETE', `${folder}/a.txt`),
  },
  {
    name: 'WebDAV replaces it',
    changes: A,
    change: ({ dav, folder }) => dav.send('PUT', `${folder}/a.txt`, {}, 'new'),
  },
  {
    name: 'S3 deletes it',
    changes: A,
    change: ({ s3, folder, now }) => s3(`/${folder}/a.txt`, { method: 'DELETE', now }),
  },
  {
    name: 'S3 replaces it',
    changes: A,
    change: ({ s3, folder, now }) => s3(`/${folder}/a.txt`, { method: 'PUT', body: 'new', now }),
  },
]

/** Sends the purges that are owed, as the job does each second. */
export const sendPurges = ({ server }: Pick<Inside, 'server'>) => server.modules.cdn.jobs?.[0]?.run()

/** Returns the response for a public file, as a text to compare. */
async function responseOf(origin: string, key: string): Promise<string> {
  const response = await fetch(`${origin}/api/hosting/${key.split('/').map(encodeURIComponent).join('/')}`)
  return `${response.status} ${await response.text()}`
}

/** Puts the files of a row into the cache, changes them, and expects the cache to stop serving them. */
export async function expectWay(holdfast: Registered<Inside>, cache: FrontCache, way: Way): Promise<void> {
  const { api } = holdfast
  const folder = `way ${WAYS.indexOf(way)}`
  const a = await api.upload('a.txt', 'old a', folder, 'public')
  const b = await api.upload('b.txt', 'old b', `${folder}/deep`, 'public')
  const s3 = rawS3(holdfast, await createS3Keys(holdfast, holdfast.cookie))
  const dav = davOf(holdfast, () => basic(holdfast.key))
  const place = { ...{ api, dav, s3, folder, now: holdfast.now() }, folderId: a.folderId, a: a.id, b: b.id }
  await way.before?.(place)
  await sendPurges(holdfast)
  const keys = [`${folder}/a.txt`, `${folder}/deep/b.txt`]
  const before = await Promise.all(keys.map((key) => responseOf(cache.url, key)))
  expect(before.map((text) => text.slice(0, 3))).toEqual(['200', '200'])

  const response = await way.change(place)

  if (response instanceof Response) expect(response.ok).toBe(true)
  expect(await responseOf(cache.url, keys[0] ?? '')).toBe(before[0] ?? '')
  await sendPurges(holdfast)
  for (const [n, key] of keys.entries()) {
    expect(await responseOf(cache.url, key)).toBe(await responseOf(holdfast.url, key))
    const isChanged = way.changes?.some((name) => key.endsWith(`/${name}`)) ?? true
    expect((await responseOf(cache.url, key)) === before[n]).toBe(!isChanged)
  }
}

export const SITES_DOMAIN = 'sites.test'

/** Site of one row, whose pages are in the cache. */
interface SitePlace {
  api: Api
  id: string
  /** Folder of the site. */
  folder: string
  folderId: string
  /** Makes a folder with another version of the site, and returns its id. */
  makeNext: () => Promise<string>
}

/** All ways in which a site stops showing its pages as they were. */
export const SITE_WAYS: readonly { name: string; change: (place: SitePlace) => Promise<unknown> }[] = [
  {
    name: 'another version is deployed',
    change: async ({ api, folderId, makeNext }) =>
      api.data('POST', '/folders/replace', { id: await makeNext(), replaces: folderId }),
  },
  {
    name: 'its folder is made private',
    change: ({ api, folderId }) => api.data('PUT', '/folders', { id: folderId, visibility: 'private' }),
  },
  {
    name: 'its folder goes to the trash',
    change: ({ api, folderId }) => api.data('POST', '/trash', { fileIds: [], folderIds: [folderId] }),
  },
  {
    name: 'it gets a password',
    change: ({ api, id }) => api.data('PUT', '/sites', { id, password: 'correct horse battery' }),
  },
  {
    name: 'it gets another name',
    change: ({ api, id }) => api.data('PUT', '/sites', { id, name: 'renamed' }),
  },
  { name: 'it is deleted', change: ({ api, id }) => api.data('DELETE', '/sites', { id }) },
  {
    name: 'a rule is added',
    change: ({ api, folder }) => api.upload('_redirects', '/* /none 302!', folder, 'public'),
  },
  {
    name: 'rules get their name',
    change: async ({ api, folder }) => {
      const { id } = await api.upload('rules', '/* /none 302!', folder, 'public')
      await api.data('PUT', '/files', { id, name: '_redirects' })
    },
  },
  {
    name: 'rules are made public',
    change: async ({ api, folder }) => {
      const { id } = await api.upload('_redirects', '/* /none 302!', folder, 'private')
      await api.data('PUT', '/files', { id, visibility: 'public' })
    },
  },
]

/** Puts the pages of a site into the cache, changes it, and expects the cache to show it as it is then. */
export async function expectSiteWay(
  holdfast: Registered<Inside>,
  cache: FrontCache,
  way: (typeof SITE_WAYS)[number],
): Promise<void> {
  const { api } = holdfast
  const name = `way-${SITE_WAYS.indexOf(way)}`
  const folder = `sites ${name}`
  const upload = async (folder: string, text: string) => {
    await api.upload('index.html', text, folder, 'public')
    await api.upload('main.js', text, `${folder}/assets`, 'public')
    return (await api.upload('a.txt', text, folder, 'public')).folderId
  }
  const folderId = await upload(folder, 'old')
  const rules = '/assets/*\n  Cache-Control: public, max-age=31536000, immutable\n  xkey: mine\n'
  await api.upload('_headers', rules, folder, 'public')
  const { site } = await api.data<{ site: { id: string } }>('POST', '/sites', { name, folder })
  await sendPurges(holdfast)
  const show = async ({ port }: { port: number }, path: string) => {
    const { status, headers, body } = await askingOf({ port }).ask(`${name}.${SITES_DOMAIN}`, path)
    return `${status} ${headers.get('location')} ${body}`
  }
  const front = { port: Number(new URL(cache.url).port) }
  const paths = ['/', '/a.txt', '/assets/main.js']
  const all = (at: { port: number }) => Promise.all(paths.map((path) => show(at, path)))
  const before = await all(front)
  expect(before).toEqual(paths.map(() => '200 undefined old'))

  await way.change({ api, id: site.id, folder, folderId, makeNext: () => upload(`${folder} next`, 'new') })

  expect(await all(front)).toEqual(before)
  await sendPurges(holdfast)
  const after = await all(front)
  expect(after).toEqual(await all(holdfast))
  for (const [n, text] of before.entries()) expect(after[n]).not.toBe(text)
}

/** Expects the cache to have nothing of a site for a client that names the site's host in a header. */
export async function expectNoSite(holdfast: Registered<Inside>, cache: FrontCache): Promise<void> {
  const { api } = holdfast
  await api.upload('shown.txt', 'of the instance', '', 'public')
  await api.upload('shown.txt', 'of the site', 'www/api/hosting', 'public')
  await api.data('POST', '/sites', { name: 'www', folder: 'www' })
  const headers = { 'X-Forwarded-Host': `www.${SITES_DOMAIN}` }
  const ask = async (origin: string) => (await fetch(`${origin}/api/hosting/shown.txt`, { headers })).text()
  expect(await ask(holdfast.url)).toBe('of the site')
  for (let n = 0; n < 2; n += 1) expect(await ask(cache.url)).toBe('of the instance')
}
