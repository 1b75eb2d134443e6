import { expect, test } from 'bun:test'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AGREES, databaseIn, objectsIn, snapshotsIn, startWithBackups, tamper } from '../support/backups.ts'
import { expectRefused } from '../support/command.ts'
import { heldFiles } from '../support/trash.ts'

test('a backup has the trash, and its restored items can return to the tree', async () => {
  await using instance = await startWithBackups()
  const { api, backup, backups, restore, open } = instance
  const { trash } = instance.holdfast
  const file = await api.upload('single.txt', 'single', 'one')
  const inFolder = await api.upload('a.txt', 'in the folder', 'tree')
  const below = await api.upload('b.txt', 'below', 'tree/sub')
  await trash.put({ fileIds: [file.id], folderIds: [inFolder.folderId] })
  const { items } = await trash.list()

  expect((await backup()).exitCode).toBe(0)
  expect(objectsIn(backups)).toHaveLength(3)
  expect((await backup('--keep', '1')).exitCode).toBe(0)
  expect(objectsIn(backups)).toHaveLength(3)
  expect(snapshotsIn(backups)).toHaveLength(1)
  expect((await restore('again')).exitCode).toBe(0)

  await using opened = await open('again')
  expect((await opened.trash.list()).items).toEqual(items)
  expect(heldFiles(opened)).toEqual(['single.txt', 'tree/a.txt', 'tree/sub/b.txt'])
  expect((await opened.trash.restore(file.id, inFolder.folderId)).failed).toEqual([])
  expect(await opened.api.file(below.id)).toEqual(below)
  expect(await opened.api.hosted('one/single.txt')).toBe('single')
  expect(await opened.api.hosted('tree/sub/b.txt')).toBe('below')
})

test('a restore writes nothing outside the folder "trash"', async () => {
  await using instance = await startWithBackups()
  const { api, backup, backups, base, restore, open } = instance
  const { trash } = instance.holdfast
  const names = ['entry', 'name', 'below']
  const files = await Promise.all(names.map((name) => api.upload(`${name}.txt`, name, name)))
  await trash.put({ fileIds: files.slice(0, 2).map(({ id }) => id), folderIds: [files[2]?.folderId ?? ''] })
  expect((await backup()).exitCode).toBe(0)
  tamper(
    databaseIn(backups),
    "UPDATE trash SET entry = '../../entry' WHERE name = 'entry.txt'",
    "UPDATE trash SET name = '../../name.txt' WHERE name = 'name.txt'",
    "UPDATE trashed_files SET name = '../../../below.txt' WHERE name = 'below.txt'",
  )

  expect((await restore('tampered')).exitCode).toBe(1)

  expect(readdirSync(base).sort()).toEqual(['backups', 'data', 'tampered'])
  expect(readdirSync(join(base, 'tampered')).sort()).toEqual(
    expect.not.arrayContaining(['entry', 'name.txt', 'below.txt']),
  )
  await using opened = await open('tampered')
  expect(heldFiles(opened)).toEqual([expect.stringMatching(/^below\/restored-[0-9a-f-]{36}$/)])
  expect((await opened.trash.list()).items.map(({ name }) => name)).toEqual(['below'])
})

/** Statements that point the file and the folder in the trash outside of the data folder. */
const LEAD_OUTSIDE = [
  "UPDATE trashed_files SET name = '../../../../victim.txt' WHERE name = 'a.txt'",
  "UPDATE trashed_folders SET name = '../../../..' WHERE name = 'sub'",
]

const byDepth = (a: string, b: string) => a.split('/').length - b.split('/').length

test('names in the trash of a tampered backup neither remove nor serve anything outside of it', async () => {
  await using instance = await startWithBackups()
  const { api, backup, backups, base, restore, open } = instance
  const folderIds: string[] = []
  for (const tree of ['purged', 'returned']) {
    folderIds.push((await api.upload('a.txt', 'content of a', tree)).folderId)
    await api.upload('victim.txt', 'content below', `${tree}/sub`)
  }
  await instance.holdfast.trash.put({ folderIds })
  expect((await backup()).exitCode).toBe(0)
  tamper(databaseIn(backups), ...LEAD_OUTSIDE)
  writeFileSync(join(base, 'victim.txt'), 'secret')

  expectRefused(
    await restore('tampered'),
    'The name "../../../../victim.txt" must',
    'The name "../../../.." must',
  )
  await using opened = await open('tampered')
  const [purged = '', returned = ''] = folderIds
  expect(await opened.trash.remove(purged)).toEqual({ deleted: 1, failed: [] })
  expect((await opened.trash.restore(returned)).failed).toEqual([])
  const keys = (await opened.api.list()).map(({ key }) => key).sort(byDepth)
  expect(keys).toEqual([
    expect.stringMatching(/^returned\/restored-[^/]+$/),
    expect.stringMatching(/^returned\/restored-[^/]+\/victim\.txt$/),
  ])
  expect(await Promise.all(keys.map((key) => opened.api.hosted(key)))).toEqual([
    'content of a',
    'content below',
  ])
  expect(heldFiles(opened)).toEqual([])
  expect(readFileSync(join(base, 'victim.txt'), 'utf8')).toBe('secret')
})

test('a tampered catalog of the trash neither removes nor serves anything outside of it', async () => {
  for (const statement of LEAD_OUTSIDE) {
    await using instance = await startWithBackups()
    const { api, base } = instance
    const { folderId } = await api.upload('a.txt', 'content of a', 'tree')
    await api.upload('victim.txt', 'content below', 'tree/sub')
    await instance.holdfast.trash.put({ folderIds: [folderId] })
    writeFileSync(join(base, 'victim.txt'), 'secret')
    tamper(instance.database, statement)

    const restored = await instance.holdfast.trash.restore(folderId)
    const removed = await instance.holdfast.trash.remove(folderId)

    const message = expect.stringMatching(/^The name "\.\.\/.*" in the trash must not contain/)
    expect(restored).toEqual({ restored: [], failed: [{ id: folderId, message }] })
    expect(removed).toEqual({ deleted: 0, failed: [{ id: folderId, message }] })
    expect(await api.list()).toEqual([])
    expect(readFileSync(join(base, 'victim.txt'), 'utf8')).toBe('secret')
  }
})

test('verify reports files of the trash that are missing, damaged or unknown', async () => {
  await using instance = await startWithBackups()
  const { api, holdfast, verify } = instance
  const kept = await api.upload('kept.txt', 'kept', 'tree/sub')
  const other = await api.upload('other.txt', 'other', 'tree')
  await instance.holdfast.trash.put({ folderIds: [other.folderId] })
  expect(await verify('--deep')).toEqual(AGREES)
  const root = join(holdfast.dataPath, 'trash')
  const [entry = ''] = readdirSync(root)

  writeFileSync(join(root, entry, 'tree/sub/kept.txt'), 'Kept')
  rmSync(join(root, entry, 'tree/other.txt'))
  mkdirSync(join(root, 'unknown'))

  expect((await verify()).output).not.toContain('kept.txt')
  const { exitCode, output } = await verify('--deep')
  expect(exitCode).toBe(1)
  expect(output.trimEnd().split('\n').sort()).toEqual([
    `"trash/${entry}/tree/other.txt": bytes are missing`,
    `"trash/${entry}/tree/sub/kept.txt": content differs`,
    '"trash/unknown": not in the catalog',
    '3 differences',
  ])
  expect(kept.size).toBe(4)
})
