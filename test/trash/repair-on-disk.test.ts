import { expect, test } from 'bun:test'
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startWithBackups } from '../support/backups.ts'

test('a repair drops versions and items of the trash whose bytes are missing, and only those', async () => {
  await using source = await startWithBackups()
  const { api, holdfast: first, repair } = source
  const { dataPath } = first
  const inTrash = (path: string) => {
    const found = readdirSync(join(dataPath, 'trash'), { recursive: true }).find((entry) =>
      String(entry).endsWith(`/${path}`),
    )
    return join(dataPath, 'trash', String(found))
  }
  const replaced = await api.upload('replaced.txt', 'first')
  await api.replace(replaced.id, 'second')
  const file = await api.upload('file.txt', 'alone')
  const damaged = await api.upload('damaged.txt', 'alone')
  const { folderId: part } = await api.upload('a.txt', 'content of a', 'part')
  await api.upload('b.txt', 'of b', 'part/sub')
  const { folderId: whole } = await api.upload('c.txt', 'content of c', 'whole/sub')
  const { folderId: empty } = await api.upload('d.txt', 'content of d', 'empty')
  await first.trash.put({ fileIds: [file.id, damaged.id], folderIds: [part, whole, empty] })
  await first.stop()
  for (const version of readdirSync(join(dataPath, 'versions'))) rmSync(join(dataPath, 'versions', version))
  for (const path of ['file.txt', 'part/a.txt', 'empty']) rmSync(inTrash(path), { recursive: true })
  writeFileSync(inTrash('damaged.txt'), 'longer than it was')

  const planned = await repair()

  expect(planned.exitCode).toBe(0)
  for (const line of [
    /drop the record of "versions\/[^"]+": bytes are missing\n/,
    /drop the record of "trash\/[^"]+\/file\.txt": bytes are missing\n/,
    /drop the record of "trash\/[^"]+\/part\/a\.txt": bytes are missing\n/,
    /drop the record of the folder "trash\/[^"]+\/empty": folder is missing\n/,
    /leave "trash\/[^"]+\/damaged\.txt" alone: size differs\n/,
  ])
    expect(planned.output).toMatch(new RegExp(`Would ${line.source}`))
  expect(planned.output).toContain('5 changes to make')
  expect((await repair('--yes')).output).toContain('5 changes made')
  expect((await source.verify('--deep')).output).toContain('1 difference')

  await using holdfast = await source.open()
  const { items } = await holdfast.trash.list('?orderBy=name&orderDirection=ASC')
  expect(items.map(({ name, count, size }) => ({ name, count, size }))).toEqual([
    { name: 'damaged.txt', count: 1, size: 5 },
    { name: 'part', count: 1, size: 4 },
    { name: 'sub', count: 1, size: 12 },
  ])
  expect(holdfast.catalog.check.wrongTotals()).toEqual([])
})
