import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Version } from '../../src/client/types.ts'
import type { Api } from '../support/api.ts'
import { databaseIn, objectsIn, snapshotsIn, startWithBackups, tamper } from '../support/backups.ts'
import { startInsideWithAccount } from '../support/fixture.ts'
import { filesUnder, TestClock } from '../support/holdfast.ts'

const versionsOf = async (api: Api, id: string) =>
  (await api.data<{ versions: Version[] }>('GET', `/files/versions?id=${id}`)).versions
const bytesOf = async (api: Api, id: string) =>
  (await api.send('GET', `/files/versions/content?id=${id}`)).text()

/** Starts a server with backups and a file with two versions. */
async function startReplaced() {
  const source = await startWithBackups()
  const { id } = await source.api.upload('a.txt', 'first', 'deep')
  for (const content of ['second', 'third']) await source.api.replace(id, content)
  return { ...source, id }
}

describe('a backup', () => {
  test('has the versions, and a restore brings them back', async () => {
    await using source = await startReplaced()
    expect((await source.backup()).output).toContain('1 file, 3 new copies (including versions and trash)')
    const versions = await versionsOf(source.api, source.id)

    const restore = await source.restore('restored')

    expect(restore.output).toContain('Volume and catalog agree')
    await using opened = await source.open('restored')
    expect(await versionsOf(opened.api, source.id)).toEqual(versions)
    expect(await Promise.all(versions.map(({ id }) => bytesOf(opened.api, id)))).toEqual(['second', 'first'])
    await opened.api.data('POST', '/files/versions/restore', { id: versions[1]?.id })
    expect(await opened.api.hosted('deep/a.txt')).toBe('first')
  })

  test('retains the bytes of versions when older backups are removed', async () => {
    await using source = await startReplaced()
    await source.backup()
    expect((await source.backup('--keep', '1')).exitCode).toBe(0)
    expect(snapshotsIn(source.backups)).toHaveLength(1)
    expect(objectsIn(source.backups)).toHaveLength(3)
    for (const { id } of await versionsOf(source.api, source.id))
      await source.api.data('DELETE', `/files/versions?id=${id}`)
    await source.backup('--keep', '1')
    expect(objectsIn(source.backups)).toHaveLength(1)
  })

  test('with an id of a version that leads elsewhere restores nothing there', async () => {
    await using source = await startReplaced()
    await source.backup()
    tamper(databaseIn(source.backups), "UPDATE versions SET id = '../secret' WHERE size = 5")
    await source.restore('restored')
    await using opened = await source.open('restored')
    expect((await versionsOf(opened.api, source.id)).map(({ id }) => id)).not.toContain('../secret')
    expect((await opened.api.send('GET', '/files/versions/content?id=../secret')).status).toBe(404)
    expect(readFileSync(join(source.base, 'restored/secret'), 'utf8')).not.toBe('first')
  })
})

describe('verify', () => {
  test('names versions that are missing, damaged or unknown', async () => {
    await using source = await startReplaced()
    const { verify } = source
    expect((await verify('--deep')).output).toBe('Volume and catalog agree\n')
    const [newer, older] = await versionsOf(source.api, source.id)
    const path = (id = '') => join(source.holdfast.dataPath, 'versions', id)
    writeFileSync(path(newer?.id), 'SECOND')
    rmSync(path(older?.id))
    writeFileSync(path('stray file'), 'x')

    expect((await verify()).output.split('\n')).toEqual([
      `"versions/${older?.id}": bytes are missing`,
      '"versions/stray file": not in the catalog',
      '2 differences',
      '',
    ])
    expect((await verify('--deep')).output).toContain(`"versions/${newer?.id}": content differs`)
  })
})

describe('the scrub', () => {
  test('reports a damaged version once', async () => {
    const clock = new TestClock()
    await using holdfast = await startInsideWithAccount({ clock })
    const { store } = holdfast.server.deps
    const { id } = await holdfast.api.upload('a.txt', 'first')
    await holdfast.api.replace(id, 'now')
    const [name = ''] = filesUnder(holdfast, 'versions')
    writeFileSync(join(holdfast.dataPath, 'versions', name), 'FIRST')

    for (let round = 0; round < 3; round++) {
      clock.advance(31 * 86_400_000)
      await store.scrub.advance()
    }

    const line = `A version of a file is not what it was: "versions/${name}": content differs`
    expect(holdfast.logged.filter(({ message }) => message === line)).toHaveLength(1)
  })
})

describe('a rebuilt database', () => {
  test('leaves the bytes of versions that it does not know', async () => {
    await using source = await startReplaced()
    const { dataPath } = source.holdfast
    const names = filesUnder(source.holdfast, 'versions')
    await source.loseDatabase()
    expect((await source.repair('--yes')).exitCode).toBe(0)
    for (let start = 0; start < 2; start++) {
      await using again = await source.open()
      expect(again.logged.map(({ message }) => message)).toContainEqual(
        expect.stringContaining('The folder "versions" has 2 files of an earlier database'),
      )
    }
    for (const name of names) expect(existsSync(join(dataPath, 'versions', name))).toBe(true)
  })

  test('has the versions of the backup that it was rebuilt from', async () => {
    await using source = await startReplaced()
    const versions = await versionsOf(source.api, source.id)
    await source.backup()
    await source.loseDatabase()
    expect((await source.repair('--yes', '--from', source.backups)).exitCode).toBe(0)
    await using again = await source.open()
    expect(again.catalog.versions.ofFile(source.id, { limit: 10, offset: 0 }).map(({ id }) => id)).toEqual(
      versions.map(({ id }) => id),
    )
    expect(again.catalog.check.wrongTotals()).toEqual([])
  })
})
