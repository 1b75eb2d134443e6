import { expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { apiOf } from '../support/api.ts'
import { runInside } from '../support/command.ts'
import { startInsideWithAccount } from '../support/fixture.ts'
import { type Account, startInside } from '../support/holdfast.ts'
import { trashOf } from '../support/trash.ts'

test('a repair drops versions and items of the trash whose bytes are missing, and only those', async () => {
  const dataPath = mkdtempSync(join(tmpdir(), 'holdfast-drop-'))
  using _ = { [Symbol.dispose]: () => rmSync(dataPath, { recursive: true }) }
  const run = (...words: string[]) => runInside(words, { DATA_PATH: dataPath })
  const inTrash = (path: string) => {
    const found = readdirSync(join(dataPath, 'trash'), { recursive: true }).find((entry) =>
      String(entry).endsWith(`/${path}`),
    )
    return join(dataPath, 'trash', String(found))
  }
  let account: Account
  {
    await using holdfast = await startInsideWithAccount({ dataPath })
    account = holdfast
    const api = apiOf(holdfast, account)
    const replaced = await api.upload('replaced.txt', 'first')
    const headers = account.withKey
    await holdfast.fetch(`/api/files/content?id=${replaced.id}`, { method: 'PUT', headers, body: 'second' })
    const file = await api.upload('file.txt', 'alone')
    const damaged = await api.upload('damaged.txt', 'alone')
    const { folderId: part } = await api.upload('a.txt', 'content of a', 'part')
    await api.upload('b.txt', 'of b', 'part/sub')
    const { folderId: whole } = await api.upload('c.txt', 'content of c', 'whole/sub')
    const { folderId: empty } = await api.upload('d.txt', 'content of d', 'empty')
    await trashOf(api).put({ fileIds: [file.id, damaged.id], folderIds: [part, whole, empty] })
    await holdfast.stop()
  }
  for (const version of readdirSync(join(dataPath, 'versions'))) rmSync(join(dataPath, 'versions', version))
  for (const path of ['file.txt', 'part/a.txt', 'empty']) rmSync(inTrash(path), { recursive: true })
  writeFileSync(inTrash('damaged.txt'), 'longer than it was')

  const planned = await run('repair', '--adopt')

  expect(planned.exitCode).toBe(0)
  expect(planned.output).toMatch(/Would drop the record of "versions\/[^"]+": bytes are missing\n/)
  expect(planned.output).toMatch(/Would drop the record of "trash\/[^"]+\/file\.txt": bytes are missing\n/)
  expect(planned.output).toMatch(/Would drop the record of "trash\/[^"]+\/part\/a\.txt": bytes are missing\n/)
  expect(planned.output).toMatch(
    /Would drop the record of the folder "trash\/[^"]+\/empty": folder is missing\n/,
  )
  expect(planned.output).toMatch(/Would leave "trash\/[^"]+\/damaged\.txt" alone: size differs\n/)
  expect(planned.output).toContain('5 change(s) to make')
  expect((await run('repair', '--adopt', '--yes')).output).toContain('5 change(s) made')
  expect((await run('verify', '--deep')).output).toContain('1 difference(s)')

  await using holdfast = await startInside({ dataPath })
  const trash = trashOf(apiOf(holdfast, account))
  const { items } = await trash.list('?orderBy=name&orderDirection=ASC')
  expect(items.map(({ name, count, size }) => ({ name, count, size }))).toEqual([
    { name: 'damaged.txt', count: 1, size: 5 },
    { name: 'part', count: 1, size: 4 },
    { name: 'sub', count: 1, size: 12 },
  ])
  expect(holdfast.catalog.check.wrongTotals()).toEqual([])
})
