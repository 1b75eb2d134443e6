import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { createKey } from '../support/holdfast.ts'
import { plantFiles } from '../support/many-files.ts'
import { type Credential, start, statsFor } from './stats.ts'

test('a write-ahead log that another program keeps long is an alert for callers with files:read', async () => {
  await using holdfast = await start()
  const path = join(holdfast.dataPath, 'db', 'holdfast.sqlite')
  const logAlerts = async (credential: Credential) =>
    (await statsFor(holdfast, credential)).alerts.filter(({ type }) => type === 'database-log')
  expect(await logAlerts({ Cookie: holdfast.cookie })).toEqual([])

  using other = new Database(path, { readonly: true })
  other.run('BEGIN')
  other.query('SELECT 1 FROM instance').get()
  plantFiles(holdfast, 'many', 50_000)

  const { size } = statSync(`${path}-wal`)
  expect(await logAlerts({ Cookie: holdfast.cookie })).toMatchObject([
    { type: 'database-log', limit: 64 * 1024 ** 2 },
  ])
  expect(size).toBeGreaterThan(64 * 1024 ** 2)
  const key = await createKey(holdfast, holdfast.cookie, { name: 'writer', scopes: ['files:write'] })
  expect(await logAlerts({ 'API-Key': key })).toEqual([])
})
