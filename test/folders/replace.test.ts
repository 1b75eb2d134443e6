import { describe, expect, test } from 'bun:test'
import { createShare, shareOf } from '../shares/visitors.ts'
import { apiOf } from '../support/api.ts'
import { startWithAccount, withHoldfast } from '../support/fixture.ts'
import { expectNoIntents } from '../support/intents.ts'
import { storedIn } from '../support/stored.ts'
import { trashOf } from '../support/trash.ts'
import { sitesOf } from './sites.ts'

interface Folders {
  folders: { id: string; name: string }[]
}

const holdfast = withHoldfast()
const { api } = holdfast
const { trash, make, replace } = sitesOf(holdfast)

describe('a folder that replaces another', () => {
  test('takes its name and place, and keeps every id; the other one goes to the trash', async () => {
    const live = await make('one/site', { 'index.html': 'first', 'deep/old.css': 'old' })
    const next = await make('one/next', { 'index.html': 'second', 'deep/er/new.css': 'new' })
    const [page] = (await api.browse({ id: next })).files

    const folder = await replace(next, live)

    expect(folder).toMatchObject({ id: next, name: 'site', key: 'one/site' })
    expect(await api.hosted('one/site/index.html')).toBe('second')
    expect(await api.hosted('one/site/deep/er/new.css')).toBe('new')
    expect(await api.hosted('one/site/deep/old.css')).toBe(404)
    expect(await api.hosted('one/next/index.html')).toBe(404)
    expect((await api.browse({ key: 'one/site' })).files.map(({ id }) => id)).toEqual([page?.id ?? ''])
    expect(await storedIn(holdfast).trashed()).toEqual(['site/deep/old.css', 'site/index.html'])
    expect((await trash.list()).items).toMatchObject([
      {
        id: live,
        kind: 'folder',
        name: 'site',
        key: 'one/site',
        count: 2,
        size: 8,
        deletedBy: holdfast.userId,
      },
    ])
    const [entry] = holdfast.catalog.activities.newest(holdfast.userId, 1)
    expect(entry).toMatchObject({ type: 'folder.replaced', target: 'site', detail: 'one/site' })
    await expectNoIntents(holdfast)
  })

  test('is shared in the place of the other one, and receives its files, also on the way back', async () => {
    const live = await make('shared/site', { 'index.html': 'first' })
    const next = await make('shared/next', { 'index.html': 'second' })
    const one = await createShare(api, { items: [{ folderId: live }] })
    const both = await createShare(api, { items: [{ folderId: live }, { folderId: next }] })
    const box = await createShare(api, { canRead: false, canWrite: true, folderId: live })
    const sharedBy = async ({ slug }: { slug: string }) => {
      const { data } = (await (await holdfast.fetch(`/api/s/${slug}`)).json()) as { data: Folders }
      return data.folders.map(({ id, name }) => [id, name])
    }

    await replace(next, live)

    expect(await sharedBy(one)).toEqual([[next, 'site']])
    expect(await sharedBy(both)).toEqual([[next, 'site']])
    expect(await shareOf(api, box.id)).toMatchObject({ folderId: next })
    await replace(live, next)
    expect(await sharedBy(one)).toEqual([[live, 'site']])
    expect(await shareOf(api, box.id)).toMatchObject({ folderId: live })
  })

  test('has its files and folders shared in the place of those with the same path, also on the way back', async () => {
    const content = { 'index.html': 'a', 'docs/manual/one.pdf': 'b', 'inbox/x': 'c' }
    const live = await make('inside/site', { ...content, 'gone.txt': 'd' })
    const next = await make('inside/next', content)
    const idsIn = async (key: string) => {
      const { files, folders } = await api.browse({ key })
      return Object.fromEntries([...files, ...folders].map(({ name, id }) => [name, id]))
    }
    const ofLive = { ...(await idsIn('inside/site')), ...(await idsIn('inside/site/docs/manual')) }
    const ofNext = { ...(await idsIn('inside/next')), ...(await idsIn('inside/next/docs/manual')) }
    const [index, pdf, gone] = ['index.html', 'one.pdf', 'gone.txt'].map((name) => ({ fileId: ofLive[name] }))
    const one = await createShare(api, { items: [index, pdf, gone, { folderId: ofLive['docs'] }] })
    const box = await createShare(api, { canRead: false, canWrite: true, folderId: ofLive['inbox'] })
    const shared = async () => {
      const ids = ((await shareOf(api, one.id))?.items ?? []).map(({ fileId, folderId, name }) => [
        name,
        fileId ?? folderId,
      ])
      return Object.fromEntries(ids.filter(([name]) => name !== null))
    }

    await replace(next, live)

    const { docs, 'index.html': page, 'one.pdf': manual } = ofNext
    expect(await shared()).toEqual({ docs, 'index.html': page, 'one.pdf': manual })
    expect(await shareOf(api, box.id)).toMatchObject({ folderId: ofNext['inbox'] })
    await replace(live, next)
    expect(await shared()).toEqual({
      ...{ docs: ofLive['docs'], 'index.html': ofLive['index.html'] },
      ...{ 'one.pdf': ofLive['one.pdf'], 'gone.txt': ofLive['gone.txt'] },
    })
    expect(await shareOf(api, box.id)).toMatchObject({ folderId: ofLive['inbox'] })
  })

  test('may come from the trash, as often as wanted', async () => {
    const first = await make('back/site', { 'index.html': 'first' })
    const [before] = (await api.browse({ id: first })).files
    const second = await make('back/next', { 'index.html': 'second' })
    await replace(second, first)

    expect(await replace(first, second)).toMatchObject({ id: first, key: 'back/site' })
    expect(await api.hosted('back/site/index.html')).toBe('first')
    expect((await api.browse({ id: first })).files).toEqual([before].flatMap((file) => file ?? []))
    await replace(second, first)
    expect(await api.hosted('back/site/index.html')).toBe('second')
    expect((await trash.list()).items).toMatchObject([{ id: first, count: 1 }])
    await trash.restore(first)
    expect(await api.hosted('back/site (2)/index.html')).toBe('first')
  })

  test('may be inside the other one, whose rest goes to the trash, also on the way back', async () => {
    const live = await make('around/site', { 'index.html': 'first', 'sub/old.css': 'old' })
    const next = await make('around/site/sub/.arriving', { 'index.html': 'second', 'sub/new.css': 'new' })

    expect(await replace(next, live)).toMatchObject({ id: next, name: 'site', key: 'around/site' })

    expect(await api.hosted('around/site/index.html')).toBe('second')
    expect(await api.hosted('around/site/sub/new.css')).toBe('new')
    expect(await api.hosted('around/site/sub/old.css')).toBe(404)
    expect((await api.browse({ key: 'around/site/sub' })).folders).toEqual([])
    expect(await storedIn(holdfast).trashed()).toEqual(['site/index.html', 'site/sub/old.css'])
    expect((await trash.list()).items).toMatchObject([{ id: live, key: 'around/site', count: 2 }])
    await expectNoIntents(holdfast)
    await replace(live, next)
    expect(await api.hosted('around/site/index.html')).toBe('first')
    expect((await api.browse({ key: 'around/site/sub' })).folders).toEqual([])
    const empty = await make('around/site/only/next', { a: 'third' })
    await replace(empty, live)
    await trash.restore(live)
    expect((await api.browse({ key: 'around/site (2)' })).folders.map(({ name }) => name)).toContain('only')
  })

  test('may come from elsewhere in the tree', async () => {
    const live = await make('far/away/site', { a: 'old' })
    const next = await make('other/place', { a: 'new' })

    expect((await replace(next, live)).key).toBe('far/away/site')

    expect(await api.hosted('far/away/site/a')).toBe('new')
    expect((await api.browse({ key: 'other' })).folders).toEqual([])
  })

  test('is not itself, around the other, the root, a file or unknown', async () => {
    const outer = await make('outer', { 'inner/a': 'a' })
    const other = await make('other', { b: 'b' })
    const [inner] = (await api.browse({ id: outer })).folders
    const root = inner && (await api.browse()).folders[0]?.parentId
    const file = await api.upload('file', 'x')
    await trash.put({ fileIds: [file.id] })
    const refusal = async (id: string | undefined | null, replaces: string | undefined | null) =>
      (await api.refusal('POST', '/folders/replace', { id, replaces }))[0]

    expect(await refusal(outer, outer)).toBe(400)
    expect(await refusal(outer, inner?.id)).toBe(400)
    expect(await refusal(root, outer)).toBe(400)
    expect(await refusal(outer, root)).toBe(400)
    expect(await refusal(file.id, outer)).toBe(400)
    expect(await refusal('unknown', outer)).toBe(404)
    expect(await refusal(outer, 'unknown')).toBe(404)

    expect(await api.checksums('outer')).toHaveProperty(['outer/inner/a'])
    expect(await api.hosted('other/b')).toBe('b')
    await api.data('DELETE', '/folders', { id: other })
  })

  test('is one of several that are to replace the same folder at the same time', async () => {
    const live = await make('contested/site', { a: 'old' })
    const rivals = await Promise.all(['b', 'c', 'd'].map((name) => make(`contested/${name}`, { a: name })))

    const statuses = await Promise.all(
      rivals.map(async (id) => await api.status('POST', '/folders/replace', { id, replaces: live })),
    )

    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    expect(statuses.filter((status) => ![200, 404, 503].includes(status))).toEqual([])
    const winner = ['b', 'c', 'd'][statuses.indexOf(200)] ?? ''
    expect(await api.hosted('contested/site/a')).toBe(winner)
    expect((await api.browse({ key: 'contested' })).folders).toHaveLength(3)
    expect(await storedIn(holdfast).trashed()).toEqual(['site/a'])
  })

  test('leaves nothing in a trash that keeps nothing', async () => {
    await using own = await startWithAccount()
    const ownApi = apiOf(own, own)
    await apiOf(own, { withKey: { Cookie: own.cookie } }).data('PUT', '/settings', { trashDays: 0 })
    await ownApi.upload('a', 'old', 'site')
    await ownApi.upload('a', 'new', 'next')
    const idOf = async (key: string) =>
      (await ownApi.browse()).folders.find((folder) => folder.key === key)?.id

    await ownApi.data('POST', '/folders/replace', { id: await idOf('next'), replaces: await idOf('site') })

    expect(await ownApi.hosted('site/a')).toBe('new')
    expect((await trashOf(ownApi).list()).total).toBe(0)
    expect(await storedIn(own).trashed()).toEqual([])
  })
})

/** Number of replacements during the requests of visitors. Each second one is a rollback. */
const ROUNDS = 50
const PAGES = ['index.html', 'deep/style.css']
/** Returns content with its version at its start and end. */
const contentOf = (version: number) => `version ${version}, `.repeat(200 + version)

describe('visitors of a site', () => {
  test('find a whole version at any time, and never an older one after a newer one', async () => {
    const files = (version: number) => Object.fromEntries(PAGES.map((page) => [page, contentOf(version)]))
    /** Contents that the site had or may have by now, in order. */
    const history = [contentOf(0)]
    let [live, isOver] = [await make('visited/site', files(0)), false]
    const seen = new Set<string>()
    const visit = async (headers: Record<string, string>): Promise<number> => {
      let [at, requests] = [0, 0]
      for (; !isOver; requests += 1) {
        const page = PAGES[requests % PAGES.length]
        const response = await holdfast.fetch(`/api/hosting/visited/site/${page}`, { headers })
        const body = await response.text()
        const next = history.indexOf(body, at)
        if (response.status !== 200 || next < 0) throw new Error(`${response.status} ${body.slice(0, 40)}`)
        at = next
        seen.add(body)
      }
      return requests
    }
    const visits = Promise.all(
      [{}, {}, holdfast.withKey, { 'If-Modified-Since': 'Thu, 01 Jan 1970 00:00:00 GMT' }].map(visit),
    ).finally(() => {
      isOver = true
    })

    let before = ''
    for (let round = 1; round <= ROUNDS && !isOver; round += 1) {
      const isRollback = round % 2 === 0
      const next = isRollback ? before : await make('visited/.arriving', files(round))
      history.push(isRollback ? (history.at(-2) ?? '') : contentOf(round))
      await replace(next, live)
      ;[before, live] = [live, next]
    }
    isOver = true
    const requests = await visits

    expect(history).toHaveLength(ROUNDS + 1)
    expect(Math.min(...requests)).toBeGreaterThan(ROUNDS)
    expect(seen.size).toBeGreaterThan(5)
  })
})
