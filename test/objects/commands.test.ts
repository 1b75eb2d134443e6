import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCommand } from '../support/process.ts'
import { startOnObjects } from './store.ts'

const COMMANDS = ['verify', 'backup <folder>', 'repair --adopt --yes', 'import <folder>']

test.each(COMMANDS)('%s reports an object store that has the bytes, and changes nothing', async (line) => {
  await using instance = await startOnObjects()
  const { holdfast, api } = instance
  await api.upload('a.txt', 'stays')
  await holdfast.stop()
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-'))

  const words = line.split(' ').map((word) => (word === '<folder>' ? folder : word))
  const { exitCode, output } = runCommand(words, { DATA_PATH: holdfast.dataPath })

  expect([exitCode, output]).toEqual([1, expect.stringContaining('are in the object store "bucket/"')])
  await using again = await instance.restart()
  expect((await again.server.deps.store.files.after('', 9)).map(({ name }) => name)).toEqual(['a.txt'])
  rmSync(folder, { recursive: true })
})
