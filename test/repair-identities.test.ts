import { describe, expect, test } from 'bun:test'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { apiOf } from './support/api.ts'
import { AGREES, startWithBackups } from './support/backups.ts'
import { expectRefused } from './support/command.ts'
import { damage, uploadMany } from './support/damaged.ts'
import { register } from './support/holdfast.ts'
import { startCommand } from './support/process.ts'

const SETUP_TOKEN = 'token-of-the-operator'

/** Returns all entries below a folder with content and time. */
const contentsOf = (folder: string) =>
  readdirSync(folder, { recursive: true })
    .map(String)
    .sort()
    .map((name) => [name, statSync(join(folder, name)).mtimeMs, contentOf(join(folder, name))])

const contentOf = (path: string) => (statSync(path).isFile() ? readFileSync(path).toString('hex') : undefined)

describe('repair --adopt --from a backup', () => {
  test('gives a lost database back its files, folders, links, accounts, keys and settings', async () => {
    await using folder = await startWithBackups()
    const { holdfast, api: former } = folder
    const hidden = await former.upload('hidden.txt', 'hidden', 'deep/er')
    await former.upload('shown', 'shown')
    await former.createFolder('nothing/in/it')
    await former.data('PUT', '/files', { id: hidden.id, visibility: 'private' })
    const { url } = await former.sign(hidden.id, 3600)
    const changed = { limits: { hostingCacheMaxAge: 77 } }
    expect(await holdfast.bySession.status('PUT', '/settings', changed)).toBe(200)
    expect(await folder.backup()).toMatchObject({ exitCode: 0 })
    const settings = await holdfast.bySession.data('GET', '/settings')
    const [files, tree] = [await former.list(), await former.browse()]
    await folder.loseDatabase()
    const before = [contentsOf(holdfast.path('')), contentsOf(folder.backups)]

    const said = await folder.repair('--from', folder.backups)
    const isMadeBySaying = existsSync(folder.database)
    const done = await folder.repair('--from', folder.backups, '--yes')

    expect(said.output).toContain('Would take accounts, keys, settings and history from')
    expect(said.output).toContain(
      'Would add "shown" as the public file that it was, if its content is the same',
    )
    expect(isMadeBySaying).toBe(false)
    expect(done.output).toContain('Added "deep/er/hidden.txt" as the private file that it was\n')
    expect(done.exitCode).toBe(0)
    expect(await folder.verify('--deep')).toEqual(AGREES)
    expect([contentsOf(holdfast.path('')), contentsOf(folder.backups)]).toEqual(before)
    await using server = await folder.open()
    const { api } = server
    expect(await api.list()).toEqual(files)
    expect(await api.browse()).toEqual(tree)
    expect(await api.hosted('shown')).toBe('shown')
    expect(await api.hosted('deep/er/hidden.txt')).toBe(404)
    expect(await (await server.fetch(`/${url}`)).text()).toBe('hidden')
    expect(await server.bySession.data<unknown>('GET', '/settings')).toEqual(settings)
  })

  test('adds newer files as private ones, and omits files that are gone since', async () => {
    await using folder = await startWithBackups()
    const { api } = folder
    const gone = await api.upload('gone', 'gone')
    const kept = await api.upload('kept', 'kept')
    expect(await folder.backup()).toMatchObject({ exitCode: 0 })
    await api.data('DELETE', '/files', { id: gone.id })
    await api.upload('new', 'new', 'new folder')
    await folder.loseDatabase()

    const { output } = await folder.repair('--from', folder.backups, '--yes')

    expect(output).toContain('Added "new folder/new" as a private file\n')
    expect(await folder.verify('--deep')).toEqual(AGREES)
    await using server = await folder.open()
    const files = await server.api.list({ orderBy: 'name', orderDirection: 'ASC' })
    expect(files.map(({ name, visibility }) => [name, visibility])).toEqual([
      ['kept', 'public'],
      ['new', 'private'],
    ])
    expect(files[0]).toEqual(kept)
  })

  test('takes over no counts of a file that is gone since', async () => {
    await using folder = await startWithBackups()
    const { api } = folder
    await api.upload('stays', 'stays')
    const gone = await api.upload('gone', 'gone')
    for (const key of ['stays', 'gone', 'gone']) await api.hosted(key)
    await folder.holdfast.saveCounts()
    expect(await folder.backup()).toMatchObject({ exitCode: 0 })
    await api.data('DELETE', '/files', { id: gone.id })
    await folder.loseDatabase()

    expect(await folder.repair('--from', folder.backups, '--yes')).toMatchObject({ exitCode: 0 })

    expect(await folder.verify('--deep')).toEqual(AGREES)
  })

  test('a file of other content is another file: private, with a new id, whatever its size and time', async () => {
    await using folder = await startWithBackups()
    const { api } = folder
    const secret = await api.upload('secret', 'hidden words')
    await api.data('PUT', '/files', { id: secret.id, visibility: 'private' })
    const notice = await api.upload('notice', 'public words')
    const { url } = await api.sign(notice.id, 3600)
    expect(await folder.backup()).toMatchObject({ exitCode: 0 })
    await api.data('DELETE', '/files', { id: notice.id })
    await api.data('PUT', '/files', { id: secret.id, name: 'notice' })
    await folder.loseDatabase()
    utimesSync(folder.holdfast.path('notice'), 0, 0)

    const { output } = await folder.repair('--from', folder.backups, '--yes')

    expect(output).toContain('Added "notice" as a private file: its content is not what it was')
    expect(await folder.verify('--deep')).toEqual(AGREES)
    await using server = await folder.open()
    const [file] = await server.api.list()
    expect(file).toMatchObject({ name: 'notice', visibility: 'private' })
    expect([secret.id, notice.id]).not.toContain(file?.id ?? '')
    expect(await server.api.hosted('notice')).toBe(404)
    expect((await server.fetch(`/${url}`)).status).toBe(404)
  })

  test('an existing database takes precedence; the backup only adds files that it does not know', async () => {
    await using folder = await startWithBackups()
    const { api, holdfast } = folder
    const lost = await api.upload('lost', 'lost')
    const renamed = await api.upload('old name', 'renamed')
    expect(await folder.backup()).toMatchObject({ exitCode: 0 })
    await api.data('PUT', '/files', { id: renamed.id, name: 'new name', visibility: 'private' })
    await holdfast.server.deps.store.transact(() => holdfast.server.deps.store.files.remove(lost.id))
    await holdfast.stop()
    // Another file with the bytes, and at the place, of one that has gone elsewhere: its id is taken.
    writeFileSync(holdfast.path('old name'), 'renamed')

    await folder.repair('--from', folder.backups, '--yes')

    expect(await folder.verify('--deep')).toEqual(AGREES)
    await using server = await folder.open()
    expect(await server.api.file(lost.id)).toEqual(lost)
    expect(await server.api.file(renamed.id)).toMatchObject({ name: 'new name', visibility: 'private' })
    expect(await server.api.hosted('old name')).toBe(404)
  })

  test('continues a repair that was killed at any time', async () => {
    await using folder = await startWithBackups()
    const { api } = folder
    for (let n = 0; n < 20; n++) await api.upload(`f${n}`, `content ${n}`, `folder ${n % 3}`)
    expect(await folder.backup()).toMatchObject({ exitCode: 0 })
    const files = await api.list()
    await folder.loseDatabase()

    const db = join(folder.base, 'data/db')
    const sizes = () =>
      existsSync(db)
        ? readdirSync(db).map((name) => statSync(join(db, name), { throwIfNoEntry: false })?.size)
        : ['no database']
    for (let changes = 1; changes <= 6; changes += 1) {
      const words = ['repair', '--adopt', '--yes', '--from', folder.backups]
      const child = startCommand(words, { DATA_PATH: join(folder.base, 'data') })
      const seen = new Set<string>()
      while (child.exitCode === null && seen.size <= changes) {
        seen.add(sizes().join())
        await Bun.sleep(1)
      }
      child.kill('SIGKILL')
      await child.exited
      if (existsSync(join(folder.base, 'data/incomplete')))
        await expect(folder.open()).rejects.toThrow('"repair --adopt" did not end')
    }
    await folder.repair('--from', folder.backups, '--yes')

    expect(await folder.verify('--deep')).toEqual(AGREES)
    await using server = await folder.open()
    expect(await server.api.list()).toEqual(files)
  })

  test('refuses a backup of another data folder, an invalid one, and an unreadable one', async () => {
    await using other = await startWithBackups()
    await other.api.upload('a', 'a')
    expect(await other.backup()).toMatchObject({ exitCode: 0 })
    await using folder = await startWithBackups()
    await folder.api.upload('a', 'a')
    await folder.loseDatabase()
    const garbled = join(folder.base, 'garbled')
    mkdirSync(garbled)
    writeFileSync(join(garbled, 'holdfast.sqlite'), 'x'.repeat(8192))

    for (const [from, why] of [
      [other.backups, 'is not of the files in'],
      [folder.base, 'has no backups'],
      [garbled, 'Nothing was changed'],
    ] as const) {
      expectRefused(await folder.repair('--from', from, '--yes'), why)
      expect(existsSync(folder.database)).toBe(false)
    }
  })
})

describe('repair --adopt --from a damaged database', () => {
  test('recovers its readable files unchanged, and adds the others as private', async () => {
    await using folder = await startWithBackups()
    const { api, holdfast } = folder
    await uploadMany(holdfast)
    await api.createFolder('empty')
    const [former, tree] = [await api.list({ limit: 1000 }), await api.browse()]
    await holdfast.stop()
    damage(folder.database)
    expect((await folder.repair('--yes')).output).toContain('The database is damaged')
    const away = await folder.loseDatabase()

    const { output } = await folder.repair('--from', away, '--yes')

    expect(output).toContain('is damaged: of its files, what can be read is used')
    expect(output).toContain('the first to register will be the admin')
    expect(await folder.verify('--deep')).toEqual(AGREES)
    await using server = await folder.open('data', { SETUP_TOKEN })
    const own = apiOf(server, await register(server, SETUP_TOKEN))
    const was = new Map(former.map((file) => [file.key, file]))
    const files = await own.list({ limit: 1000 })
    expect(files).toHaveLength(300)
    const same = files.filter((file) => Bun.deepEquals(file, was.get(file.key)))
    expect(same.length).toBeGreaterThan(200)
    expect(same.length).toBeLessThan(300)
    for (const file of files) expect(same.includes(file) || file.visibility === 'private').toBe(true)
    expect((await own.browse()).folders).toEqual(tree.folders)
  })

  test('takes precedence over a backup, which adds the accounts and the unreadable files', async () => {
    await using folder = await startWithBackups()
    const { api, holdfast } = folder
    await uploadMany(holdfast)
    await api.createFolder('empty')
    expect(await folder.backup()).toMatchObject({ exitCode: 0 })
    // Its row is on the first page, which stays readable.
    const [oldest] = await api.list({ limit: 1, orderDirection: 'ASC' })
    await api.data('PUT', '/files', { id: oldest?.id, visibility: 'private' })
    const former = await api.list({ limit: 1000 })
    await holdfast.stop()
    damage(folder.database)
    const away = await folder.loseDatabase()

    const { output } = await folder.repair('--from', away, folder.backups, '--yes')

    expect(output).toContain(`Took accounts, keys, settings and history from "${folder.backups}"`)
    expect(await folder.verify('--deep')).toEqual(AGREES)
    await using server = await folder.open()
    const ids = (files: { id: string }[]) => files.map(({ id }) => id).sort()
    const files = await server.api.list({ limit: 1000 })
    expect(ids(files)).toEqual(ids(former))
    expect(oldest?.visibility).toBe('public')
    expect((await server.api.file(oldest?.id ?? '')).visibility).toBe('private')
  })
})
