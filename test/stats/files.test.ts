import { describe, expect, test } from 'bun:test'
import { statfsSync } from 'node:fs'
import { toSpace } from '../../src/volume/disk.ts'
import type { FileView } from '../support/holdfast.ts'
import { DAY_MS, given, type Started, start, statsFor } from './stats.ts'

const filesOf = async ({ stats }: Started) => given((await stats()).files)
const put = ({ api }: Started, name: string, size: number, visibility: FileView['visibility'] = 'public') =>
  api.upload(name, 'x'.repeat(size), '', visibility)

describe('the files section', () => {
  test('of a new instance has the root folder and nothing else', async () => {
    await using started = await start()

    expect(await filesOf(started)).toMatchObject({
      total: 0,
      folders: 1,
      storage: { used: 0 },
      types: [],
      largest: [],
      recent: [],
      visibility: { public: { count: 0, size: 0 }, private: { count: 0, size: 0 } },
    })
  })

  test('counts files, folders and bytes of all accounts, as they come and go', async () => {
    await using started = await start()
    const { api } = started
    const { id } = await api.upload('a.txt', '12345', 'one/two')
    await api.upload('b.txt', '123')

    expect(await filesOf(started)).toMatchObject({ total: 2, folders: 3, storage: { used: 8 } })
    await api.data('DELETE', '/files', { id })
    expect(await filesOf(started)).toMatchObject({ total: 1, folders: 3, storage: { used: 3 } })
    const [folder] = (await api.browse()).folders
    await api.data('DELETE', '/folders', { id: folder?.id })
    expect(await filesOf(started)).toMatchObject({ total: 1, folders: 1, storage: { used: 3 } })
  })

  test('returns the space of the volume for an unprivileged user', async () => {
    await using started = await start()
    // Other programs write to the disk meanwhile, so only its size is constant.
    const { blocks, bsize } = statfsSync(started.dataPath)

    const { storage } = await filesOf(started)

    expect(storage.available).toBeWithin(1, storage.capacity)
    expect(storage.capacity).toBeWithin(1, blocks * bsize + 1)
  })

  test('excludes the space that is reserved for root', () => {
    const statfs = { bsize: 4096, blocks: 1000, bfree: 300, bavail: 250 }

    expect(toSpace(statfs)).toEqual({ available: 250 * 4096, capacity: 950 * 4096 })
  })

  test('lists the types by size, largest first, of public and private files, without empty types', async () => {
    await using started = await start()
    await put(started, 'a.txt', 10)
    await put(started, 'b.txt', 10, 'private')
    await put(started, 'c.png', 15)
    await put(started, 'd.unknown-type', 21)
    const { id } = await put(started, 'e.pdf', 99)
    await started.api.data('DELETE', '/files', { id })

    expect((await filesOf(started)).types).toEqual([
      { mimeType: 'application/octet-stream', size: 21, count: 1 },
      { mimeType: 'text/plain', size: 20, count: 2 },
      { mimeType: 'image/png', size: 15, count: 1 },
    ])
  })

  test('follows a file whose type changes with its name', async () => {
    await using started = await start()
    const { id } = await put(started, 'a.txt', 10)
    await started.api.data('PUT', '/files', { id, name: 'a.png' })

    expect((await filesOf(started)).types).toEqual([{ mimeType: 'image/png', size: 10, count: 1 }])
  })

  test('counts files and bytes by visibility', async () => {
    await using started = await start()
    const { id } = await put(started, 'a', 10)
    await put(started, 'b', 20)
    await put(started, 'c', 40, 'private')
    expect((await filesOf(started)).visibility).toEqual({
      public: { count: 2, size: 30 },
      private: { count: 1, size: 40 },
    })

    await started.api.data('PUT', '/files', { id, visibility: 'private' })

    expect((await filesOf(started)).visibility).toEqual({
      public: { count: 1, size: 20 },
      private: { count: 2, size: 50 },
    })
  })

  test('has the five largest files and the five most recent ones, as file objects', async () => {
    await using started = await start()
    const stored: FileView[] = []
    for (const size of [30, 70, 10, 60, 20, 50, 40]) {
      stored.push(await put(started, `${size}`, size))
      started.clock.advance(1000)
    }

    const { largest, recent } = await filesOf(started)

    expect(largest.map(({ size }) => size)).toEqual([70, 60, 50, 40, 30])
    expect(recent).toEqual(stored.toReversed().slice(0, 5))
  })

  test('excludes files of a folder under deletion from these lists, and fills them up', async () => {
    await using started = await start()
    const { store } = started.server.deps
    for (const size of [10, 20, 30, 40, 50, 60]) await put(started, `${size}`, size)
    started.clock.advance(1000)
    const { api } = started
    for (const size of [100, 110]) await api.upload(`${size}`, 'x'.repeat(size), 'gone/below')
    const gone = (await api.browse()).folders[0]?.id ?? ''
    await store.transact(() => store.folders.detach(gone))

    const { largest, recent } = await filesOf(started)

    expect(largest.map(({ size }) => size)).toEqual([60, 50, 40, 30, 20])
    expect(recent.map(({ key }) => key)).toHaveLength(5)
    expect(recent.some(({ size }) => size > 60)).toBe(false)
  })

  test('has an entry for each of the last 30 UTC days, zeros included, oldest first', async () => {
    await using started = await start()

    const { added } = await filesOf(started)

    expect(added).toHaveLength(30)
    expect(added[0]).toEqual({ date: '2026-01-31', count: 0, size: 0 })
    expect(added[1]).toEqual({ date: '2026-02-01', count: 0, size: 0 })
    expect(added[28]).toEqual({ date: '2026-02-28', count: 0, size: 0 })
    expect(added[29]).toEqual({ date: '2026-03-01', count: 0, size: 0 })
  })

  test('counts a file on the UTC day it was added, until that day is past the window', async () => {
    await using started = await start()
    const { clock } = started
    clock.setWall(Date.parse('2026-03-01T23:59:59.999Z'))
    await put(started, 'a', 10)
    clock.setWall(Date.parse('2026-03-02T00:00:00.000Z'))
    await put(started, 'b', 20)
    await put(started, 'c', 30)
    const onDays = async () => (await filesOf(started)).added.filter(({ count }) => count > 0)

    expect(await onDays()).toEqual([
      { date: '2026-03-01', count: 1, size: 10 },
      { date: '2026-03-02', count: 2, size: 50 },
    ])
    expect((await filesOf(started)).added.at(-1)?.date).toBe('2026-03-02')
    // The session does not last that long: the catalog is asked at another time instead.
    clock.setWall(Date.parse('2026-03-30T23:59:59.999Z'))
    const late = await statsFor(started, started.withKey)
    expect(late.files?.added.slice(0, 2).map(({ date, count }) => [date, count])).toEqual([
      ['2026-03-01', 1],
      ['2026-03-02', 2],
    ])
    clock.advance(1)
    const later = await statsFor(started, started.withKey)
    expect(later.files?.added[0]).toEqual({ date: '2026-03-02', count: 2, size: 50 })
  })

  test('counts only files still stored, and one that was changed on the day it was added', async () => {
    await using started = await start()
    const { api } = started
    const { id } = await put(started, 'a', 10)
    const kept = await put(started, 'b', 20)
    started.clock.advance(DAY_MS)
    await api.data('PUT', '/files', { id: kept.id, name: 'c.txt', visibility: 'private' })
    await api.data('DELETE', '/files', { id })

    expect((await filesOf(started)).added.slice(-2)).toEqual([
      { date: '2026-03-01', count: 1, size: 20 },
      { date: '2026-03-02', count: 0, size: 0 },
    ])
  })
})
