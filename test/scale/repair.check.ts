import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { told } from '../../src/commands/outcome.ts'
import { apiOf } from '../support/api.ts'
import { expectAll, fill } from '../support/filled.ts'
import { register } from '../support/holdfast.ts'
import { spawnCommand } from '../support/process.ts'
import { openEach } from './instances.ts'

const each = openEach()

const run = (...words: string[]) =>
  spawnCommand(words, { ...each.nodes.environment, DATA_PATH: join(each.folder, 'data') })
const repair = (...options: string[]) => run('repair', '--adopt', ...options)
const BY_POSTGRES = 'References between rows and damaged pages are left to PostgreSQL and its `amcheck`\n'
const AGREES = { exitCode: 0, output: 'Object store and catalog agree\n' }

test('a repair compares the rows of a shared database with the objects, while no server runs', async () => {
  const node = await each.nodes.start()
  const api = apiOf(node, await register(node))
  const blobOf = async ({ id }: { id: string }) => (await node.server.deps.store.files.byId(id))?.blobId
  const lost = await blobOf(await api.upload('lost.txt', 'lost', 'deep'))
  const kept = await blobOf(await api.upload('kept.txt', 'kept'))
  await api.upload('rots.txt', 'rots')
  expect((await repair()).output).toContain('stop them first')
  await node.stop()
  expect(await repair('--yes')).toEqual({ exitCode: 0, output: BY_POSTGRES + AGREES.output })

  each.nodes.store.objects.delete(`blobs/${lost}`)
  for (const { bytes } of each.nodes.store.objects.values())
    if (bytes.toString() === 'rots') bytes.write('ROTS')
  await each.nodes.query(`UPDATE blobs SET state = 'doomed', not_before = 0 WHERE id = '${kept}'`)
  await each.nodes.query("DELETE FROM names WHERE name = 'rots.txt'; UPDATE total_parts SET size = size + 1")
  const lines = [
    'record "deep/lost.txt" as damaged: bytes are missing',
    'keep the bytes of "kept.txt", which no record protects',
    'record "rots.txt" as damaged: content differs',
  ]

  const said = await repair('--deep')
  const done = await repair('--deep', '--yes')

  expect(said.output).toBe(
    `${BY_POSTGRES}${lines.map((line) => `Would ${line}\n`).join('')}3 changes to make. Nothing was changed: add --yes to make them. 2 entries need a decision: see above.\n`,
  )
  expect(done.output).toBe(
    `${BY_POSTGRES}${lines.map((line) => `${told(line, true)}\n`).join('')}3 changes made: 2 files recorded as damaged, 1 object kept. No object was changed. 2 entries need a decision: see above.\n`,
  )
  expect(await run('verify')).toEqual({
    exitCode: 1,
    output: '"deep/lost.txt": bytes are missing\n1 difference\n',
  })
  const again = await each.nodes.start()
  await again.server.deps.store.finishLeftovers()
  expect(await again.server.deps.store.integrity.summary()).toMatchObject({ files: 2 })
  expect(each.nodes.store.objects.has(`blobs/${kept}`)).toBe(true)
  expect((await again.fetch('/api/hosting/kept.txt')).status).toBe(200)
  expect((await again.fetch('/api/hosting/deep/lost.txt')).status).toBe(404)
})

test('a repair returns rows that a backup of the shared database knows, and refuses that of another', async () => {
  const node = await each.nodes.start()
  const account = await register(node)
  const filled = await fill(node, account)
  const backups = join(each.folder, 'backups')
  expect((await run('backup', backups)).exitCode).toBe(0)
  await node.stop()
  for (const table of ['files', 'trashed_files', 'trash', 'versions', 'blobs'])
    await each.nodes.query(`DELETE FROM ${table}`)
  await each.nodes.query("DELETE FROM folders WHERE name = 'er'; DELETE FROM folders WHERE name = 'deep'")
  expect((await repair()).output).toContain('it has 4 objects of no file')

  const { exitCode, output } = await repair('--from', backups, '--yes')

  expect([exitCode, output]).toEqual([
    0,
    expect.stringContaining('Added "deep/er/a.txt" as the public file that it was\n'),
  ])
  expect(await run('verify', '--deep')).toEqual(AGREES)
  for (const [key, { bytes }] of each.nodes.store.objects)
    if (bytes.toString() === 'first') each.nodes.store.objects.delete(key)
  expect((await repair('--from', backups, '--yes')).output).toContain(
    'Restored the bytes of "deep/er/a.txt" from a backup: bytes are missing\n1 change made: 1 file restored from a backup. 1 object sent again.',
  )
  expect(await run('verify', '--deep')).toEqual(AGREES)
  const again = await each.nodes.start()
  await expectAll(again, account, filled)
  await again.stop()
  const id = crypto.randomUUID()
  await each.nodes.query(`UPDATE instance SET value = '${id}' WHERE name = 'volumeId'`)
  each.nodes.store.objects.get('volume')?.bytes.write(id)
  expect((await repair('--from', backups)).output).toContain('is not of this instance')
})
