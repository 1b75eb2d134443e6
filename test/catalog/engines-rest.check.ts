import { beforeAll, describe, expect, test } from 'bun:test'
import { fileRow, folderRow, id, NOW, withBoth } from '../support/engines.ts'

/** Runs functions of the catalog on SQLite and on PostgreSQL, and compares what they return. */

const both = withBoth()
const { same } = both

beforeAll(async () => {
  await same.folders.insert([folderRow(1, null, ''), folderRow(2, 1, 'one')])
  await same.files.insert([fileRow(200, 2, 'a'), fileRow(201, 2, 'b')])
})

describe('the rest of the catalog', () => {
  test('finds nothing by text with a NUL', async () => {
    expect(await same.files.byId('a\0')).toBeUndefined()
    expect(await same.files.byName(id(2), 'a\0')).toBeUndefined()
    expect(await same.shares.byId('\0')).toBeUndefined()
  })

  test('has the same settings and facts', async () => {
    await same.settings.fill({ b: 1, a: { deep: ['x'] } })
    await same.settings.fill({ b: 2, c: null })
    await same.settings.set({ a: false, d: 'text', e: undefined })
    await same.settings.all()
    await same.instance.get('volumeId')
    for (const value of ['one', 'two']) await same.instance.set('volumeId', value)
    await same.instance.get('volumeId')
  })

  test('has the same intents', async () => {
    const intent = { id: id(400), plan: { kind: 'publish', names: ['ä'] }, createdAt: NOW }
    await same.intents.insert(intent)
    await same.intents.update(id(400), { kind: 'other' })
    await same.intents.all()
    await same.intents.remove(id(400))
    await same.intents.all()
  })

  test('has the same problems of files', async () => {
    await same.integrity.summary()
    const problem = { fileId: id(200), problem: 'missing', foundAt: NOW }
    await same.integrity.put(problem)
    await same.integrity.put({ ...problem, foundAt: NOW + 1 })
    await same.integrity.byFile(id(200))
    await same.integrity.put({ ...problem, problem: 'other', foundAt: NOW + 2 })
    await same.integrity.summary()
    await same.integrity.fileIds()
    await same.integrity.clear(id(200))
  })

  test('has the same hosting counts', async () => {
    const counted = (n: number, day: string) => ({ fileId: id(n), day, requests: n, bytes: 5_000_000_000 })
    for (const day of ['2024-01-01', '2024-01-01', '2024-01-02'])
      for (const n of [200, 201, 999]) await same.traffic.addFiles([counted(n, day)])
    for (const day of ['2024-01-01', '2024-01-01', '2024-01-02'])
      await same.traffic.addDay({ day, requests: 1, bytes: 2, notFound: 3 })
    await same.traffic.top(10)
    await same.traffic.daysSince('2024-01-02')
    await same((catalog) =>
      catalog.traffic
        .fileDaysSince(id(200), '2024-01-01')
        .into((days) => days.toSorted((a, b) => (a.date < b.date ? -1 : 1))),
    )
    await same.traffic.file(id(200), '2024-01-01')
    await same.traffic.day('2024-01-01')
    const window = { filesBefore: '2024-01-02', daysBefore: '2024-01-02' }
    expect(await same.traffic.isStale(window)).toBe(true)
    await same.traffic.prune(window, 100)
    expect(await same.traffic.isStale(window)).toBe(false)
    await same.traffic.top(10)
    await same.files.remove(id(201))
    await same.traffic.top(10)
  })

  test('has the same trash', async () => {
    const item = (n: number) => ({
      id: id(n),
      kind: 'folder' as const,
      name: 'x',
      key: 'a/x',
      parentId: id(1),
      entry: `e${n}`,
      count: 0,
      size: 0,
      deletedAt: NOW + (n % 2),
      deletedBy: null,
      purging: false,
      replacedBy: n === 412 ? null : id(n + 500),
    })
    for (const n of [410, 411, 412]) await same.trash.insert(item(n))
    await same.trash.follow(id(910), id(920))
    await same.trash.totalIn([id(1), id(920)])
    await same.trash.byId(id(410))
    const held = [420, 421].map((n) => ({ ...fileRow(n, 410, `f${n}`), trashId: id(410) }))
    await same.trash.insertFiles(held)
    for (const n of [410, 430])
      await same.trash.insertFolder({ ...folderRow(n, 410, `d${n}`), parentId: id(410), trashId: id(410) })
    await same.trash.add(id(410), { count: 2, size: 841 })
    for (const limit of [1, 100]) await same.trash.hasAtMost(id(410), limit)
    await same.trash.page({ limit: 2, offset: 1 })
    await same.trash.until(NOW, 5)
    await same.trash.startPurge(id(412))
    await same.trash.purging()
    await same.trash.listed()
    await same.trash.total()
    await same.trash.byId(id(410))
    await same.trash.hasEntry('e411')
    await same.trash.hasEntry('none')
    await same.trash.renameFile(id(420), 'other')
    await same.trash.filesIn(id(410), id(410), 'a', 5)
    await same.trash.filesAfter(id(420), 5)
    await same.trash.foldersIn(id(410), id(410), '', 5)
    await same.trash.foldersAfter('', 5)
    await same.trash.removeFiles([id(421), 'none'])
    await same.trash.file(id(420))
    await same.trash.removeItem(id(410))
    await same.trash.folder(id(430))
    await same.trash.total()
  })

  test('has the same versions', async () => {
    const version = (n: number) => ({
      id: id(n),
      fileId: id(200),
      size: n,
      crc32: 0,
      sha256: 'b',
      isUtf8: false,
      mimeType: 'a/b',
      uploadedBy: null,
      blobId: null,
      writtenAt: NOW,
      replacedAt: NOW + n,
    })
    for (const n of [440, 441, 442, 443]) await same.versions.insert(version(n))
    await same.versions.total()
    await same.versions.ofFile(id(200), { limit: 2, offset: 1 })
    await same.versions.after(id(441), 5)
    await same.versions.replacedBefore(NOW + 442, 5)
    await same.versions.remove([id(440), 'none'])
    await same.versions.total()
    await same((catalog) =>
      catalog.versions.removeOfFiles([id(200), 'none']).into((rows) => rows.map((row) => row.id).toSorted()),
    )
    await same.versions.total()
  })

  test('has the same blobs', async () => {
    const blob = (n: number, node: string) => ({
      id: id(n),
      state: 'arriving' as const,
      node,
      uploadId: null,
      size: 0,
      createdAt: NOW,
      notBefore: 0,
    })
    for (const n of [450, 451, 452]) await same.blobs.insert(blob(n, n === 452 ? 'other' : 'own'))
    await same.blobs.setUpload(id(450), 'upload')
    expect(await same.blobs.keep(id(450), 5e12)).toBe(true)
    const arrived = [453, 454].map((n) => ({ id: id(n), size: n }))
    await same.blobs.insertAll([blob(453, 'own'), blob(454, 'own')])
    expect(await same.blobs.keepAll(arrived)).toBe(true)
    expect(await same.blobs.keepAll(arrived)).toBe(false)
    expect(await same.blobs.keep(id(450), 5)).toBe(false)
    await same.blobs.arrivingOf('own')
    await same.blobs.doomAbandoned('own', NOW)
    await same.blobs.doom([id(450)], NOW + 1)
    await same.blobs.statesOf([id(450), id(451), id(999)])
    await same.blobs.doomed(NOW + 5, 5)
    await same.blobs.attach('files', id(100), id(450))
    await same.blobs.users([id(450)])
    await same.blobs.remove([id(450)])
    await same.blobs.after('', 5)
    await same.blobs.forgetAll()
    await same.blobs.clear()
    await same.blobs.after('', 5)
  })

  test('has the same unfinished uploads', async () => {
    const upload = (n: number) => ({
      id: id(n),
      userId: id(302),
      keyId: null,
      shareId: null,
      visitor: null,
      address: null,
      name: 'x',
      folder: '',
      visibility: null,
      metadata: '',
      length: 9e12,
      received: 0,
      fileId: null,
      partOf: null,
      part: null,
      facts: null,
      createdAt: NOW,
      expiresAt: NOW + n,
    })
    for (const n of [460, 461, 462]) await same.resumables.insert(upload(n))
    await same.resumables.advance(id(460), { received: 6e12, expiresAt: NOW })
    await same.resumables.advance(id(460), { received: 5e12, expiresAt: NOW })
    const progress = { received: 7e12, expiresAt: NOW }
    await same.resumables.advanceFrom(id(460), 6e12, progress)
    await same.resumables.advanceFrom(id(460), 6e12, progress)
    await same.resumables.byId(id(460))
    const finished = { id: id(461), fileId: id(200), expiresAt: NOW }
    for (const catalog of [both.sqlite, both.postgres]) {
      const finish = () => catalog.transact(() => catalog.resumables.finish({ ...finished, recorded: 1 }))
      await expect(finish()).rejects.toThrow('Another request has taken over this upload')
    }
    await same.resumables.finish({ ...finished, recorded: 0 })
    await same((catalog) => catalog.resumables.unfinishedIds().into((ids) => ids.toSorted()))
    await same.resumables.countUnfinished(id(302))
    const visitor = { shareId: id(500), visitor: 'visitor' }
    await same.resumables.insert({ ...upload(463), ...visitor })
    const of = (visitor: string, soon: number) =>
      same.resumables.countUnfinishedOf(id(500), { visitor, address: 'x', soon })
    expect(await of('visitor', NOW + 463)).toEqual({ all: 1, own: 1, empty: 1 })
    expect(await of('visitor', NOW)).toEqual({ all: 1, own: 1, empty: 0 })
    expect(await of('other', NOW + 463)).toEqual({ all: 1, own: 0, empty: 0 })
    await same.resumables.reservedOf(id(500))
    await same.resumables.reservedOfUser(id(302))
    await same.resumables.reservedOfAll()
    await same.resumables.unfinishedBytes(id(500))
    await same.quotas.unfinishedOf(id(302))
    await same((catalog) =>
      catalog.resumables.abandoned(NOW, 5).into((rows) => rows.map((row) => row.id).sort()),
    )
    await same.resumables.countUnfinished(id(302))
    await same.resumables.remove(id(463))
    await same((catalog) =>
      catalog.resumables.expired(NOW + 1000, 5).into((rows) => rows.map((row) => row.id).sort()),
    )
    await same.resumables.byId(id(461))
    for (const n of [461, 462]) await same.resumables.removeUnfinished(id(n))
    for (const n of [461, 462]) await same.resumables.byId(id(n))
    await same.resumables.remove(id(461))
    await same.resumables.removeAll()
    await same.resumables.byId(id(460))
  })
})
