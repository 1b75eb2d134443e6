import { expect, test } from 'bun:test'
import { chmodSync, chownSync, lstatSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runInside } from '../support/command.ts'
import { startWithAccount } from '../support/fixture.ts'
import { runUnprivileged, UNPRIVILEGED } from '../support/process.ts'
import { temporaryFolder } from '../support/temporary.ts'

/** Creates a stopped data folder with two files that belongs to a user other than root. */
async function ownedFolder() {
  const holdfast = await startWithAccount()
  const { api, dataPath } = holdfast
  await api.upload('a.txt', 'a', 'closed/deep')
  await api.upload('b.txt', 'b', 'open')
  await holdfast.stop()
  giveAway(dataPath)
  return {
    dataPath,
    at: holdfast.path,
    [Symbol.asyncDispose]: () => holdfast[Symbol.asyncDispose](),
  }
}

function giveAway(folder: string): void {
  if (process.getuid?.() !== 0) return
  for (const path of ['', ...readdirSync(folder, { recursive: true }).map(String)])
    chownSync(join(folder, path), UNPRIVILEGED, UNPRIVILEGED)
}

test('verify reports a folder that it may not read, and continues after it', async () => {
  await using folder = await ownedFolder()
  writeFileSync(folder.at('open/b.txt'), 'longer')
  chmodSync(folder.at('open/b.txt'), 0o644)
  chmodSync(folder.at('closed'), 0)

  const { exitCode, output } = runUnprivileged(['verify'], { DATA_PATH: folder.dataPath })
  chmodSync(folder.at('closed'), 0o700)

  expect(output.split('\n')).toEqual([
    '"closed": cannot be read',
    '"closed/deep": cannot be read',
    '"closed/deep/a.txt": cannot be read',
    '"open/b.txt": size differs',
    '4 differences',
    '',
  ])
  expect(exitCode).toBe(1)
})

test('import gives new files to the owner of the stored files', async () => {
  await using folder = await ownedFolder()
  using tree = temporaryFolder()
  const from = tree.path
  mkdirSync(join(from, 'sub'))
  writeFileSync(join(from, 'sub/c.txt'), 'c')

  const imported = await runInside(['import', from, '--folder', 'old/er'], { DATA_PATH: folder.dataPath })

  const owner = lstatSync(folder.at('')).uid
  const owners = ['old', 'old/er', 'old/er/sub', 'old/er/sub/c.txt'].map(
    (key) => lstatSync(folder.at(key)).uid,
  )
  expect(owners).toEqual(owners.map(() => owner))
  expect(imported.exitCode).toBe(0)
})

test('import leaves out what it may not read, and continues after it', async () => {
  await using folder = await ownedFolder()
  using tree = temporaryFolder()
  const from = tree.path
  for (const name of ['closed', 'open']) mkdirSync(join(from, name))
  for (const path of ['closed/a.txt', 'open/secret.txt', 'open/z.txt']) writeFileSync(join(from, path), path)
  chmodSync(from, 0o755)
  chmodSync(join(from, 'closed'), 0)
  chmodSync(join(from, 'open/secret.txt'), 0)

  const { exitCode, output } = runUnprivileged(['import', from], { DATA_PATH: folder.dataPath })
  chmodSync(join(from, 'closed'), 0o700)

  expect(output).toContain('"closed": left out: cannot be read\n')
  expect(output).toContain('"open/secret.txt": left out: cannot be read\n')
  expect(output).toContain('Imported 1 file into ""; 0 there already; 2 left out (10 B in all)\n')
  expect(exitCode).toBe(1)
})
