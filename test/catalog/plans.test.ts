import type { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Built, Engine } from '../../src/catalog/engine/engine.ts'
import type { Steps } from '../../src/catalog/engine/query.ts'
import { openDatabase } from '../../src/catalog/sqlite/database.ts'
import { runNow, sqliteEngine } from '../../src/catalog/sqlite/engine.ts'
import { FolderCache } from '../../src/catalog/sqlite/folder-cache.ts'
import { tablesOf } from '../../src/catalog/tables.ts'
import { FILE_ORDERS, type FileOrder } from '../../src/views/orders.ts'

let sqlite: Database
let tables: ReturnType<typeof tablesOf>
/** Texts of the statements that were run. */
let run: string[] = []

beforeAll(() => {
  sqlite = openDatabase(':memory:')
  const engine = recording(sqliteEngine(sqlite))
  tables = tablesOf(engine, new FolderCache(engine))
})
afterAll(() => sqlite.close())

/** Returns an engine that records the text of each statement when it runs. */
function recording(engine: Engine): Engine {
  return {
    ...engine,
    prepare: <All, First>(built: Built<All, First>) => {
      const statement = engine.prepare(built)
      const noting =
        <Args extends unknown[], Value>(ask: (...args: Args) => Value) =>
        (...args: Args): Value => {
          if ('toSQL' in built && typeof built.toSQL === 'function') run.push(built.toSQL().sql)
          return ask(...args)
        }
      const { all, get, run: change, each, change: count, changeEach } = statement
      return {
        all: noting(all),
        get: noting(get),
        run: noting(change),
        each: noting(each),
        change: noting(count),
        changeEach: noting(changeEach),
      }
    },
  }
}

/** Returns how SQLite reads the tables for a query, statement by statement. */
function plan(ask: () => Steps<unknown>): string[] {
  run = []
  runNow(ask())
  return run.flatMap((text) =>
    sqlite
      .query<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${text}`)
      .all()
      .map(({ detail }) => detail),
  )
}

describe('a list of files', () => {
  const page = (orderBy: FileOrder, ascending: boolean, folderId?: string) =>
    plan(() => tables.lists.page({ orderBy, ascending, folderId, offset: 0, limit: 100 }))
  const last = 'USE TEMP B-TREE FOR LAST TERM OF ORDER BY'

  /** Plans of each order, ascending and descending. */
  const plans: Record<FileOrder, [string[], string[]]> = {
    createdAt: [['files_created', last], ['files_created']],
    updatedAt: [['files_updated_ascending'], ['files_updated']],
    name: [['files_name'], ['files_name_descending']],
    size: [['files_size_ascending'], ['files_size']],
  }
  test.each(FILE_ORDERS)('by %s is read in the order of an index', (orderBy) => {
    const scan = ([index, ...others]: string[]) => [`SCAN files USING INDEX ${index}`, ...others]

    expect([page(orderBy, true), page(orderBy, false)]).toEqual(plans[orderBy].map(scan))
  })

  test.each(FILE_ORDERS)('by %s with the ids of its files looks them up', (orderBy) => {
    const list = { orderBy, ascending: false, ids: ['id'], offset: 0, limit: 100 }
    expect(plan(() => tables.lists.page(list))).toContain(
      'SEARCH files USING INDEX sqlite_autoindex_files_1 (id=?)',
    )
  })

  test('of one folder is read in the order of an index, but by the time of the last change', () => {
    const search = (index: string) => `SEARCH files USING INDEX ${index} (folder_id=?)`

    expect(page('createdAt', false, 'id')).toEqual([search('files_folder_created')])
    expect(page('name', true, 'id')).toEqual([search('files_folder_name')])
    expect(page('size', true, 'id')[0]).toEqual(search('files_folder_size'))
    expect(page('updatedAt', true, 'id')[1]).toEqual('USE TEMP B-TREE FOR ORDER BY')
  })
})

describe('a removal of some rows', () => {
  test.each([
    ['counts of an API key', () => tables.apiRequests.removeAllOwn('user', 10)],
    ['counts of a day', () => tables.apiRequests.removeBefore('day', 10)],
    ['hosting counts', () => tables.traffic.prune({ filesBefore: 'day', daysBefore: 'day' }, 10)],
    ['entries of a history by id', () => tables.activities.removeOwn('user', ['id'])],
    ['a history', () => tables.activities.removeAllOwn('user', 10)],
    ['security events', () => tables.securityEvents.removeBefore(1, 10)],
    ['versions by id', () => tables.versions.remove(['id'])],
    ['deliveries of a webhook', () => tables.webhookDeliveries.removeOf('id', 10)],
    ['deliveries past the maximum', () => tables.webhookDeliveries.removeBeyond('id', 10, 10)],
    ['old invitations', () => tables.invitations.removeExpired(1, 10)],
    ['old deliveries', () => tables.webhookDeliveries.removeBefore(1, 10)],
  ])('of %s scans no table', (_, ask) => {
    expect(plan(ask).filter((line) => /^SCAN (?!json_each)/.test(line))).toEqual([])
  })

  test('of entries of a history looks them up by id', () => {
    expect(plan(() => tables.activities.removeOwn('user', ['id']))).toContain(
      'SEARCH activities USING INDEX sqlite_autoindex_activities_1 (id=?)',
    )
  })
})

test('a walk below a folder searches an index at each step', () => {
  const walks = [
    () => tables.bulk.hasMoreBelow('id', 10),
    () => tables.bulk.setVisibilityBelow({ folderId: 'id', visibility: 'public', updatedAt: 1 }),
    () => tables.folders.longestPathBelow('id'),
    () => tables.folders.hasPathBelow('id', 10, 5),
  ]

  for (const walk of walks)
    expect(plan(walk)).not.toContainEqual(expect.stringMatching(/SCAN (?:folders|files)/))
})

test('an invitation is found by the hash of its token', () => {
  expect(plan(() => tables.invitations.openWith('hash', 1))[0]).toBe(
    'SEARCH invitations USING INDEX invitations_token_hash_unique (token_hash=?)',
  )
})

test('the due deliveries of webhooks are read in the order of their index', () => {
  expect(plan(() => tables.webhookDeliveries.due(1, 10))).toContain(
    'SEARCH webhook_deliveries USING INDEX webhook_deliveries_due (next_at<?)',
  )
})

test('a parameter is an expression, which SQLite does not plan again for each value', () => {
  const text = String(sqlite.prepare(`SELECT '?', "name" FROM "files" WHERE "size" = ? LIMIT ?`))

  expect(text).toBe(`SELECT '?', "name" FROM "files" WHERE "size" = +NULL LIMIT +NULL`)
})
