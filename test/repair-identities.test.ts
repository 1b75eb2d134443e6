import { describe, expect, test } from 'bun:test'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { apiOf } from './support/api.ts'
import { damage, uploadMany } from './support/damaged.ts'
import { type Account, type Inside, register, startInside } from './support/holdfast.ts'

const SETUP_TOKEN = 'token-of-the-operator'

import { runInside } from './support/command.ts'
import { startCommand } from './support/process.ts'

/** Creates a data folder by running `fill` on a server and stopping it, and a folder for backups. */
async function stopped<Filled>(fill: (given: Given) => Promise<Filled>) {
  const base = mkdtempSync(join(tmpdir(), 'holdfast-'))
  const dataPath = join(base, 'data')
  const backups = join(base, 'backups')
  const run = (...words: string[]) => runInside(words, { DATA_PATH: dataPath })
  const backup = async () => expect(await run('backup', backups)).toMatchObject({ exitCode: 0 })
  const holdfast = await startInside({ dataPath })
  const account = await register(holdfast)
  const filled = await fill({ holdfast, account, api: apiOf(holdfast, account), backup })
  await holdfast.stop()
  return {
    filled,
    account,
    base,
    backups,
    /** Destination for the database's folder. */
    away: join(base, 'away'),
    database: join(dataPath, 'db/holdfast.sqlite'),
    path: (key: string) => join(dataPath, 'uploads', key),
    loseDatabase: () => rmSync(join(dataPath, 'db'), { recursive: true }),
    moveDatabaseAway: () => renameSync(join(dataPath, 'db'), join(base, 'away')),
    repair: (...words: string[]) => run('repair', '--adopt', ...words),
    verify: () => run('verify', '--deep'),
    /** Starts a server on it, with a client for the former account. */
    open: async (environment = {}) => {
      const opened = await startInside({ dataPath, environment })
      return { opened, api: apiOf(opened, account), [Symbol.asyncDispose]: () => opened.stop() }
    },
    [Symbol.dispose]: () => rmSync(base, { recursive: true, force: true }),
  }
}

interface Given {
  holdfast: Inside
  account: Account
  api: ReturnType<typeof apiOf>
  backup: () => void
}

const AGREES = { exitCode: 0, output: 'Volume and catalog agree\n' }

/** Returns all entries below a folder with content and time. */
const contentsOf = (folder: string) =>
  readdirSync(folder, { recursive: true })
    .map(String)
    .sort()
    .map((name) => [name, statSync(join(folder, name)).mtimeMs, contentOf(join(folder, name))])

const contentOf = (path: string) => (statSync(path).isFile() ? readFileSync(path).toString('hex') : undefined)

describe('repair --adopt --from a backup', () => {
  test('gives a lost database back its files, folders, links, accounts, keys and settings', async () => {
    using folder = await stopped(async ({ holdfast, account, api, backup }) => {
      const hidden = await api.upload('hidden.txt', 'hidden', 'deep/er')
      await api.upload('shown', 'shown')
      await api.createFolder('nothing/in/it')
      await api.data('PUT', '/files', { id: hidden.id, visibility: 'private' })
      const { url } = await api.data<{ url: string }>('POST', '/files/sign', {
        id: hidden.id,
        expiresIn: 3600,
      })
      const saved = await holdfast.fetch('/api/settings', {
        method: 'PUT',
        headers: { Cookie: account.cookie },
        body: JSON.stringify({ limits: { hostingCacheMaxAge: 77 } }),
      })
      expect(saved.status).toBe(200)
      await backup()
      const settings = await (
        await holdfast.fetch('/api/settings', { headers: { Cookie: account.cookie } })
      ).json()
      return { url, files: await api.list(), tree: await api.browse(), settings }
    })
    const { url, files, tree, settings } = folder.filled
    const before = [contentsOf(folder.path('')), contentsOf(folder.backups)]
    folder.loseDatabase()

    const said = await folder.repair('--from', folder.backups)
    const isMadeBySaying = existsSync(folder.database)
    const done = await folder.repair('--from', folder.backups, '--yes')

    expect(said.output).toContain('Would take accounts, keys, settings and history from')
    expect(said.output).toContain(
      'Would add "shown" as the public file that it was, if its content is the same',
    )
    expect(isMadeBySaying).toBe(false)
    expect(done.output).toContain('add "deep/er/hidden.txt" as the private file that it was\n')
    expect(done.exitCode).toBe(0)
    expect(await folder.verify()).toEqual(AGREES)
    expect([contentsOf(folder.path('')), contentsOf(folder.backups)]).toEqual(before)
    await using server = await folder.open()
    const { api, opened } = server
    expect(await api.list()).toEqual(files)
    expect(await api.browse()).toEqual(tree)
    expect(await api.hosted('shown')).toBe('shown')
    expect(await api.hosted('deep/er/hidden.txt')).toBe(404)
    expect(await (await opened.fetch(`/${url}`)).text()).toBe('hidden')
    const asked = await opened.fetch('/api/settings', { headers: { Cookie: folder.account.cookie } })
    expect(await asked.json()).toEqual(settings)
  })

  test('adds newer files as private ones, and omits files that are gone since', async () => {
    using folder = await stopped(async ({ api, backup }) => {
      const gone = await api.upload('gone', 'gone')
      const kept = await api.upload('kept', 'kept')
      await backup()
      await api.data('DELETE', '/files', { id: gone.id })
      await api.upload('new', 'new', 'new folder')
      return { kept }
    })
    folder.loseDatabase()

    const { output } = await folder.repair('--from', folder.backups, '--yes')

    expect(output).toContain('add "new folder/new" as a private file\n')
    expect(await folder.verify()).toEqual(AGREES)
    await using server = await folder.open()
    const files = await server.api.list({ orderBy: 'name', orderDirection: 'ASC' })
    expect(files.map(({ name, visibility }) => [name, visibility])).toEqual([
      ['kept', 'public'],
      ['new', 'private'],
    ])
    expect(files[0]).toEqual(folder.filled.kept)
  })

  test('a file of other content is another file: private, with a new id, whatever its size and time', async () => {
    using folder = await stopped(async ({ api, backup }) => {
      const secret = await api.upload('secret', 'hidden words')
      await api.data('PUT', '/files', { id: secret.id, visibility: 'private' })
      const notice = await api.upload('notice', 'public words')
      const { url } = await api.data<{ url: string }>('POST', '/files/sign', {
        id: notice.id,
        expiresIn: 3600,
      })
      await backup()
      await api.data('DELETE', '/files', { id: notice.id })
      await api.data('PUT', '/files', { id: secret.id, name: 'notice' })
      return { ids: [secret.id, notice.id], url }
    })
    folder.loseDatabase()
    utimesSync(folder.path('notice'), 0, 0)

    const { output } = await folder.repair('--from', folder.backups, '--yes')

    expect(output).toContain('add "notice" as a private file: its content is not what it was')
    expect(await folder.verify()).toEqual(AGREES)
    await using server = await folder.open()
    const [file] = await server.api.list()
    expect(file).toMatchObject({ name: 'notice', visibility: 'private' })
    expect(folder.filled.ids).not.toContain(file?.id ?? '')
    expect(await server.api.hosted('notice')).toBe(404)
    expect((await server.opened.fetch(`/${folder.filled.url}`)).status).toBe(404)
  })

  test('an existing database takes precedence; the backup only adds files that it does not know', async () => {
    using folder = await stopped(async ({ api, backup, holdfast }) => {
      const lost = await api.upload('lost', 'lost')
      const renamed = await api.upload('old name', 'renamed')
      await backup()
      await api.data('PUT', '/files', { id: renamed.id, name: 'new name', visibility: 'private' })
      await holdfast.server.deps.store.transact(() => holdfast.server.deps.store.files.remove(lost.id))
      return { lost, renamed }
    })
    // Another file with the bytes, and at the place, of one that has gone elsewhere: its id is taken.
    writeFileSync(folder.path('old name'), 'renamed')

    await folder.repair('--from', folder.backups, '--yes')

    expect(await folder.verify()).toEqual(AGREES)
    await using server = await folder.open()
    const { api } = server
    expect(await api.file(folder.filled.lost.id)).toEqual(folder.filled.lost)
    expect(await api.file(folder.filled.renamed.id)).toMatchObject({
      name: 'new name',
      visibility: 'private',
    })
    expect(await api.hosted('old name')).toBe(404)
  })

  test('continues a repair that was killed at any time', async () => {
    using folder = await stopped(async ({ api, backup }) => {
      for (let n = 0; n < 20; n++) await api.upload(`f${n}`, `content ${n}`, `folder ${n % 3}`)
      await backup()
      return api.list()
    })
    folder.loseDatabase()

    for (const ms of [150, 200, 250, 300, 350, 400]) {
      const words = ['repair', '--adopt', '--yes', '--from', folder.backups]
      const child = startCommand(words, { DATA_PATH: join(folder.base, 'data') })
      await Bun.sleep(ms)
      child.kill('SIGKILL')
      await child.exited
    }
    await folder.repair('--from', folder.backups, '--yes')

    expect(await folder.verify()).toEqual(AGREES)
    await using server = await folder.open()
    expect(await server.api.list()).toEqual(folder.filled)
  })

  test('refuses a backup of another data folder, an invalid one, and an unreadable one', async () => {
    using other = await stopped(async ({ api, backup }) => {
      await api.upload('a', 'a')
      await backup()
    })
    using folder = await stopped(async ({ api }) => api.upload('a', 'a'))
    folder.moveDatabaseAway()
    const garbled = join(folder.base, 'garbled')
    mkdirSync(garbled)
    writeFileSync(join(garbled, 'holdfast.sqlite'), 'x'.repeat(8192))

    for (const [from, why] of [
      [other.backups, 'is not of the files in'],
      [folder.base, 'has no backups'],
      [garbled, 'Nothing was changed'],
    ] as const) {
      const refused = await folder.repair('--from', from, '--yes')

      expect(refused.exitCode).toBe(1)
      expect(refused.output).toContain(why)
      expect(refused.output).not.toContain('    at ')
      expect(existsSync(folder.database)).toBe(false)
    }
  })
})

describe('repair --adopt --from a damaged database', () => {
  test('recovers its readable files unchanged, and adds the others as private', async () => {
    using folder = await stopped(async (given) => {
      await uploadMany(given.holdfast, given.account)
      await given.api.createFolder('empty')
      return { files: await given.api.list({ limit: 1000 }), tree: await given.api.browse() }
    })
    damage(folder.database)
    expect((await folder.repair('--yes')).output).toContain('The database is damaged')
    folder.moveDatabaseAway()

    const { output } = await folder.repair('--from', folder.away, '--yes')

    expect(output).toContain('is damaged: of its files, what can be read is used')
    expect(output).toContain('the first to register will be the admin')
    expect(await folder.verify()).toEqual(AGREES)
    await using server = await folder.open({ SETUP_TOKEN })
    const api = apiOf(server.opened, await register(server.opened, SETUP_TOKEN))
    const was = new Map(folder.filled.files.map((file) => [file.key, file]))
    const files = await api.list({ limit: 1000 })
    expect(files).toHaveLength(300)
    const same = files.filter((file) => Bun.deepEquals(file, was.get(file.key)))
    expect(same.length).toBeGreaterThan(200)
    expect(same.length).toBeLessThan(300)
    for (const file of files) expect(same.includes(file) || file.visibility === 'private').toBe(true)
    expect((await api.browse()).folders).toEqual(folder.filled.tree.folders)
  })

  test('takes precedence over a backup, which adds the accounts and the unreadable files', async () => {
    using folder = await stopped(async (given) => {
      await uploadMany(given.holdfast, given.account)
      await given.api.createFolder('empty')
      await given.backup()
      // Its row is on the first page, which stays readable.
      const [oldest] = await given.api.list({ limit: 1, orderDirection: 'ASC' })
      await given.api.data('PUT', '/files', { id: oldest?.id, visibility: 'private' })
      return { files: await given.api.list({ limit: 1000 }), oldest }
    })
    damage(folder.database)
    folder.moveDatabaseAway()

    const { output } = await folder.repair('--from', folder.away, folder.backups, '--yes')

    expect(output).toContain(`take accounts, keys, settings and history from "${folder.backups}"`)
    expect(await folder.verify()).toEqual(AGREES)
    await using server = await folder.open()
    const ids = (files: { id: string }[]) => files.map(({ id }) => id).sort()
    const files = await server.api.list({ limit: 1000 })
    expect(ids(files)).toEqual(ids(folder.filled.files))
    expect(folder.filled.oldest?.visibility).toBe('public')
    expect((await server.api.file(folder.filled.oldest?.id ?? '')).visibility).toBe('private')
  })
})
