import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Api, apiOf } from './support/api.ts'
import { objectsIn, snapshotsIn, startWithBackups as start } from './support/backups.ts'
import { expectRefused, runInside } from './support/command.ts'
import { eventually } from './support/eventually.ts'
import { startInside } from './support/holdfast.ts'
import { registerWith, runCommand, spawnHoldfast, startCommand } from './support/process.ts'

describe('backup and restore', () => {
  test('bring back files, folders, ids, visibility, accounts, sessions, keys and links', async () => {
    await using source = await start()
    const { api } = source
    const shown = await api.upload('shown.txt', 'shown', 'deep/er')
    const hidden = await api.upload('hidden.txt', 'hidden')
    await api.upload('empty', '')
    await api.createFolder('nothing/in/it')
    await api.data('PUT', '/files', { id: hidden.id, visibility: 'private' })
    const { url } = await api.data<{ url: string }>('POST', '/files/sign', {
      key: 'hidden.txt',
      expiresIn: 3600,
    })
    const files = await api.list()

    const backup = await source.backup()
    const restore = await source.restore('restored')

    expect(backup).toMatchObject({ exitCode: 0 })
    expect(backup.output).toMatch(
      /^Backup [\dT.Z-]+: 3 files, 3 new copies \(including versions and trash\), 0 damaged\n$/,
    )
    expect(restore).toMatchObject({ exitCode: 0 })
    expect(restore.output).toMatch(/^Restored the backup [\dT.Z-]+\nVolume and catalog agree\n$/)
    await using opened = await source.open('restored')
    expect(await opened.api.list()).toEqual(files)
    expect((await opened.api.browse({ key: 'nothing/in' })).folders.map(({ name }) => name)).toEqual(['it'])
    expect(await opened.api.hosted(shown.key)).toBe('shown')
    expect(await opened.api.hosted(hidden.key)).toBe(404)
    expect(await (await opened.fetch(`/${url}`)).text()).toBe('hidden')
    expect(await opened.bySession.status('GET', '/me')).toBe(200)
    expect(statSync(join(opened.dataPath, 'secret')).mode & 0o777).toBe(0o600)
  })

  test('bring back a file that is so large that another thread hashes it', async () => {
    await using source = await start()
    const content = 'x'.repeat(17 * 1024 ** 2)
    await source.api.upload('large.txt', content)

    expect((await source.backup()).output).toContain('1 file, 1 new copy')
    expect((await source.restore('restored')).output).toContain('Volume and catalog agree')
    await using opened = await source.open('restored')
    expect(await opened.api.hosted('large.txt')).toBe(content)
  })

  test('a second backup copies only new objects, and each backup is restored exactly', async () => {
    await using source = await start()
    const { api } = source
    const { id } = await api.upload('a', 'first')
    await api.upload('same as a', 'first')
    await source.backup()
    await api.data('DELETE', '/files', { id })
    await api.upload('b', 'second')

    const second = await source.backup()

    expect(second.output).toContain('2 files, 1 new copy (including versions and trash)')
    expect(objectsIn(source.backups)).toHaveLength(2)
    const [first = ''] = snapshotsIn(source.backups)
    expect((await source.restore('then', '--at', first)).exitCode).toBe(0)
    expect((await source.restore('now')).exitCode).toBe(0)
    await using then = await source.open('then')
    await using now = await source.open('now')
    const names = async ({ api }: { api: Api }) => (await api.list()).map(({ name }) => name).sort()
    expect(await names(then)).toEqual(['a', 'same as a'])
    expect(await names(now)).toEqual(['b', 'same as a'])
  })

  test('reports bytes that differ from the catalog, and backs up the rest', async () => {
    await using source = await start()
    const { api, holdfast } = source
    for (const name of ['gone', 'flipped', 'whole']) await api.upload(name, `content of ${name}`)
    rmSync(join(holdfast.dataPath, 'uploads/gone'))
    writeFileSync(join(holdfast.dataPath, 'uploads/flipped'), 'Content of flipped')

    const backup = await source.backup()
    const restore = await source.restore('restored')

    expect(backup.exitCode).toBe(1)
    expect(backup.output).toContain('"gone": missing or changed, and so')
    expect(backup.output).toContain('"flipped": missing or changed, and so')
    expect(backup.output).toContain('3 files, 1 new copy (including versions and trash), 2 damaged')
    expect(restore.exitCode).toBe(1)
    expect(restore.output).toContain('"flipped": bytes are missing\n"gone": bytes are missing\n2 differences')
    await using opened = await source.open('restored')
    expect(await opened.api.hosted('whole')).toBe('content of whole')
  })

  test('a snapshot has the database and the secret alone', async () => {
    await using source = await start()
    await source.api.upload('a', 'a')
    await source.backup()
    const [name = ''] = snapshotsIn(source.backups)
    expect(readdirSync(join(source.backups, 'snapshots', name)).sort()).toEqual(['holdfast.sqlite', 'secret'])
  })

  test('the next backup continues an interrupted one', async () => {
    await using source = await start()
    const { api } = source
    await api.upload('a', 'a')
    await api.upload('b', 'b')
    await source.backup()
    const [first = ''] = snapshotsIn(source.backups)
    // As it is after a kill: some bytes are there, some half, and no snapshot.
    rmSync(join(source.backups, 'snapshots', first), { recursive: true })
    rmSync(join(source.backups, 'objects', objectsIn(source.backups)[0] ?? ''))
    mkdirSync(join(source.backups, 'tmp/objects'), { recursive: true })
    writeFileSync(join(source.backups, 'tmp/objects/0'), 'half')

    const again = await source.backup()

    expect(again.output).toContain('2 files, 1 new copy (including versions and trash), 0 damaged')
    expect(readdirSync(join(source.backups, 'tmp'))).toEqual([])
    expect((await source.restore('restored')).exitCode).toBe(0)
  })

  test('bytes that were damaged in the backup are not restored', async () => {
    await using source = await start()
    await source.api.upload('a', 'a')
    await source.backup()
    writeFileSync(join(source.backups, 'objects', objectsIn(source.backups)[0] ?? ''), 'b')

    const restore = await source.restore('restored')

    expect(restore.exitCode).toBe(1)
    expect(restore.output).toContain('"a": bytes are missing')
  })

  test('a snapshot has no unfinished operations: a start on the restored data changes nothing', async () => {
    await using source = await start()
    const { api, holdfast } = source
    const { store } = holdfast.server.deps
    await api.upload('a', 'old', 'site')
    const id = (await api.browse()).folders[0]?.id ?? ''
    // A folder is being deleted while one of the same name is there already.
    await store.transact(function* () {
      yield* store.intents.insert({
        id: 'i',
        plan: { kind: 'discard', folderId: id, key: 'site' },
        createdAt: 0,
      })
      yield* store.folders.detach(id)
    })
    rmSync(join(holdfast.dataPath, 'uploads/site'), { recursive: true })
    await api.upload('a', 'new', 'site')
    await source.backup()

    expect((await source.restore('restored')).exitCode).toBe(0)

    await using opened = await source.open('restored')
    expect(await opened.api.hosted('site/a')).toBe('new')
    expect(opened.catalog.folders.detached()).toEqual([])
    expect(opened.catalog.intents.all()).toEqual([])
  })

  test('refuse existing data at the target', async () => {
    await using source = await start()
    await source.api.upload('a', 'a')
    const { dataPath } = source.holdfast
    const missing = await source.restore('restored')
    await source.backup()

    const inside = await runInside(['backup', join(dataPath, 'uploads/backup')], { DATA_PATH: dataPath })
    const onto = await runInside(['restore', source.backups], { DATA_PATH: dataPath })
    const unknown = await source.restore('restored', '--at', 'yesterday')
    const nothing = await runInside(['backup', source.backups], { DATA_PATH: join(source.base, 'nothing') })

    for (const { exitCode, output } of [missing, inside, onto, unknown, nothing]) {
      expect(exitCode).toBe(1)
      expect(output).not.toContain('    at ')
    }
    expect(missing.output).toContain('has no backups')
    expect(inside.output).toContain('must not be in the data folder')
    expect(onto.output).toContain('is not empty. Nothing was changed.')
    expect(unknown.output).toContain(`There are: ${snapshotsIn(source.backups)[0]}`)
    expect(readdirSync(source.base).sort()).toEqual(['backups', 'data'])
  })

  test('a restore that was cut short is not taken for a data folder', async () => {
    await using source = await start()
    await source.api.upload('a', 'a')
    await source.backup()
    await source.restore('restored')
    const restored = join(source.base, 'restored')
    rmSync(join(restored, 'db/holdfast.sqlite'))

    const starting = startInside({ dataPath: restored })

    await expect(starting).rejects.toThrow('is missing')
    expect((await source.restore('restored')).output).toContain('is not empty')
  })

  test('no server starts on a folder that a restore has begun, from its first entry on', async () => {
    await using source = await start()
    await source.api.upload('a', 'a')
    await source.backup()
    const restored = join(source.base, 'restored')
    mkdirSync(restored)
    const child = startCommand(['restore', source.backups], { DATA_PATH: restored })
    await eventually(() => readdirSync(restored).length > 0)
    child.kill('SIGKILL')
    await child.exited

    expect(readdirSync(restored)).toContain('incomplete')
    await expect(startInside({ dataPath: restored })).rejects.toThrow('"restore" did not end')
    expect(await source.restore('restored')).toMatchObject({ exitCode: 0 })
    await using opened = await source.open('restored')
    expect(await opened.api.hosted('a')).toBe('a')
  })

  test('a restore that was killed begins again, and only where nothing else is', async () => {
    await using source = await start()
    await source.api.upload('a', 'a', 'deep')
    await source.backup()
    await source.restore('restored')
    const restored = join(source.base, 'restored')
    const marker = join(restored, 'incomplete')
    const refused = []
    writeFileSync(marker, 'move-to\n')
    refused.push(await source.restore('restored'))
    // As before the last step of a restore, with half a file.
    writeFileSync(marker, 'restore\n')
    renameSync(join(restored, 'db/holdfast.sqlite'), join(restored, 'db/restoring.sqlite'))
    writeFileSync(join(restored, 'uploads/deep/a'), '')
    writeFileSync(join(restored, 'uploads/half'), 'ha')
    writeFileSync(join(restored, 'notes.txt'), 'mine')
    refused.push(await source.restore('restored'))
    rmSync(join(restored, 'notes.txt'))

    const again = await source.restore('restored')

    for (const { exitCode, output } of refused) {
      expect(exitCode).toBe(1)
      expect(output).toContain('is not empty. Nothing was changed.')
    }
    expect(again).toMatchObject({ exitCode: 0 })
    expect(again.output).toContain('Volume and catalog agree')
    expect(readdirSync(join(restored, 'db')).filter((name) => name.startsWith('restoring'))).toEqual([])
    await using opened = await source.open('restored')
    expect(await opened.api.hosted('deep/a')).toBe('a')
  })
})

describe('backup --keep', () => {
  /** Returns unreferenced objects, and references of snapshots to missing objects. */
  function wrongIn(backups: string): string[] {
    const needed = new Set<string>()
    for (const name of snapshotsIn(backups)) {
      using snapshot = new Database(join(backups, 'snapshots', name, 'holdfast.sqlite'), { readonly: true })
      const rows = snapshot.query<{ sha256: string }, []>('SELECT sha256 FROM files').all()
      for (const { sha256 } of rows) needed.add(`${sha256.slice(0, 2)}/${sha256}`)
    }
    return [...needed.symmetricDifference(new Set(objectsIn(backups)))]
  }

  test('removes old backups and the bytes that only they had; the others are restored exactly', async () => {
    await using source = await start()
    const { api } = source
    await api.upload('in all', 'in all')
    for (let n = 0; n < 4; n++) {
      const { id } = await api.upload(`only in ${n}`, `only in ${n}`)
      await source.backup()
      await api.data('DELETE', '/files', { id })
    }
    const [, , , fourth = ''] = snapshotsIn(source.backups)

    const { exitCode, output } = await source.backup('--keep', '2')

    expect(exitCode).toBe(0)
    expect(output).toContain('Removed 3 old backups and 3 files (27 B) that no other has\n')
    expect(snapshotsIn(source.backups)).toHaveLength(2)
    expect(readdirSync(join(source.backups, 'tmp'))).toEqual([])
    expect(wrongIn(source.backups)).toEqual([])
    expect((await source.restore('fourth', '--at', fourth)).exitCode).toBe(0)
    expect((await source.restore('latest')).exitCode).toBe(0)
    await using opened = await source.open('fourth')
    expect(await opened.api.hosted('only in 3')).toBe('only in 3')
  })

  test('also removes what backups had that were removed by hand, and never one that was given a name', async () => {
    await using source = await start()
    const { api } = source
    const named = await api.upload('named', 'named')
    await source.backup()
    await api.data('DELETE', '/files', { id: named.id })
    const removed = await api.upload('removed', 'removed')
    await source.backup()
    await api.data('DELETE', '/files', { id: removed.id })
    const [first = '', second = ''] = snapshotsIn(source.backups)
    const snapshots = join(source.backups, 'snapshots')
    renameSync(join(snapshots, first), join(snapshots, 'before the move'))
    rmSync(join(snapshots, second), { recursive: true })

    const { output } = await source.backup('--keep', '1')

    expect(output).toContain('Removed 0 old backups and 1 file (7 B)')
    expect(wrongIn(source.backups)).toEqual([])
    expect((await source.restore('named', '--at', 'before the move')).exitCode).toBe(0)
  })

  test('removes nothing when a backup that stays cannot be read', async () => {
    await using source = await start()
    const { api } = source
    for (let n = 0; n < 3; n++) {
      await api.upload(`f${n}`, `content ${n}`)
      await source.backup()
    }
    const [, , third = ''] = snapshotsIn(source.backups)
    writeFileSync(join(source.backups, 'snapshots', third, 'holdfast.sqlite'), 'not a database')

    expectRefused(await source.backup('--keep', '2'), 'cannot be read, so nothing is removed')
    expect(snapshotsIn(source.backups)).toHaveLength(4)
    expect(objectsIn(source.backups)).toHaveLength(3)
  })

  test('a backup made after the clock was set back is the newest, for --keep and for restore', async () => {
    await using source = await start()
    await source.api.upload('a', 'a')
    await source.backup()
    const [name = ''] = snapshotsIn(source.backups)
    const snapshots = join(source.backups, 'snapshots')
    const ahead = name.replace(/^\d{4}/, '2999')
    renameSync(join(snapshots, name), join(snapshots, ahead))

    await source.api.upload('b', 'b')
    await source.backup('--keep', '2')
    await source.api.upload('c', 'c')
    await source.backup('--keep', '2')

    expect((await source.restore('restored')).exitCode).toBe(0)
    await using opened = await source.open('restored')
    expect((await opened.api.list()).map(({ key }) => key).sort()).toEqual(['a', 'b', 'c'])
    const [second = '', third, ...others] = snapshotsIn(source.backups)
    expect((await source.restore('second', '--at', second)).exitCode).toBe(0)
    await using before = await source.open('second')
    expect((await before.api.list()).map(({ key }) => key).sort()).toEqual(['a', 'b'])
    expect([third, ...others]).toHaveLength(1)
    expect(second).not.toBe(ahead)
  })

  test('a snapshot that was renamed by hand is not the latest', async () => {
    await using source = await start()
    await source.api.upload('a', 'a')
    await source.backup()
    const [name = ''] = snapshotsIn(source.backups)
    const snapshots = join(source.backups, 'snapshots')
    renameSync(join(snapshots, name), join(snapshots, 'before the upgrade'))
    await source.api.upload('b', 'b')
    await source.backup()

    expect((await source.restore('restored')).exitCode).toBe(0)

    await using opened = await source.open('restored')
    expect((await opened.api.list()).map(({ key }) => key).sort()).toEqual(['a', 'b'])
  })

  test('refuses an invalid count', async () => {
    await using source = await start()

    for (const count of ['0', '-1', 'two', '1.5']) {
      const { exitCode, output } = runCommand(['backup', source.backups, '--keep', count], {})

      expect(exitCode).toBe(2)
      expect(output).toContain('whole number, at least 1')
    }
    expect(readdirSync(source.base)).toEqual(['data'])
  })

  // At which call exactly, the rig `kill` tries one after the other (test/faults).
  test('a kill during the removal leaves only complete backups in the list, and the next run removes the rest', async () => {
    await using source = await start()
    const { api, backups } = source
    await api.upload('a', 'a')
    await source.backup()
    await api.upload('b', 'b')
    const [before = ''] = snapshotsIn(backups)
    // So many unreferenced objects that their removal takes a while.
    for (let n = 0; n < 3000; n++) {
      const name = new Bun.CryptoHasher('sha256').update(String(n)).digest('hex')
      const folder = join(backups, 'objects', name.slice(0, 2))
      if (!existsSync(folder)) mkdirSync(folder)
      writeFileSync(join(folder, name), '')
    }

    const child = startCommand(['backup', backups, '--keep', '1'], { DATA_PATH: source.holdfast.dataPath })
    while (child.exitCode === null && existsSync(join(backups, 'snapshots', before))) await Bun.sleep(1)
    child.kill('SIGKILL')
    await child.exited

    expect(snapshotsIn(backups)).toHaveLength(1)
    expect((await source.restore('after the kill')).exitCode).toBe(0)
    expect((await source.backup('--keep', '1')).exitCode).toBe(0)
    expect(wrongIn(backups)).toEqual([])
    expect((await source.restore('in the end')).exitCode).toBe(0)
  })

  test('refuses while another backup to the folder runs', async () => {
    await using source = await start()
    await source.api.upload('a', 'a')
    await source.backup()
    const before = objectsIn(source.backups)
    using lock = new Database(join(source.backups, 'lock.sqlite'))
    lock.run('BEGIN EXCLUSIVE')

    expectRefused(await source.backup('--keep', '1'), 'Another backup to the folder')
    expect(objectsIn(source.backups)).toEqual(before)
  })
})

describe('a backup under load', () => {
  test('has the state of one moment: the restored data is complete, and every file has its bytes', async () => {
    const base = mkdtempSync(join(tmpdir(), 'holdfast-'))
    const dataPath = join(base, 'data')
    mkdirSync(dataPath)
    await using holdfast = await spawnHoldfast({ dataPath })
    const account = await registerWith(holdfast)
    const load = startLoad(apiOf(holdfast, account))
    await load.until(60)
    const backups = join(base, 'backups')

    const results = []
    for (let n = 0; n < 3; n++) results.push(await runInside(['backup', backups], { DATA_PATH: dataPath }))
    await load.stop()

    for (const [index, name] of snapshotsIn(backups).entries()) {
      expect(results[index]).toMatchObject({ exitCode: 0 })
      const restored = { DATA_PATH: join(base, `restored ${index}`) }
      const restore = await runInside(['restore', backups, '--at', name], restored)
      expect(restore).toMatchObject({ exitCode: 0 })
      expect(restore.output).toEndWith('Volume and catalog agree\n')
      using snapshot = new Database(join(backups, 'snapshots', name, 'holdfast.sqlite'), { readonly: true })
      const rows = snapshot
        .query<{ name: string; sha256: string }, []>('SELECT name, sha256 FROM files')
        .all()
      expect(rows.length).toBeGreaterThan(20)
      for (const { name, sha256 } of rows) {
        const hash = new Bun.CryptoHasher('sha256').update(load.contentOf(name)).digest('hex')
        expect(hash).toBe(sha256)
        expect(readdirSync(join(backups, 'objects', sha256.slice(0, 2)))).toContain(sha256)
      }
    }
    rmSync(base, { recursive: true })
  })
})

/** Uploads, renames and deletes files and folders without pause. Each name determines its content. */
function startLoad(api: Api) {
  const contentOf = (name: string) => `${name.replace(/^renamed /, '')} `.repeat(5000)
  let stopped = false
  let uploads = 0
  async function work(worker: number): Promise<void> {
    for (let n = 0; !stopped; n++) {
      const name = `${worker}-${n}`
      const { id } = await api.upload(name, contentOf(name), `folder ${worker}/below`)
      uploads += 1
      if (n % 3 === 0) await api.data('PUT', '/files', { id, name: `renamed ${name}` })
      if (n % 4 === 1) await api.data('DELETE', '/files', { id })
      if (n % 10 !== 9) continue
      const { folders } = await api.browse({ key: `folder ${worker}` })
      await api.data('PUT', '/folders', { id: folders[0]?.id, name: `below ${n}` })
    }
  }
  const workers = Promise.all([0, 1, 2].map(work))
  return {
    contentOf,
    until: async (count: number) => {
      await eventually(() => uploads >= count)
    },
    stop: async () => {
      stopped = true
      await workers
    },
  }
}
