import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { SQL } from 'bun'
import type { ChangeEvent } from '../../src/catalog/postgres/fence.ts'
import type { PostgresCatalog } from '../../src/catalog/postgres/open.ts'
import { Switch } from '../scale/faults/switch.ts'
import { fileRow, folderRow, id, NOW, openNode } from '../support/engines.ts'
import { eventually } from '../support/eventually.ts'
import { startPostgres, type TestPostgres } from '../support/postgres.ts'

let server: TestPostgres
let url: string
let one: PostgresCatalog
let two: PostgresCatalog
/** Events that the second node has read. */
let events: ChangeEvent[]
let missed: number
/** Time of the second node. */
let now: number

beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server[Symbol.dispose]())

beforeEach(async () => {
  url = server.createDatabase()
  events = []
  missed = 0
  now = 0
  one = await openNode(url, { node: 'one' })
  two = await openNode(url, {
    node: 'two',
    monotonic: () => now,
    onEvents: (found) => void events.push(...found),
    onMissed: () => {
      missed += 1
    },
  })
  await one.transact(() =>
    one.folders.insert([folderRow(1, null, ''), folderRow(2, 1, 'a'), folderRow(3, 1, 'b')]),
  )
  await one.files.insert(
    Array.from({ length: 300 }, (_, n) => fileRow(1000 + n, n < 200 ? 2 : 3, `file ${n}`)),
  )
})
afterEach(() => {
  one.close()
  two.close()
})

describe('a fence', () => {
  test('knows each change of another node that ended before it', async () => {
    for (let n = 0; n < 100; n++) {
      const target = id(1000 + n)
      await (n % 2 === 0 ? one.files.remove(target) : one.files.update(target, { updatedAt: NOW }))
      await two.fence()
      expect(events.splice(0)).toEqual([{ kind: 'file', target }])
    }
  })

  test('reports each event once, and those of a long transaction after its commit', async () => {
    const gate = Promise.withResolvers<void>()
    await using other = new SQL(url)
    const begun = Promise.withResolvers<void>()
    const long = other.begin(async (sql) => {
      await sql`DELETE FROM files WHERE id = ${id(1000)}`
      begun.resolve()
      await gate.promise
    })
    await begun.promise
    for (const n of [1001, 1002, 1003]) {
      await one.files.remove(id(n))
      await two.fence()
    }
    expect(events.map(({ target }) => target)).toEqual([id(1001), id(1002), id(1003)])
    gate.resolve()
    await long
    await two.fence()
    expect(events.map(({ target }) => target)).toEqual([id(1001), id(1002), id(1003), id(1000)])
  })

  test('misses nothing while many nodes write and many requests wait', async () => {
    const seen = new Set<string>()
    const removals = Array.from({ length: 300 }, async (_, n) => {
      const target = id(1000 + n)
      await (n % 2 === 0 ? one : two).files.remove(target)
      await two.fence()
      for (const event of events) seen.add(event.target)
      expect(seen.has(target)).toBe(true)
    })
    await Promise.all(removals)
    expect(events).toHaveLength(300)
  })

  test('reports a change of very many files, of folders and of settings without naming each', async () => {
    await one.setVisibilityBelow({ folderId: id(2), visibility: 'public', updatedAt: NOW }, function* () {})
    await two.fence()
    expect(events.splice(0)).toContainEqual({ kind: 'tree', target: '' })
    await one.folders.update(id(2), { name: 'c' })
    await two.fence()
    expect(events.splice(0)).toEqual([{ kind: 'tree', target: '' }])
    await one.settings.set({ title: 'x' })
    await two.fence()
    expect(events.splice(0)).toContainEqual({ kind: 'settings', target: '' })
  })

  test('grows the version of the catalog with changes of others, and only with them', async () => {
    const before = two.version()
    await two.transact(() => two.files.any())
    await two.activities.newest(id(1), 5, { types: ['none', 'other'] })
    await two.fence()
    expect(two.version()).toBe(before)
    await one.files.remove(id(1000))
    await two.fence()
    expect(two.version()).toBeGreaterThan(before)
  })

  test('is passed without a read when the last one is recent enough', async () => {
    await two.fence()
    now += 500
    expect(two.fence(1000)).toBeUndefined()
    now += 1000
    await one.files.remove(id(1000))
    await two.fence(1000)
    expect(events).toHaveLength(1)
  })

  test('says that events may be missing when the database has lost transactions in a failover', async () => {
    using network = await Switch.open(server.port)
    const address = new URL(url)
    address.port = String(network.port)
    const told: string[] = []
    const behind = await openNode(address.href, { node: 'behind', onMissed: () => void told.push('missed') })
    using standby = await server.startStandby()
    standby.promote()
    // The standby lacks these, and gives their ids to others.
    for (let n = 1000; n < 1100; n++) await one.files.remove(id(n))
    await behind.fence()
    network.target = standby.port
    network.cut()
    address.port = String(standby.port)
    const other = await openNode(address.href, { node: 'other' })
    await other.files.remove(id(1200))

    await eventually(() =>
      Promise.resolve(behind.fence()).then(
        () => true,
        () => false,
      ),
    )
    expect(told).not.toHaveLength(0)
    other.close()
    behind.close()
  })

  test('says that events may be missing when the node was away for long', async () => {
    await two.fence()
    now += 400_000
    await two.fence()
    expect(missed).toBe(1)
  })
})

describe('nodes', () => {
  const blob = (n: number, node: string) => ({
    id: id(n),
    state: 'arriving' as const,
    node,
    uploadId: null,
    size: 0,
    createdAt: NOW,
    notBefore: 0,
  })
  const stateOf = async (n: number) => (await one.blobs.byId(id(n)))?.state

  test('leave blobs to nodes that are alive, and doom those of dead ones', async () => {
    for (const [n, node] of [
      [1, 'one'],
      [2, 'two'],
      [3, 'never known'],
    ] as const)
      await one.blobs.insert(blob(n, node))
    expect(await one.nodes.alive()).toEqual(['one', 'two'])
    expect(await one.nodes.doomAbandoned(NOW)).toBe(1)
    await two.nodes.leave()
    expect(await one.nodes.doomAbandoned(NOW)).toBe(1)
    expect([await stateOf(1), await stateOf(2), await stateOf(3)]).toEqual(['arriving', 'doomed', 'doomed'])
    expect(await two.transact(() => two.blobs.keep(id(2), 1))).toBe(false)
  })

  test('hold an item one at a time, until the holder releases it or is dead', async () => {
    expect([
      await one.holds.take('item'),
      await two.holds.take('item'),
      await one.holds.take('item'),
    ]).toEqual([true, false, true])
    await two.holds.release('item')
    expect(await two.holds.take('item')).toBe(false)
    await one.holds.release('item')
    expect(await two.holds.take('item')).toBe(true)
    await two.nodes.leave()
    expect(await one.holds.take('item')).toBe(true)
  })

  test('do a job once', async () => {
    const claims = await Promise.all(
      Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? one : two).nodes.claim('scrub', 60_000)),
    )
    expect(claims.filter(Boolean)).toHaveLength(1)
    expect(await two.nodes.claim('other', 1)).toBe(true)
    await using admin = new SQL(url)
    await admin`UPDATE jobs SET next_at = now() WHERE name = 'other'`
    expect(await one.nodes.claim('other', 1)).toBe(true)
  })

  test('remove old events', async () => {
    await using admin = new SQL(url)
    await one.files.remove(id(1000))
    await admin`UPDATE events SET created_at = now() - interval '11 minutes'`
    await one.files.remove(id(1001))
    await one.nodes.prune()
    expect(await admin`SELECT target FROM events`.values()).toEqual([[id(1001)]])
  })
})
