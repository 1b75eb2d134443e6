import { describe, expect, test } from 'bun:test'
import { chmodSync, lstatSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { snapshotsIn, startWithBackups } from './support/backups.ts'
import { startInsideWithAccount } from './support/fixture.ts'
import { startInside } from './support/holdfast.ts'
import { runCommand } from './support/process.ts'
import { temporaryFolder } from './support/temporary.ts'
import { sendBegin } from './uploads/tus.ts'

const modeOf = (path: string) => lstatSync(path).mode & 0o777

/** Returns entries at and below a folder that users other than their owner may read, write or enter. */
const openIn = (folder: string): string[] =>
  ['.', ...readdirSync(folder, { recursive: true }).map(String)].filter(
    (path) => (modeOf(join(folder, path)) & 0o077) !== 0,
  )

/** Creates a folder that all users may enter, removed at the end of the test. */
function publicFolder() {
  const folder = temporaryFolder()
  chmodSync(folder.path, 0o755)
  return folder
}

describe('what is in the data folder', () => {
  test('is readable by its owner alone: files, folders, database, staging, secret', async () => {
    using place = publicFolder()
    const dataPath = join(place.path, 'data')
    await using holdfast = await startInsideWithAccount({ dataPath })
    await holdfast.api.upload('a.txt', 'a', 'deep/er')
    const begun = await sendBegin(holdfast, holdfast.withKey, { length: 10, fields: { filename: 'partial' } })

    expect(begun.status).toBe(201)
    expect(readdirSync(join(dataPath, 'tmp'))).toHaveLength(1)
    expect(readdirSync(join(dataPath, 'db'))).toContain('holdfast.sqlite-wal')
    expect(openIn(dataPath)).toEqual([])
    expect(holdfast.logged.filter(({ message }) => message.includes('chmod'))).toEqual([])
  })

  test('is readable by its owner alone after import, backup and restore', async () => {
    await using source = await startWithBackups()
    await source.api.upload('a.txt', 'a', 'deep')
    await source.backup()
    const [name = ''] = snapshotsIn(source.backups)
    await source.restore('restored')
    const tree = join(source.base, 'tree/below')
    mkdirSync(tree, { recursive: true })
    writeFileSync(join(tree, 'open.txt'), 'open', { mode: 0o644 })
    const restored = join(source.base, 'restored')

    const words = ['import', join(source.base, 'tree'), '--folder', 'in']
    const { exitCode } = runCommand(words, { DATA_PATH: restored })

    expect(exitCode).toBe(0)
    expect(readdirSync(join(restored, 'uploads/in/below'))).toEqual(['open.txt'])
    expect(openIn(restored)).toEqual([])
    expect(openIn(join(source.backups, 'snapshots', name))).toEqual([])
  })
})

describe('a data folder of an earlier version that others can read', () => {
  test('is not changed, and the start logs how to close it', async () => {
    using place = publicFolder()
    const dataPath = join(place.path, 'data')
    for (const name of ['', 'db', 'uploads', 'tmp']) mkdirSync(join(dataPath, name), { mode: 0o755 })
    writeFileSync(join(dataPath, 'db/lock.sqlite'), '', { mode: 0o644 })
    const folders = ['db', 'uploads', 'tmp'].map((name) => join(dataPath, name))
    const advice = `chmod 700 ${folders.map((folder) => `"${folder}"`).join(' ')}`

    await using holdfast = await startInside({ dataPath })

    expect(holdfast.logged.map(({ message }) => message)).toEqual([expect.stringContaining(advice)])
    expect(folders.map(modeOf)).toEqual([0o755, 0o755, 0o755])
    expect(modeOf(join(dataPath, 'db/lock.sqlite'))).toBe(0o600)
  })

  test('is not reported when the folders above block access', async () => {
    using place = publicFolder()
    const dataPath = join(place.path, 'data')
    for (const name of ['', 'db', 'uploads', 'tmp']) mkdirSync(join(dataPath, name), { mode: 0o755 })
    chmodSync(place.path, 0o700)

    await using holdfast = await startInside({ dataPath })

    expect(holdfast.logged).toEqual([])
  })
})
