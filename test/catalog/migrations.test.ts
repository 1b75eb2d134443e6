import { expect, test } from 'bun:test'
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import RELEASED from '../../drizzle/released.json'
import { ENGINES, generate, listOf, releasedOf } from '../../src/build/migrations.ts'
import { temporaryFolder } from '../support/temporary.ts'

test.each(Object.entries(ENGINES))('the migrations of %s make the schema', async (_, engine) => {
  expect((await engine.changes()).statements).toEqual([])
})

test.each(Object.entries(RELEASED))('the migrations of release %s are unchanged', (_, released) => {
  for (const [name, { folder }] of Object.entries(ENGINES)) {
    const expected = released[name as keyof typeof ENGINES]
    expect([name, releasedOf(folder, expected.count)]).toEqual([name, expected])
  }
})

test.each(Object.entries(ENGINES))('the program has every migration of %s', (_, { folder }) => {
  expect(readFileSync(join(folder, 'migrations.ts'), 'utf8')).toBe(listOf(folder))
})

test.each(Object.entries(ENGINES))(
  'a change of the schema is one more migration of %s',
  async (_, engine) => {
    using copy = temporaryFolder()
    const folder = copy.path
    cpSync(engine.folder, folder, { recursive: true })
    const before = readdirSync(folder)
    const meta = join(folder, 'meta/snapshot.json')
    const snapshot = readFileSync(meta, 'utf8')
    writeFileSync(meta, snapshot.replaceAll('invitations_expires', 'invitations_old'))
    const changed = { ...engine, folder }

    await generate(changed, 'order')
    const [added = ''] = readdirSync(folder).filter((name) => !before.includes(name))
    const text = readFileSync(join(folder, added), 'utf8')
    const list = readFileSync(join(folder, 'migrations.ts'), 'utf8')
    const rest = await changed.changes()

    expect(added).toMatch(/^\d{4}_order\.sql$/)
    expect(text).toMatch(/DROP INDEX .invitations_old.;/)
    expect(text).toMatch(/CREATE INDEX .invitations_expires. ON .invitations.[^;]*$/)
    expect(list).toContain('  order,\n')
    expect(rest.statements).toEqual([])
  },
)
