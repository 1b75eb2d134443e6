import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { apiOf } from './support/api.ts'
import { filesUnder, type Inside, register, startHoldfast, startInside, upload } from './support/holdfast.ts'

const SETUP_TOKEN = 'token-of-the-operator'

import { runInside } from './support/command.ts'

/** Creates a data folder by running `fill` on a server and stopping it. */
async function stopped(fill: (holdfast: Inside, withKey: Record<string, string>) => Promise<unknown>) {
  const dataPath = mkdtempSync(join(tmpdir(), 'holdfast-'))
  const holdfast = await startInside({ dataPath })
  const account = await register(holdfast)
  await fill(holdfast, account.withKey)
  await holdfast.stop()
  return {
    dataPath,
    account,
    path: (key: string) => join(dataPath, 'uploads', key),
    verify: () => runInside(['verify', '--deep'], { DATA_PATH: dataPath }),
    repair: (...options: string[]) => runInside(['repair', '--adopt', ...options], { DATA_PATH: dataPath }),
    start: (environment = {}) => startHoldfast({ dataPath, environment }),
    [Symbol.dispose]: () => rmSync(dataPath, { recursive: true, force: true }),
  }
}

const AGREES = { exitCode: 0, output: 'Volume and catalog agree\n' }

/** Returns all entries below a folder with kind, content and time. */
const contentsOf = (folder: string) =>
  readdirSync(folder, { recursive: true })
    .map(String)
    .sort()
    .map((name) => {
      const stat = statSync(join(folder, name), { throwIfNoEntry: false })
      return [name, stat?.mtimeMs, stat?.isFile() ? readFileSync(join(folder, name), 'utf8') : undefined]
    })

describe('repair --adopt', () => {
  test('reports that there is nothing to do', async () => {
    using folder = await stopped((holdfast, withKey) =>
      upload(holdfast, withKey, { name: 'a', content: 'a' }),
    )

    expect(await folder.repair()).toEqual(AGREES)
    expect(await folder.repair('--yes')).toEqual(AGREES)
  })

  test('lists its changes without making them, and makes them with --yes', async () => {
    using folder = await stopped(async (holdfast, withKey) => {
      for (const name of ['gone', 'edited', 'flipped', 'whole'])
        await upload(holdfast, withKey, { name, content: `content of ${name}`, folder: 'a' })
      await upload(holdfast, withKey, { name: 'x', content: 'x', folder: 'lost/deep' })
    })
    rmSync(folder.path('a/gone'))
    writeFileSync(folder.path('a/edited'), 'longer than it was before')
    writeFileSync(folder.path('a/flipped'), 'Content of flipped')
    rmSync(folder.path('lost'), { recursive: true })
    mkdirSync(folder.path('new/empty'), { recursive: true })
    writeFileSync(folder.path('new/page.html'), '<p>')
    symlinkSync('a/whole', folder.path('link'))
    const database = readFileSync(join(folder.dataPath, 'db/holdfast.sqlite'))
    const volume = contentsOf(folder.path(''))

    const said = await folder.repair('--deep')

    const changes = [
      'take "a/edited" as it is on disk: size differs',
      'take "a/flipped" as it is on disk: content differs',
      'drop the record of "a/gone": bytes are missing',
      'drop the record of "lost/deep/x": bytes are missing',
      'leave "link" alone: link or special file',
      'add the folder "new"',
      'add the folder "new/empty"',
      'add "new/page.html" as a private file',
      'drop the record of the folder "lost/deep": folder is missing',
      'drop the record of the folder "lost": folder is missing',
    ]
    const summary =
      '9 change(s) to make. Nothing was changed: add --yes to make them. One entry needs a decision: see above.'
    expect(said).toEqual({
      exitCode: 0,
      output: [...changes.map((change) => `Would ${change}`), summary, ''].join('\n'),
    })
    expect(readFileSync(join(folder.dataPath, 'db/holdfast.sqlite'))).toEqual(database)
    expect(contentsOf(folder.path(''))).toEqual(volume)

    const done = await folder.repair('--deep', '--yes')

    const outcome =
      '9 change(s) made. Nothing on the volume was changed. One entry needs a decision: see above.'
    expect(done).toEqual({ exitCode: 0, output: [...changes, outcome, ''].join('\n') })
    expect(contentsOf(folder.path(''))).toEqual(volume)
    rmSync(folder.path('link'))
    expect(await folder.verify()).toEqual(AGREES)
  })

  test('added files are private, have their time from disk, and work like any other', async () => {
    using folder = await stopped(async () => {})
    writeFileSync(folder.path('page.html'), '<p>')
    utimesSync(folder.path('page.html'), 1_700_000_000, 1_700_000_000)

    await folder.repair('--yes')

    await using holdfast = await folder.start()
    const api = apiOf(holdfast, folder.account)
    const [file] = await api.list()
    expect(file).toMatchObject({
      key: 'page.html',
      size: 3,
      mimeType: 'text/html',
      visibility: 'private',
      createdAt: '2023-11-14 22:13:20',
    })
    expect(await api.hosted('page.html')).toBe(404)
    await api.data('PUT', '/files', { id: file?.id, visibility: 'public' })
    expect(await api.hosted('page.html')).toBe('<p>')
  })

  test('a file that was edited keeps its id and visibility', async () => {
    using folder = await stopped((holdfast, withKey) =>
      upload(holdfast, withKey, { name: 'a', content: 'a' }),
    )
    writeFileSync(folder.path('a'), 'longer')
    await folder.repair('--yes')

    await using holdfast = await folder.start()

    const [file] = await apiOf(holdfast, folder.account).list()
    expect(file).toMatchObject({ name: 'a', size: 6, visibility: 'public' })
  })

  test('reads a file of the same size if it was changed on disk since it was stored, or if asked', async () => {
    using folder = await stopped(async (holdfast, withKey) => {
      await upload(holdfast, withKey, { name: 'a', content: 'a' })
      await upload(holdfast, withKey, { name: 'edited', content: 'a' })
    })
    writeFileSync(folder.path('a'), 'b')
    utimesSync(folder.path('a'), 0, 0)
    writeFileSync(folder.path('edited'), 'b')
    // The system's own clock for files runs some milliseconds behind.
    utimesSync(folder.path('edited'), new Date(), new Date())
    expect((await folder.repair('--yes')).output).toStartWith(
      'take "edited" as it is on disk: content differs\n1 ',
    )

    expect(await folder.repair('--yes')).toEqual(AGREES)
    expect((await folder.repair('--yes', '--deep')).output).toContain(
      'take "a" as it is on disk: content differs',
    )
  })

  test('a folder at the path of a file, and a file at that of a folder, are adopted as such', async () => {
    using folder = await stopped(async (holdfast, withKey) => {
      await upload(holdfast, withKey, { name: 'was-file', content: 'x' })
      await upload(holdfast, withKey, { name: 'x', content: 'x', folder: 'was-folder' })
    })
    rmSync(folder.path('was-file'))
    rmSync(folder.path('was-folder'), { recursive: true })
    mkdirSync(folder.path('was-file'))
    writeFileSync(folder.path('was-file/inside'), 'x')
    writeFileSync(folder.path('was-folder'), 'x')

    await folder.repair('--yes')

    expect(await folder.verify()).toEqual(AGREES)
    await using holdfast = await folder.start()
    const keys = (await apiOf(holdfast, folder.account).list()).map(({ key }) => key)
    expect(keys.sort()).toEqual(['was-file/inside', 'was-folder'])
  })

  test('does not touch entries with invalid names', async () => {
    using folder = await stopped(async () => {})
    writeFileSync(folder.path('back\\slash'), 'x')
    writeFileSync(Buffer.concat([Buffer.from(`${folder.path('')}/`), Buffer.from([0x66, 0xff])]), 'x')

    const { exitCode, output } = await folder.repair('--yes')

    expect(exitCode).toBe(0)
    expect(output).toContain('leave "back\\\\slash" alone: its name must not contain')
    expect(output).toContain('alone: its name is not valid UTF-8')
    expect(output).toContain('Nothing to change. 2 entries need a decision: see above.')
    expect(filesUnder(folder, 'uploads')).toHaveLength(2)
  })

  test('counts an unfinished delete of a folder once', async () => {
    using folder = await stopped(async (holdfast, withKey) => {
      const { folderId } = await upload(holdfast, withKey, { name: 'a', content: 'a', folder: 'gone' })
      const { store } = holdfast.server.deps
      const { ino, birthtimeMs } = statSync(join(holdfast.dataPath, 'uploads', 'gone'))
      const birth = `${ino} ${birthtimeMs}`
      const plan = { kind: 'discard', folderId, key: 'gone', birth, aside: 'dgone' }
      await store.transact(function* () {
        yield* store.intents.insert({ id: 'left-over', plan, createdAt: 0 })
        yield* store.folders.detach(folderId)
      })
    })

    expect(await folder.repair('--yes')).toEqual({
      exitCode: 0,
      output: 'Recovered 1 unfinished operation(s)\n1 change(s) made. Nothing on the volume was changed.\n',
    })
    expect(await folder.repair()).toEqual(AGREES)
    expect(existsSync(folder.path('gone'))).toBe(false)
  })

  test('recounts wrong totals', async () => {
    using folder = await stopped((holdfast, withKey) =>
      upload(holdfast, withKey, { name: 'a', content: 'a' }),
    )
    {
      using database = new Database(join(folder.dataPath, 'db/holdfast.sqlite'))
      for (const table of ['file_totals', 'file_days', 'folder_total'])
        database.run(`UPDATE ${table} SET count = count + 1`)
    }
    expect((await folder.verify()).exitCode).toBe(1)

    await folder.repair('--yes')

    expect(await folder.verify()).toEqual(AGREES)
  })

  test('rebuilds a lost database from the stored files: bytes, names and tree', async () => {
    using folder = await stopped(async (holdfast, withKey) => {
      await upload(holdfast, withKey, { name: 'a.txt', content: 'a', folder: 'deep/er' })
      await upload(holdfast, withKey, { name: 'empty', content: '' })
      await apiOf(holdfast, { withKey }).createFolder('nothing/in/it')
    })
    const tree = filesUnder(folder, 'uploads')
    rmSync(join(folder.dataPath, 'db'), { recursive: true })

    const said = await folder.repair()
    const done = await folder.repair('--yes')

    expect(said.output).toContain('Would add "deep/er/a.txt" as a private file')
    expect(done.output).toContain('the first to register will be the admin')
    expect(await folder.verify()).toEqual(AGREES)
    await using holdfast = await folder.start({ SETUP_TOKEN })
    const api = apiOf(holdfast, await register(holdfast, SETUP_TOKEN))
    expect((await api.list()).map(({ key }) => key).sort()).toEqual(['deep/er/a.txt', 'empty'])
    expect((await api.browse({ key: 'nothing/in' })).folders.map(({ name }) => name)).toEqual(['it'])
    expect(filesUnder(folder, 'uploads')).toEqual(tree)
  })

  test('refuses while a server runs, also without --yes', async () => {
    await using holdfast = await startHoldfast()
    writeFileSync(join(holdfast.dataPath, 'uploads/stray'), 'x')

    for (const options of [[], ['--yes']]) {
      const refused = await runInside(['repair', '--adopt', ...options], { DATA_PATH: holdfast.dataPath })

      expect(refused.exitCode).toBe(1)
      expect(refused.output).toContain('Another Holdfast is running')
    }
    expect(holdfast.catalog.files.any()).toBe(false)
  })

  test('refuses the files of another database', async () => {
    const fill = (holdfast: Inside, withKey: Record<string, string>) =>
      upload(holdfast, withKey, { name: 'a', content: 'a' })
    using folder = await stopped(fill)
    using other = await stopped(fill)
    rmSync(join(folder.dataPath, 'db'), { recursive: true })
    cpSync(join(other.dataPath, 'db'), join(folder.dataPath, 'db'), { recursive: true })

    for (const options of [[], ['--yes']]) {
      const refused = await folder.repair(...options)

      expect(refused.exitCode).toBe(1)
      expect(refused.output).toContain('belongs to another database')
    }
  })

  test('refuses files whose volume is not mounted', async () => {
    using folder = await stopped((holdfast, withKey) =>
      upload(holdfast, withKey, { name: 'a', content: 'a' }),
    )
    rmSync(folder.path(''), { recursive: true })
    mkdirSync(folder.path(''))

    const refused = await folder.repair('--yes')

    expect(refused.exitCode).toBe(1)
    expect(refused.output).toContain('is its volume mounted?')
  })

  test('creates nothing in a folder that is not a data folder', async () => {
    const elsewhere = mkdtempSync(join(tmpdir(), 'holdfast-'))

    const { exitCode, output } = await runInside(['repair', '--adopt', '--yes'], { DATA_PATH: elsewhere })

    expect(exitCode).toBe(1)
    expect(output).toContain('There is no folder "uploads"')
    expect(readdirSync(elsewhere)).toEqual([])
    rmSync(elsewhere, { recursive: true })
  })
})
