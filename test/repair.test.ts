import { describe, expect, test } from 'bun:test'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { told } from '../src/commands/outcome.ts'
import { identify } from './storage/crash.ts'
import { apiOf } from './support/api.ts'
import { AGREES, startWithBackups, tamper } from './support/backups.ts'
import { expectRefused, runInside } from './support/command.ts'
import { startInsideWithAccount } from './support/fixture.ts'
import { filesUnder, register } from './support/holdfast.ts'
import { latin1Place } from './support/latin1.ts'
import { refuseRemovals } from './support/refusing.ts'
import { temporaryFolder } from './support/temporary.ts'

const SETUP_TOKEN = 'token-of-the-operator'

/** Creates a data folder with files, by their keys, whose server is stopped. */
async function stopped(files: Record<string, string> = {}) {
  const source = await startWithBackups()
  const { api, holdfast } = source
  for (const [key, content] of Object.entries(files))
    await api.upload(basename(key), content, key.slice(0, -basename(key).length - 1))
  await holdfast.stop()
  return { ...source, dataPath: holdfast.dataPath, path: holdfast.path }
}

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
    await using folder = await stopped({ a: 'a' })

    expect(await folder.repair()).toEqual(AGREES)
    expect(await folder.repair('--yes')).toEqual(AGREES)
  })

  test('lists its changes without making them, and makes them with --yes', async () => {
    const names = ['gone', 'edited', 'flipped', 'whole']
    const files = Object.fromEntries(names.map((name) => [`a/${name}`, `content of ${name}`]))
    await using folder = await stopped({ ...files, 'lost/deep/x': 'x' })
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
      '9 changes to make. Nothing was changed: add --yes to make them. One entry needs a decision: see above.'
    expect(said).toEqual({
      exitCode: 0,
      output: [...changes.map((change) => told(change, false)), summary, ''].join('\n'),
    })
    expect(readFileSync(join(folder.dataPath, 'db/holdfast.sqlite'))).toEqual(database)
    expect(contentsOf(folder.path(''))).toEqual(volume)

    const done = await folder.repair('--deep', '--yes')

    const outcome =
      '9 changes made: 2 files updated, 4 records dropped, 2 folders added, 1 file added. Nothing on the volume was changed. One entry needs a decision: see above.'
    expect(done).toEqual({
      exitCode: 0,
      output: [...changes.map((change) => told(change, true)), outcome, ''].join('\n'),
    })
    expect(contentsOf(folder.path(''))).toEqual(volume)
    rmSync(folder.path('link'))
    expect(await folder.verify('--deep')).toEqual(AGREES)
  })

  test('added files are private, have their time from disk, and work like any other', async () => {
    await using folder = await stopped()
    writeFileSync(folder.path('page.html'), '<p>')
    utimesSync(folder.path('page.html'), 1_700_000_000, 1_700_000_000)

    await folder.repair('--yes')

    await using holdfast = await folder.open()
    const { api } = holdfast
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
    await using folder = await stopped({ a: 'a' })
    writeFileSync(folder.path('a'), 'longer')
    await folder.repair('--yes')

    await using holdfast = await folder.open()

    const [file] = await holdfast.api.list()
    expect(file).toMatchObject({ name: 'a', size: 6, visibility: 'public' })
  })

  test('reads a file of the same size if it was changed on disk since it was stored, or if asked', async () => {
    await using folder = await stopped({ a: 'a', edited: 'a' })
    writeFileSync(folder.path('a'), 'b')
    utimesSync(folder.path('a'), 0, 0)
    writeFileSync(folder.path('edited'), 'b')
    // The system's own clock for files runs some milliseconds behind.
    utimesSync(folder.path('edited'), new Date(), new Date())
    expect((await folder.repair('--yes')).output).toStartWith(
      'Took "edited" as it is on disk: content differs\n1 ',
    )

    expect(await folder.repair('--yes')).toEqual(AGREES)
    expect((await folder.repair('--yes', '--deep')).output).toContain(
      'Took "a" as it is on disk: content differs',
    )
  })

  test('a folder at the path of a file, and a file at that of a folder, are adopted as such', async () => {
    await using folder = await stopped({ 'was-file': 'x', 'was-folder/x': 'x' })
    rmSync(folder.path('was-file'))
    rmSync(folder.path('was-folder'), { recursive: true })
    mkdirSync(folder.path('was-file'))
    writeFileSync(folder.path('was-file/inside'), 'x')
    writeFileSync(folder.path('was-folder'), 'x')

    await folder.repair('--yes')

    expect(await folder.verify('--deep')).toEqual(AGREES)
    await using holdfast = await folder.open()
    const keys = (await holdfast.api.list()).map(({ key }) => key)
    expect(keys.sort()).toEqual(['was-file/inside', 'was-folder'])
  })

  test('does not touch entries with invalid names', async () => {
    await using folder = await stopped()
    writeFileSync(folder.path('back\\slash'), 'x')
    writeFileSync(latin1Place(folder.path(''), 'f\xff'), 'x')
    writeFileSync(folder.path('f\ufffd'), 'its twin')

    const { exitCode, output } = await folder.repair('--yes')

    expect(exitCode).toBe(0)
    expect(output).toContain('Left "back\\\\slash" alone: its name must not contain')
    expect(output).toContain('Left "f\\\\xff" alone: its name is not UTF-8')
    expect(output).toContain('Added "f\ufffd" as a private file')
    expect(output).toContain(
      '1 change made: 1 file added. Nothing on the volume was changed. 2 entries need a decision',
    )
    expect(filesUnder(folder, 'uploads')).toHaveLength(3)
  })

  test('counts an unfinished delete of a folder once', async () => {
    await using folder = await startWithBackups()
    const { holdfast, api } = folder
    const { folderId } = await api.upload('a', 'a', 'gone')
    const { store } = holdfast.server.deps
    const { ino, birthtimeMs } = statSync(holdfast.path('gone'))
    const plan = { kind: 'discard', folderId, key: 'gone', birth: `${ino} ${birthtimeMs}`, aside: 'dgone' }
    await store.transact(function* () {
      yield* store.intents.insert({ id: 'left-over', plan, createdAt: 0 })
      yield* store.folders.detach(folderId)
    })
    await holdfast.stop()

    expect(await folder.repair('--yes')).toEqual({
      exitCode: 0,
      output:
        'Recovered 1 unfinished operation\n1 change made: 1 operation finished. Nothing on the volume was changed.\n',
    })
    expect(await folder.repair()).toEqual(AGREES)
    expect(existsSync(holdfast.path('gone'))).toBe(false)
  })

  test('finishes and adopts the rest beside operations that cannot be finished, and says why in a line each', async () => {
    await using folder = await startWithBackups()
    const { holdfast, api } = folder
    const { folderId } = await api.upload('a', 'a', 'gone')
    const other = await api.upload('b', 'b', 'other')
    await api.upload('kept.txt', 'kept', 'held')
    writeFileSync(holdfast.path('held/deleted.txt'), 'deleted')
    const identity = identify(holdfast.path('held/deleted.txt'))
    const { store } = holdfast.server.deps
    const discard = (id: string, key: string) => {
      const { ino, birthtimeMs } = statSync(holdfast.path(key))
      return { kind: 'discard' as const, folderId: id, key, birth: `${ino} ${birthtimeMs}`, aside: `d${key}` }
    }
    const plans = [
      discard(folderId, 'gone'),
      { kind: 'delete' as const, id: 'x', key: 'held/deleted.txt', aside: 'dfile', identity },
      discard(other.folderId, 'other'),
    ]
    await store.transact(function* () {
      for (const [index, plan] of plans.entries())
        yield* store.intents.insert({ id: `left-over ${index}`, plan, createdAt: index })
      for (const id of [folderId, other.folderId]) yield* store.folders.detach(id)
    })
    await holdfast.stop()
    // A folder of the deleted one's name came while a file in it was unknown.
    renameSync(holdfast.path('gone'), join(holdfast.dataPath, 'tmp/dgone'))
    writeFileSync(join(holdfast.dataPath, 'tmp/dgone/stranger'), 'unknown')
    mkdirSync(holdfast.path('gone'))
    writeFileSync(holdfast.path('gone/new'), 'new')
    const refusing = refuseRemovals(holdfast.path('held'))

    const { exitCode, output } = await folder.repair('--yes')
    refusing[Symbol.dispose]()

    expect([exitCode, output.trimEnd().split('\n')]).toEqual([
      0,
      [
        expect.stringMatching(
          /^The delete of the file "held\/deleted.txt", set aside as "tmp\/dfile", could not be finished: E[A-Z]+: check the owner/,
        ),
        expect.stringMatching(
          /^The deleted folder "gone", set aside as "tmp\/dgone", could not be removed: Files .* move "tmp\/dgone" away/,
        ),
        'Recovered 1 unfinished operation',
        'Left "held/deleted.txt" alone: an unfinished operation may still change it',
        'Added the folder "gone"',
        'Added "gone/new" as a private file',
        '3 changes made: 1 operation finished, 1 folder added, 1 file added. Nothing on the volume was changed. 3 entries need a decision: see above.',
      ],
    ])
    await using server = await folder.open()
    expect((await server.api.list()).map(({ key }) => key).sort()).toEqual(['gone/new', 'held/kept.txt'])
  })

  test('recounts wrong totals', async () => {
    await using folder = await stopped({ a: 'a' })
    const tables = ['file_totals', 'file_days', 'folder_total']
    tamper(folder.database, ...tables.map((table) => `UPDATE ${table} SET count = count + 1`))
    expect((await folder.verify('--deep')).exitCode).toBe(1)

    await folder.repair('--yes')

    expect(await folder.verify('--deep')).toEqual(AGREES)
  })

  test('removes rows that refer to missing rows, and what refers to those', async () => {
    await using folder = await stopped({ a: 'a' })
    tamper(
      folder.database,
      'PRAGMA foreign_keys = OFF',
      "INSERT INTO sessions (id, user_id, token_hash, ip_address, user_agent, created_at, used_at, expires_at) VALUES ('s', 'nobody', '', '', '', 0, 0, 0)",
      "INSERT INTO folders (id, parent_id, name, created_at, updated_at) VALUES ('child', 'gone', 'child', 0, 0), ('below', 'child', 'below', 0, 0)",
    )
    const lines = [
      'drop 1 row of "folders": they refer to no row of "folders"',
      'drop 1 row of "sessions": they refer to no row of "users"',
    ]

    const planned = await folder.repair()
    expect(planned.output.split('\n')).toEqual(expect.arrayContaining(lines.map((line) => told(line, false))))
    const { exitCode, output } = await folder.repair('--yes')

    expect([exitCode, output.split('\n')]).toEqual([
      0,
      expect.arrayContaining(lines.map((line) => told(line, true))),
    ])
    expect(await folder.verify()).toEqual(AGREES)
  })

  test('rebuilds a lost database from the stored files: bytes, names and tree', async () => {
    await using folder = await startWithBackups()
    await folder.api.upload('a.txt', 'a', 'deep/er')
    await folder.api.upload('empty', '')
    await folder.api.createFolder('nothing/in/it')
    const tree = filesUnder(folder.holdfast, 'uploads')
    await folder.loseDatabase()

    const said = await folder.repair()
    const done = await folder.repair('--yes')

    expect(said.output).toContain('Would add "deep/er/a.txt" as a private file')
    expect(done.output).toContain('the first to register will be the admin')
    expect(await folder.verify('--deep')).toEqual(AGREES)
    await using holdfast = await folder.open('data', { SETUP_TOKEN })
    const api = apiOf(holdfast, await register(holdfast, SETUP_TOKEN))
    expect((await api.list()).map(({ key }) => key).sort()).toEqual(['deep/er/a.txt', 'empty'])
    expect((await api.browse({ key: 'nothing/in' })).folders.map(({ name }) => name)).toEqual(['it'])
    expect(filesUnder(folder.holdfast, 'uploads')).toEqual(tree)
  })

  test('refuses while a server runs, also without --yes', async () => {
    await using holdfast = await startInsideWithAccount()
    writeFileSync(holdfast.path('stray'), 'x')

    for (const options of [[], ['--yes']]) {
      const refused = await runInside(['repair', '--adopt', ...options], { DATA_PATH: holdfast.dataPath })
      expectRefused(refused, 'Another Holdfast is running')
    }
    expect(holdfast.catalog.files.any()).toBe(false)
  })

  test('refuses the files of another database', async () => {
    await using folder = await stopped({ a: 'a' })
    await using other = await stopped({ a: 'a' })
    rmSync(join(folder.dataPath, 'db'), { recursive: true })
    cpSync(join(other.dataPath, 'db'), join(folder.dataPath, 'db'), { recursive: true })

    for (const options of [[], ['--yes']])
      expectRefused(await folder.repair(...options), 'belongs to another database')
  })

  test('refuses files whose volume is not mounted', async () => {
    await using folder = await stopped({ a: 'a' })
    rmSync(folder.path(''), { recursive: true })
    mkdirSync(folder.path(''))

    expectRefused(await folder.repair('--yes'), 'is its volume mounted?')
  })

  test('creates nothing in a folder that is not a data folder', async () => {
    using folder = temporaryFolder()
    const elsewhere = folder.path

    expectRefused(
      await runInside(['repair', '--adopt', '--yes'], { DATA_PATH: elsewhere }),
      'There is no folder "uploads"',
    )
    expect(readdirSync(elsewhere)).toEqual([])
  })
})
