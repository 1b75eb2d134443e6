import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrations } from '../drizzle/migrations.ts'
import { apiOf } from './support/api.ts'
import { register, startInside } from './support/holdfast.ts'

/** Makes the data folder of a server whose database had only the first `version` migrations. */
function dataOf(version: number): string {
  const dataPath = mkdtempSync(join(tmpdir(), 'holdfast-'))
  mkdirSync(join(dataPath, 'db'))
  using database = new Database(join(dataPath, 'db', 'holdfast.sqlite'), { create: true })
  for (const migration of migrations.slice(0, version))
    for (const statement of migration.split('--> statement-breakpoint')) database.run(statement)
  database.run(`PRAGMA user_version = ${version}`)
  return dataPath
}

test.each(migrations.map((_, index) => index + 1))(
  'a database of schema %d starts and works',
  async (version) => {
    const dataPath = dataOf(version)
    try {
      await using holdfast = await startInside({ dataPath })
      const api = apiOf(holdfast, await register(holdfast))
      const { id } = await api.upload('file.txt', 'content', 'folder')
      await api.data('PUT', '/files', { id, name: 'renamed.txt', visibility: 'private' })
      expect(await api.list()).toMatchObject([{ key: 'folder/renamed.txt', visibility: 'private' }])
      expect(await api.data('GET', '/stats')).toMatchObject({ files: { total: 1, folders: 2 } })
    } finally {
      rmSync(dataPath, { recursive: true, force: true })
    }
  },
)
