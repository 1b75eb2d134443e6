import { Database } from 'bun:sqlite'
import { afterEach, describe, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { migrations } from '../drizzle/migrations.ts'
import { openCatalog } from '../src/catalog/sqlite/open.ts'
import { signIn } from './support/accounts.ts'
import { apiOf } from './support/api.ts'
import { runInside } from './support/command.ts'
import { startInside } from './support/holdfast.ts'
import { expectNoIntents } from './support/intents.ts'
import {
  AUTH_SECRET,
  contentOf,
  dataOfVersion,
  KEY,
  keyOf,
  PASSWORD,
  pathOf,
  rowsOf,
} from './support/older-schema.ts'

let dataPath = ''
afterEach(() => rmSync(dataPath, { recursive: true, force: true }))

function rows(): ReturnType<typeof rowsOf> {
  using database = new Database(pathOf(dataPath), { readonly: true })
  return rowsOf(database)
}

/** Expects every row with all its values. Additional rows and columns are allowed. */
function expectAllIn(found: ReturnType<typeof rowsOf>, before: ReturnType<typeof rowsOf>): void {
  for (const [table, expected] of Object.entries(before))
    expect([table, found[table]]).toEqual([
      table,
      expect.arrayContaining(expected.map((row) => expect.objectContaining(row))),
    ])
}

const NEWEST = migrations.length
const SCHEMAS = migrations.map((_, index) => index + 1)

/** Returns whether the migration to the next schema writes rows or adds columns to those that exist. */
const nextChangesRows = (version: number): boolean =>
  /^(INSERT|UPDATE|DELETE|ALTER)\b/im.test(migrations[version] ?? '')

/** Schemas to start with. Between the others only tables, indexes and triggers are added, or removed. */
const STARTED = SCHEMAS.filter((version) => version === 1 || version === NEWEST || nextChangesRows(version))

describe('a database of schema', () => {
  test.each(SCHEMAS)('%d migrates with every value of every row', async (version) => {
    dataPath = dataOfVersion(version)
    const before = rows()
    for (const [table, found] of Object.entries(before)) expect([table, found.length]).not.toEqual([table, 0])

    const catalog = openCatalog({ path: pathOf(dataPath), onUnknownOutcome: () => {} })
    const problems = [
      await catalog.check.damage(),
      await catalog.check.dangling(),
      await catalog.check.wrongTotals(),
    ]
    catalog.close()

    expect(problems).toEqual([[], [], []])
    const after = rows()
    expectAllIn(after, before)
    for (const table of Object.keys(before))
      expect([table, after[table]?.length]).toEqual([table, before[table]?.length])
  })

  test.each(STARTED)('%d starts and works with its accounts, keys, files and history', async (version) => {
    dataPath = dataOfVersion(version)
    const { intents: _, ...before } = rows()

    const holdfast = await startInside({ dataPath, environment: { AUTH_SECRET } })
    await expectNoIntents(holdfast)
    expectAllIn(rows(), before)

    const api = apiOf(holdfast, { withKey: { 'API-Key': KEY } })
    const listed = await api.list({ orderBy: 'createdAt', orderDirection: 'ASC' })
    expect(listed.map(({ id, key }) => [id, key])).toEqual([0, 1, 2].map((n) => [`files id ${n}`, keyOf(n)]))
    expect(await Promise.all([0, 1, 2].map((n) => api.hosted(keyOf(n))))).toEqual([
      contentOf(0),
      contentOf(1),
      404,
    ])
    expect((await holdfast.fetch(`/${listed[0]?.url}`)).headers.get('cache-control')).toContain('max-age=77')
    const session = (await signIn(holdfast, 'user0@example.com', PASSWORD)).api
    const { activities } = await session.data<{ activities: { id: string }[] }>('GET', '/activity')
    expect(activities.map(({ id }) => id)).toEqual(['activities id 0'])
    await api.data('PUT', '/files', { id: listed[0]?.id, name: 'renamed.txt', visibility: 'private' })
    await api.upload('file.txt', 'content', 'folder')
    expect(await api.data('GET', '/stats')).toMatchObject({ files: { total: 4, folders: 4 } })
    await holdfast.stop()

    expect(await runInside(['verify', '--deep'], { DATA_PATH: dataPath })).toMatchObject({ exitCode: 0 })
  })
})
