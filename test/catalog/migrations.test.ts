import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { generateSQLiteDrizzleJson, generateSQLiteMigration } from 'drizzle-kit/api'
import { listOf } from '../../drizzle/list.ts'
import { changes } from '../../drizzle/postgres/generate.ts'
import * as schema from '../../src/catalog/schema.ts'

const FOLDER = join(import.meta.dir, '../../drizzle')
const filesIn = (folder: string, ending: string) =>
  readdirSync(folder).filter((name) => /^\d/.test(name) && name.endsWith(ending))

test('the migrations of SQLite make the schema', async () => {
  const last = filesIn(join(FOLDER, 'meta'), '_snapshot.json').toSorted().at(-1) ?? ''

  const statements = await generateSQLiteMigration(
    JSON.parse(readFileSync(join(FOLDER, 'meta', last), 'utf8')),
    await generateSQLiteDrizzleJson(schema),
  )

  expect(statements).toEqual([])
})

test('the migrations of PostgreSQL make the schema', async () => {
  expect((await changes()).statements).toEqual([])
})

test('the program has every migration', () => {
  for (const folder of [FOLDER, join(FOLDER, 'postgres')])
    expect(readFileSync(join(folder, 'migrations.ts'), 'utf8')).toBe(listOf(folder))
})
