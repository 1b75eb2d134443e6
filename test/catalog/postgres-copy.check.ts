import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { EVERYONE } from '../../src/catalog/people/grants.ts'
import { Connection } from '../../src/catalog/postgres/connection.ts'
import { copyFromPostgres, copyToPostgres, hasSameRows } from '../../src/catalog/postgres/copy.ts'
import { migrate } from '../../src/catalog/postgres/migrate.ts'
import { openCatalog } from '../../src/catalog/sqlite/open.ts'
import { fileRow, folderRow, id, NOW, openNode } from '../support/engines.ts'
import { startPostgres, type TestPostgres } from '../support/postgres.ts'

let postgres: TestPostgres
let folder: string

beforeAll(async () => {
  postgres = await startPostgres()
  folder = mkdtempSync(join(tmpdir(), 'holdfast-copy-'))
})
afterAll(() => {
  postgres[Symbol.dispose]()
  rmSync(folder, { recursive: true })
})

/** Folders of which each is in the one with the next higher id, so that no order of ids has parents first. */
const DEPTH = 2100

/** Makes a database in SQLite whose rows need care. */
async function makeSource(): Promise<string> {
  const path = join(folder, 'source.sqlite')
  const catalog = openCatalog({ path, onUnknownOutcome: () => {} })
  await catalog.transact(function* () {
    const user = {
      ...{
        id: id(1),
        name: 'Ada \u{1F9EE} "\\u0000"',
        email: 'ada@example.com',
        passwordHash: 'x',
        image: null,
        language: null,
      },
      ...{
        role: 'custom' as const,
        customScopes: ['files:read'],
        disabled: true,
        secondFactor: false,
        limited: true,
        createdAt: NOW,
        updatedAt: NOW,
      },
    }
    yield* catalog.users.insert(user)
    yield* catalog.folders.insert([folderRow(DEPTH, null, 'files')])
    const chain = Array.from({ length: DEPTH - 1 }, (_, n) => DEPTH - 1 - n)
    yield* catalog.folders.insert(chain.map((n) => folderRow(n, n + 1, `é ${n}`)))
    const grant = { folderId: id(DEPTH), rights: ['read' as const, 'share' as const], createdAt: NOW }
    yield* catalog.grants.set({ ...grant, userId: id(1), createdBy: null })
    yield* catalog.grants.set({ ...grant, userId: EVERYONE, createdBy: id(1) })
    const files = Array.from({ length: 1500 }, (_, n) => fileRow(10_000 + n, (n % DEPTH) + 1, `f\n${n}`))
    yield* catalog.files.insert(files)
    yield* catalog.securityEvents.insert({
      ...{ id: id(1), type: 'session.created', userId: id(1), email: null, actorId: null },
      ...{ ipAddress: '::1', userAgent: 'odd\0agent', detail: null, createdAt: NOW },
    })
  })
  catalog.close()
  return path
}

test('a database is copied from SQLite to PostgreSQL and back with all of its rows', async () => {
  const source = await makeSource()
  const url = postgres.createDatabase()
  await migrate(url)
  const connection = await Connection.open(url)
  await connection.query('BEGIN')
  await copyToPostgres(source, connection)
  expect(await hasSameRows(source, connection)).toBe(true)
  await connection.query('DELETE FROM security_events')
  expect(await hasSameRows(source, connection)).toBe(false)
  await connection.query('ROLLBACK')
  await connection.query('BEGIN')
  await copyToPostgres(source, connection)
  await connection.query('COMMIT')

  const node = await openNode(url)
  expect(await node.check.wrongTotals()).toEqual([])
  expect(await node.totals.folders()).toBe(DEPTH)
  expect(await node.users.byId(id(1))).toMatchObject({ customScopes: ['files:read'], limited: true })
  expect((await node.grants.of(id(1))).map(({ userId, rights }) => [userId, rights])).toEqual([
    [EVERYONE, ['read', 'share']],
    [id(1), ['read', 'share']],
  ])
  node.close()

  const back = join(folder, 'back.sqlite')
  await copyFromPostgres(connection, back)
  await connection.query('BEGIN')
  expect(await hasSameRows(back, connection)).toBe(true)
  connection.close()
  const catalog = openCatalog({ path: back, onUnknownOutcome: () => {} })
  expect(await catalog.check.wrongTotals()).toEqual([])
  expect(await catalog.check.dangling()).toEqual([])
  expect((await catalog.securityEvents.byId(id(1)))?.userAgent).toBe('odd\uFFFDagent')
  catalog.close()
})
