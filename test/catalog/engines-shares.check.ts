import { beforeAll, describe, expect, test } from 'bun:test'
import type { ShareRow } from '../../src/catalog/shares/shares.ts'
import type { ShareVisitRow } from '../../src/catalog/shares/visits.ts'
import { fileRow, folderRow, id, NOW, withBoth } from '../support/engines.ts'

/** Runs functions of the catalog on SQLite and on PostgreSQL, and compares what they return. */

const { same } = withBoth()

beforeAll(async () => {
  await same.folders.insert([
    folderRow(1, null, ''),
    folderRow(2, 1, 'one'),
    folderRow(3, 2, 'two'),
    folderRow(4, 1, 'other'),
  ])
  await same.files.insert([fileRow(200, 3, 'deep'), fileRow(201, 4, 'beside'), fileRow(202, 1, 'top')])
  for (const n of [301, 302])
    await same.users.insert({
      id: id(n),
      name: 'User',
      email: `user${n}@example.com`,
      passwordHash: 'hash',
      image: null,
      role: 'editor',
      customScopes: [],
      disabled: false,
      secondFactor: false,
      limited: false,
      language: null,
      createdAt: NOW,
      updatedAt: NOW,
    })
})

const shareRow = (n: number, more: Partial<ShareRow> = {}): ShareRow => ({
  id: id(n),
  slug: `slug-${n}`,
  userId: id(301),
  keyId: null,
  title: null,
  note: 'ä',
  canRead: true,
  canWrite: false,
  passwordHash: null,
  expiresAt: null,
  maxDownloads: null,
  downloads: 0,
  folderId: null,
  maxFiles: null,
  maxBytes: 5_000_000_000,
  types: ['image/*'],
  receivedFiles: 0,
  receivedBytes: 0,
  notify: null,
  createdAt: NOW + n,
  updatedAt: NOW,
  ...more,
})

const isOpen = async (slug: string, now = NOW) => (await same.shares.openAt(slug, now)) !== undefined

describe('shares', () => {
  test('are the same rows, lists and counts', async () => {
    await same.shares.insert(shareRow(500))
    await same.shares.insert(shareRow(501, { userId: id(302), canWrite: true }))
    expect(await same.shares.idAt('slug-501')).toBe(id(501))
    expect(await same.shares.idAt('slug-5')).toBeUndefined()
    expect(await same.shares.countOfUser(id(301))).toBe(1)
    expect(await same.shares.ofUser(id(301))).toEqual([shareRow(500)])
    expect(await same.shares.all()).toHaveLength(2)
    await same.shares.update(id(501), { title: 'new', canRead: false, types: null })
    await same.shares.addDownload(id(501))
    const add = (files: number, bytes: number) => same.shares.addReceived(id(500), { files, bytes })
    expect(await add(2, 4_999_999_999)).toBe(true)
    expect(await add(1, 2)).toBe(false)
    expect(await add(1, 1)).toBe(true)
    const changed = {
      userId: id(302),
      title: 'new',
      canRead: false,
      canWrite: true,
      types: null,
      downloads: 1,
    }
    expect(await same.shares.byId(id(501))).toEqual(shareRow(501, changed))
  })

  test('are open until they expire or their owner is disabled, and do not expire once they are used up', async () => {
    await same.shares.insert(shareRow(510, { expiresAt: NOW + 5, maxDownloads: 1 }))

    expect(await isOpen('slug-510', NOW + 4)).toBe(true)
    expect(await isOpen('slug-510', NOW + 5)).toBe(false)
    const expired = (since: number) => same.shares.expired(since, NOW + 5)
    expect((await expired(NOW + 4)).map((share) => share.id)).toEqual([id(510)])
    expect(await expired(NOW + 5)).toEqual([])
    await same.shares.addDownload(id(510))
    expect(await expired(NOW + 4)).toEqual([])
    const used = await same.shares.openAt('slug-510', NOW)
    expect(used?.share).toMatchObject({ downloads: 1, maxDownloads: 1 })
    expect(await isOpen('slug-500')).toBe(true)
    await same((catalog) => catalog.users.update(id(301), { disabled: true }).into(() => undefined))
    expect(await isOpen('slug-500')).toBe(false)
    await same((catalog) => catalog.users.update(id(301), { disabled: false }).into(() => undefined))
  })

  test('hold their items and everything below shared folders, with present names', async () => {
    const rows = [
      { shareId: id(500), itemId: id(2), kind: 'folder' as const },
      { shareId: id(500), itemId: id(202), kind: 'file' as const },
      { shareId: id(500), itemId: id(999), kind: 'file' as const },
    ]
    await same.shares.setItems(id(500), rows)
    const names = (await same.shares.items(id(500))).map(({ name }) => name)
    expect(names).toEqual(['one', 'top', null])
    expect(await same.shares.itemsOfUser(id(301))).toHaveLength(3)
    expect(await same.shares.itemsOfAll()).toHaveLength(3)
    await same.shares.folderNames(id(500))
    await same.shares.folderNamesOfUser(id(301))
    await same.shares.folderNamesOfAll()

    const holds = (share: number, item: number, folder: number) =>
      same.shares.holds(id(share), id(item), id(folder))
    expect(await holds(500, 200, 3)).toBe(true)
    expect(await holds(500, 3, 3)).toBe(true)
    expect(await holds(500, 202, 1)).toBe(true)
    expect(await holds(500, 201, 4)).toBe(false)
    expect(await holds(500, 1, 1)).toBe(false)
    expect(await holds(501, 200, 3)).toBe(false)
    await same.folders.detach(id(3))
    expect(await holds(500, 200, 3)).toBe(false)
    await same.shares.remove(id(500))
    expect(await same.shares.itemsOfAll()).toEqual([])
  })
})

test('visits are the same rows, and are removed by share and by age', async () => {
  const visit = (n: number): ShareVisitRow => ({
    id: id(n),
    shareId: id(n % 2),
    visitor: 'v',
    what: 'opened',
    fileId: null,
    name: null,
    sentName: null,
    bytes: 5_000_000_000,
    ipAddress: '::1',
    userAgent: '',
    createdAt: NOW + Math.floor(n / 4),
  })
  for (let n = 600; n < 610; n++) await same.shareVisits.insert(visit(n))
  const [, last] = await same.shareVisits.newest(id(0), 2)
  expect(await same.shareVisits.newest(id(0), 10, last)).toHaveLength(3)
  await same.shareVisits.byId(id(601))
  expect(await same.shareVisits.uploadsOf(id(0), 'v', 5)).toEqual([])
  const seen = { shareId: id(1), visitor: 'v', what: 'opened' } as const
  expect(await same.shareVisits.isKnown(seen, NOW + 151)).toBe(true)
  expect(await same.shareVisits.isKnown(seen, NOW + 152)).toBe(false)
  expect(await same.shareVisits.isKnown({ ...seen, name: 'a' }, NOW + 151)).toBe(false)
  expect(await same.shareVisits.removeOf(id(1), 5)).toBe(5)
  expect(await same.shareVisits.removeBefore(NOW + 151, 10)).toBe(2)
})

test('downloads are counted while they are under way, and are removed by age', async () => {
  const download = (visitor: string, isFinished = false) => ({
    shareId: id(1),
    visitor,
    item: id(200),
    size: 10,
    ranges: [[0, 4]] as [number, number][],
    isFinished,
    sentAt: NOW,
  })
  for (const visitor of ['a', 'b']) await same.shareDownloads.put(download(visitor))
  expect(await same.shareDownloads.unfinished(id(1), NOW - 1)).toEqual({ count: 2, earliest: NOW })
  expect(await same.shareDownloads.unfinished(id(1), NOW)).toEqual({ count: 0, earliest: 0 })
  expect(await same.shareDownloads.isUnderWay(id(1), 'a')).toBe(true)
  await same.shareDownloads.put(download('a', true))
  expect(await same.shareDownloads.unfinished(id(1), NOW - 1)).toEqual({ count: 1, earliest: NOW })
  expect(await same.shareDownloads.isUnderWay(id(1), 'a')).toBe(false)
  expect(await same.shareDownloads.find(download('a'))).toEqual(download('a', true))
  await same.shareDownloads.remove(download('b'))
  expect(await same.shareDownloads.find(download('b'))).toBeUndefined()
  expect(await same.shareDownloads.removeBefore(NOW + 1, 5)).toBe(1)
})
