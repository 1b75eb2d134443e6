import { expect, test } from 'bun:test'
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { apiOf } from '../support/api.ts'
import { startWithBackups } from '../support/backups.ts'
import { register } from '../support/holdfast.ts'
import { heldFiles, trashOf } from '../support/trash.ts'

const SETUP_TOKEN = 'token-of-the-operator'

/** Creates a data folder without its database. Its trash has a folder and a file with a version. */
async function makeLost() {
  const source = await startWithBackups()
  const { api, holdfast } = source
  const replaced = await api.upload('replaced.txt', 'first')
  await api.replace(replaced.id, 'second')
  const file = await api.upload('file.txt', 'content of file', 'deep')
  const { folderId } = await api.upload('a.txt', 'content of a', 'folder')
  await api.upload('b.txt', 'content of b', 'folder/sub/deeper')
  await api.createFolder('folder/empty')
  await holdfast.trash.put({ fileIds: [file.id] })
  await holdfast.trash.put({ folderIds: [folderId] })
  await source.loseDatabase()
  const at = (name: string) => join(holdfast.dataPath, name)
  return {
    ...source,
    trash: at('trash'),
    held: () => ['trash', 'versions'].map((name) => readdirSync(at(name), { recursive: true }).sort()),
  }
}

test('a repair without a database finds the files of the trash again, and removes nothing', async () => {
  await using lost = await makeLost()
  const before = lost.held()

  const planned = await lost.repair()
  expect(planned.output).toMatch(/Would add "trash\/[^/]+\/file\.txt" to the trash\n/)
  expect(planned.output).toMatch(/Would add "trash\/[^/]+\/folder" to the trash, with 2 files\n/)
  const repaired = await lost.repair('--yes')
  expect(repaired.exitCode).toBe(0)
  expect(repaired.output).toMatch(/Added "trash\/[^/]+\/folder" to the trash, with 2 files\n/)
  expect(repaired.output).toContain(
    'Left "versions" alone: 1 file in it: nothing says which files they are versions of. ' +
      'Copy what you need to "uploads" and repair again; remove the rest\n',
  )
  expect(lost.held()).toEqual(before)

  await using holdfast = await lost.open('data', { SETUP_TOKEN })
  await holdfast.server.jobs.runAll()
  const api = apiOf(holdfast, await register(holdfast, SETUP_TOKEN))
  const trash = trashOf(api)
  const { items } = await trash.list()
  const shown = items.map(({ kind, name, key, size, count }) => ({ kind, name, key, size, count }))
  expect(shown.sort((a, b) => (a.kind < b.kind ? -1 : 1))).toEqual([
    { kind: 'file', name: 'file.txt', key: 'file.txt', size: 15, count: 1 },
    { kind: 'folder', name: 'folder', key: 'folder', size: 24, count: 2 },
  ])

  const { restored, failed } = await trash.restore(...items.map(({ id }) => id))

  expect(failed).toEqual([])
  expect(restored.map(({ key }) => key).sort()).toEqual(['file.txt', 'folder'])
  expect((await api.list()).map(({ key, visibility }) => `${key} ${visibility}`).sort()).toEqual([
    'file.txt private',
    'folder/a.txt private',
    'folder/sub/deeper/b.txt private',
    'replaced.txt private',
  ])
  expect((await api.browse({ key: 'folder' })).folders.map(({ name }) => name)).toEqual(['empty', 'sub'])
  expect(heldFiles(holdfast)).toEqual([])
  expect((await lost.verify('--deep')).output).toContain('1 difference')
})

test('a repair reports entries that it cannot add to the trash, with instructions', async () => {
  await using lost = await makeLost()
  const root = lost.trash
  writeFileSync(join(root, 'loose.txt'), 'x')
  mkdirSync(join(root, 'found/inside'), { recursive: true })
  writeFileSync(join(root, 'found/inside/fine.txt'), 'fine')
  writeFileSync(join(root, 'found/inside/two\nlines.txt'), 'x')
  symlinkSync('/etc', join(root, 'found/inside/link'))
  symlinkSync('/etc', join(root, 'found/link'))

  const { output } = await lost.repair('--yes')

  for (const line of [
    'Left "trash/loose.txt" alone: it is not in a folder of its own: move it into one, such as "trash/found", and repair again',
    'Left "trash/found/link" alone: link or special file',
    'Left "trash/found/inside/link" alone: link or special file',
    'Left "trash/found/inside/two\\nlines.txt" alone: its name must not contain',
    'Added "trash/found/inside" to the trash, with 1 file',
  ])
    expect(output).toContain(line)
  expect((await lost.repair()).output).not.toContain('found/inside" to the trash')
  mkdirSync(join(root, 'mended'))
  writeFileSync(join(root, 'mended/loose.txt'), 'x')
  expect((await lost.repair('--yes')).output).toContain('Added "trash/mended/loose.txt" to the trash')
})
