import { expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { SQL } from 'bun'
import { targetOn } from '../../src/catalog/postgres/copy.ts'
import { withoutServers } from '../../src/catalog/postgres/migrate.ts'
import { apiOf } from '../support/api.ts'
import { eventually } from '../support/eventually.ts'
import { expectAll, fill } from '../support/filled.ts'
import { type Inside, register, startInside } from '../support/holdfast.ts'
import { spawnCommand } from '../support/process.ts'
import { openEach } from './instances.ts'

const each = openEach()

/** Variables of a restored instance in a data folder of this name: on its own, or on a new database and prefix. */
function variablesOf(kind: 'own' | 'objects' | 'shared', name: string): Record<string, string> {
  const { DATABASE_URL: _, AUTH_SECRET = '', ...objects } = each.nodes.environment
  const own = { DATA_PATH: join(each.folder, name), AUTH_SECRET }
  if (kind === 'own') return own
  const inStore = { ...own, ...objects, S3_PREFIX: `${name}/` }
  return kind === 'objects' ? inStore : { ...inStore, DATABASE_URL: each.postgres.createDatabase() }
}

const start = (environment: Record<string, string>): Promise<Inside> =>
  startInside({ dataPath: environment['DATA_PATH'] ?? '', environment })

const backups = () => join(each.folder, 'backups')
const backup = (environment: Record<string, string> = each.nodes.environment) =>
  spawnCommand(['backup', backups()], { DATA_PATH: join(each.folder, 'none'), ...environment })
const restore = (environment: Record<string, string>) => spawnCommand(['restore', backups()], environment)

test('a backup of a shared database is restored to every kind of instance', async () => {
  const node = await each.nodes.start()
  const account = await register(node)
  const filled = await fill(node, account)

  expect(await backup()).toEqual({
    exitCode: 0,
    output: expect.stringMatching(
      /^Backup .*: 2 files, 4 new copies \(including versions and trash\), 0 damaged\n$/,
    ),
  })

  for (const kind of ['own', 'objects', 'shared'] as const) {
    const variables = variablesOf(kind, kind)
    expect(await restore(variables)).toEqual({ exitCode: 0, output: expect.stringContaining('agree') })
    const restored = await start(variables)
    await expectAll(restored, account, filled)
    await restored.stop()
  }
})

test('a backup of a data folder is restored to an empty shared database alone', async () => {
  const own = variablesOf('own', 'own')
  const original = await start(own)
  const account = await register(original)
  const filled = await fill(original, account)
  expect((await backup(own)).exitCode).toBe(0)
  await original.stop()

  const used = { ...each.nodes.environment, DATA_PATH: join(each.folder, 'new') }
  const node = await each.nodes.start()
  expect((await restore(used)).output).toContain('Servers run on the database "')
  await node.stop()
  rmSync(join(each.folder, 'new'), { recursive: true, force: true })
  expect((await restore(used)).output).toMatch(/The database "127.0.0.1:.*" is not empty/)

  const shared = variablesOf('shared', 'shared')
  const other = await restore({ ...shared, AUTH_SECRET: 'another secret of all servers' })
  expect(other.output).toContain('AUTH_SECRET is not the secret of the backup')
  const restored = await start(shared)
  await expectAll(restored, account, filled)
  await restored.stop()
})

test('no server starts on a database that a restore has begun to fill, until another restore ends', async () => {
  const original = await start(variablesOf('own', 'own'))
  const account = await register(original)
  const filled = await fill(original, account)
  expect((await backup(variablesOf('own', 'own'))).exitCode).toBe(0)
  await original.stop()
  const shared = variablesOf('shared', 'shared')
  const another = { ...shared, DATA_PATH: join(each.folder, 'another') }
  await using sql = new SQL({ url: shared['DATABASE_URL'] ?? '', max: 1 })
  // Ends the restore while it makes tables, after the first ones.
  await sql`CREATE TABLE nodes (expires_at timestamptz)`
  expect((await restore(shared)).exitCode).toBe(1)
  await sql`DROP TABLE nodes`
  await expect(start(another)).rejects.toThrow('is incomplete')

  // Ends it before its rows.
  await withoutServers(shared['DATABASE_URL'] ?? '', (connection) =>
    targetOn(connection).assertFillable('of a restore that was killed'),
  )
  await expect(start(another)).rejects.toThrow('is incomplete')
  expect((await restore(shared)).exitCode).toBe(0)
  const restored = await start(shared)
  await expectAll(restored, account, filled)
  await restored.stop()
})

test('a backup beside servers that change files has the state of one moment', async () => {
  const [one, two] = [await each.nodes.start(), await each.nodes.start()]
  const account = await register(one)
  const apis = [apiOf(one, account), apiOf(two, account)] as const
  let isRunning = true
  /** Uploads pairs of files, and removes every other pair in the opposite order: a second file never exists alone. */
  const churn = async (api: (typeof apis)[number], name: string) => {
    for (let n = 0; isRunning; n += 1) {
      const first = await api.upload(`${name}-${n}-1.txt`, `${name} ${n}`)
      const second = await api.upload(`${name}-${n}-2.txt`, `${name} ${n}`)
      if (n % 2 === 0) continue
      await api.data('DELETE', '/files', { id: second.id })
      await api.data('DELETE', '/files', { id: first.id })
    }
  }
  const churning = [churn(apis[0], 'a'), churn(apis[1], 'b')]
  await eventually(async () => (await apis[0].list()).length > 4)
  const { exitCode, output } = await backup()
  isRunning = false
  await Promise.all(churning)
  expect([exitCode, output]).toEqual([0, expect.stringContaining(' 0 damaged')])

  const variables = variablesOf('own', 'own')
  expect(await restore(variables)).toEqual({ exitCode: 0, output: expect.stringContaining('agree') })
  const restored = await start(variables)
  const names = new Set((await restored.server.deps.store.files.after('', 9999)).map(({ name }) => name))
  expect(names.size).toBeGreaterThan(0)
  for (const name of names) if (name.endsWith('-2.txt')) expect(names).toContain(name.replace('-2.', '-1.'))
  await restored.stop()
})
