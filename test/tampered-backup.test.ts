import { describe, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { databaseIn, snapshotsIn, startWithBackups, tamper } from './support/backups.ts'
import { expectRefused, runInside } from './support/command.ts'
import { spawnCommand } from './support/process.ts'

/** Creates a backup of `kept/a.txt`, `kept/b.txt` and `plain.txt`, and runs `statements` on its database. */
async function startTampered(statements: readonly string[] = [], run = runInside) {
  const source = await startWithBackups(run)
  await source.api.upload('a.txt', 'content of a', 'kept')
  await source.api.upload('b.txt', 'content of b', 'kept')
  await source.api.upload('plain.txt', 'content of plain')
  await source.backup()
  tamper(databaseIn(source.backups), ...statements)
  return source
}

describe('a restore of a tampered backup', () => {
  test('gives files whose names lead outside names of ours, inside of the data folder', async () => {
    const names = ['../../../outside', '/outside', '..', '.', 'deep/er', 'back\\slash', 'line\nfeed', '']
    await using source = await startWithBackups()
    for (const [n] of names.entries()) await source.api.upload(`${n}`, `content ${n}`, 'kept')
    await source.backup()
    const renames = names.map((name, n) => `UPDATE files SET name = '${name}' WHERE name = '${n}'`)
    tamper(databaseIn(source.backups), ...renames)

    const { exitCode, output } = await source.restore('restored')

    expect(exitCode).toBe(1)
    for (const name of names) expect(output).toContain(`The name ${JSON.stringify(name)} must`)
    expect(output).toContain('Volume and catalog agree')
    expect(readdirSync(source.base).sort()).toEqual(['backups', 'data', 'restored'])
    const restored = readdirSync(join(source.base, 'restored/uploads/kept'))
    expect(restored).toEqual(names.map(() => expect.stringMatching(/^restored-[0-9a-f-]{36}$/)))
    await using opened = await source.open('restored')
    const contents = await Promise.all(restored.map((name) => opened.api.hosted(`kept/${name}`)))
    expect(contents.sort()).toEqual(names.map((_, n) => `content ${n}`))
  })

  test('gives a folder whose name leads outside a name of ours, with all that is in it', async () => {
    await using source = await startTampered([
      "UPDATE folders SET name = '../../made-outside' WHERE name = 'kept'",
    ])

    expectRefused(await source.restore('restored'), 'The name "../../made-outside" must not contain')
    expect(readdirSync(source.base).sort()).toEqual(['backups', 'data', 'restored'])
    await using opened = await source.open('restored')
    const [folder] = (await opened.api.browse()).folders
    expect(folder?.name).toMatch(/^restored-/)
    expect(await opened.api.hosted(`${folder?.name}/a.txt`)).toBe('content of a')
  })

  test('carries out no intent, and removes nothing outside of the data folder', async () => {
    const identity = { inode: '1', size: 1, mtimeMs: 1 }
    const plans = [
      { kind: 'discard', folderId: 'ID', key: '../../outside' },
      { kind: 'remove', files: [{ key: '../../outside/victim.txt', identity }] },
      { kind: 'upload', folders: ['../../outside/empty'], files: [] },
    ]
    await using source = await startTampered(
      plans.map(
        (plan, n) =>
          `INSERT INTO intents (id, plan, created_at) SELECT '${n}', replace('${JSON.stringify(plan)}', 'ID', id), 0
            FROM folders WHERE name = 'kept'`,
      ),
    )
    const outside = join(source.base, 'outside')
    mkdirSync(join(outside, 'empty'), { recursive: true })
    writeFileSync(join(outside, 'a.txt'), 'victim')
    writeFileSync(join(outside, 'victim.txt'), 'victim')

    expect((await source.restore('restored')).exitCode).toBe(0)

    await using opened = await source.open('restored')
    expect(readdirSync(outside).sort()).toEqual(['a.txt', 'empty', 'victim.txt'])
    expect(opened.catalog.intents.all()).toEqual([])
    expect(await opened.api.hosted('kept/a.txt')).toBe('content of a')
  })
})

describe('a restore', () => {
  test('leaves out uploads that were not finished', async () => {
    await using source = await startTampered([
      `INSERT INTO resumables (id, user_id, name, folder, metadata, length, received, expires_at, created_at)
        SELECT 'r', id, 'n', '', '', 2, 1, 9999999999999, 0 FROM users`,
    ])

    expect((await source.restore('restored')).exitCode).toBe(0)

    await using opened = await source.open('restored')
    expect(opened.catalog.resumables.unfinishedIds()).toEqual([])
  })

  test('leaves no copy of the database behind', async () => {
    await using source = await startTampered([], spawnCommand)

    await source.restore('restored')

    const names = readdirSync(join(source.base, 'restored/db'))
    expect(names.filter((name) => name.startsWith('restoring'))).toEqual([])
    const [name = ''] = snapshotsIn(source.backups)
    expect(readdirSync(join(source.backups, 'snapshots', name)).sort()).toEqual(['holdfast.sqlite', 'secret'])
    expect(statSync(join(source.base, 'restored/secret')).mode & 0o777).toBe(0o600)
  })
})

describe('verify', () => {
  test('names rows whose name or digest cannot be, and looks at nothing outside of the data folder', async () => {
    await using source = await startTampered()
    await source.restore('restored')
    const dataPath = join(source.base, 'restored')
    writeFileSync(join(source.base, 'outside'), 'content of a')
    tamper(
      join(dataPath, 'db/holdfast.sqlite'),
      "UPDATE files SET name = '../../../outside' WHERE name = 'a.txt'",
      "UPDATE files SET sha256 = 'none' WHERE name = 'plain.txt'",
    )

    expectRefused(
      await runInside(['verify'], { DATA_PATH: dataPath }),
      '"kept/../../../outside": name is not allowed\n',
      '"plain.txt": checksum is malformed\n',
    )
  })

  test('looks at nothing below a folder whose name leads outside', async () => {
    await using source = await startTampered()
    await source.restore('restored')
    const dataPath = join(source.base, 'restored')
    tamper(join(dataPath, 'db/holdfast.sqlite'), "UPDATE folders SET name = '..' WHERE name = 'kept'")

    const { output } = await runInside(['verify', '--deep'], { DATA_PATH: dataPath })

    expect(output).toBe('"..": name is not allowed\n"kept": not in the catalog\n2 differences\n')
  })
})
