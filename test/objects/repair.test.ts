import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { told } from '../../src/commands/outcome.ts'
import { type Api, apiOf } from '../support/api.ts'
import { tamper } from '../support/backups.ts'
import { runInside } from '../support/command.ts'
import { damage, uploadMany } from '../support/damaged.ts'
import { expectAll, fill } from '../support/filled.ts'
import { type Registered, startAgain, startInsideWithAccount } from '../support/fixture.ts'
import { type Inside, register, startInside } from '../support/holdfast.ts'
import { startCommand } from '../support/process.ts'
import { S3Store } from '../support/s3-store.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { variablesOf } from './store.ts'

const SETUP_TOKEN = 'token-of-the-operator'
const AGREES = { exitCode: 0, output: 'Object store and catalog agree\n' }

let store: S3Store
let base: ReturnType<typeof temporaryFolder>
let holdfast: Registered<Inside>
let api: Api

beforeEach(async () => {
  store = await S3Store.start()
  base = temporaryFolder()
  holdfast = await startInsideWithAccount({ dataPath: at('data'), environment: variablesOf(store) })
  api = holdfast.api
})
afterEach(async () => {
  await holdfast.stop()
  await store.stop()
  base[Symbol.dispose]()
})

const at = (name: string) => join(base.path, name)
/** Starts the stopped server again. */
async function restart(environment = {}): Promise<void> {
  holdfast = await startAgain(holdfast, { environment: { ...variablesOf(store), ...environment } })
  api = holdfast.api
}
const run = (words: string[], environment = {}) =>
  runInside(words, { DATA_PATH: at('data'), ...variablesOf(store), ...environment })
const repair = (...options: string[]) => run(['repair', '--adopt', ...options])
const backup = async () => expect((await run(['backup', at('backups')])).exitCode).toBe(0)

/** Returns the object of a file. */
async function objectOf({ id }: { id: string }): Promise<string> {
  return `blobs/${(await holdfast.server.deps.store.files.byId(id))?.blobId}`
}

/** Changes the rows of the stopped server. */
const change = (...statements: string[]) =>
  tamper(at('data/db/holdfast.sqlite'), 'PRAGMA foreign_keys = ON', ...statements)

/** Stops the server, and moves its database away. */
async function loseDatabase(): Promise<void> {
  await holdfast.stop()
  renameSync(at('data/db'), at('away'))
}

describe('repair of rows whose bytes are in an object store', () => {
  test('agrees with what a server has left, and is refused while one runs', async () => {
    await fill(holdfast, holdfast)
    for (const options of [[], ['--yes']]) {
      const refused = await repair(...options)
      expect([refused.exitCode, refused.output]).toEqual([1, expect.stringContaining('is running')])
    }
    await holdfast.stop()

    for (const options of [[], ['--deep'], ['--yes']]) expect(await repair(...options)).toEqual(AGREES)
  })

  test('records missing and rotten objects as damage, and keeps their rows', async () => {
    const [lost, rotten] = [
      await api.upload('lost.txt', 'lost', 'deep'),
      await api.upload('rots.txt', 'rots'),
    ]
    const [whole, object] = [store.objects.get(await objectOf(lost)), await objectOf(lost)]
    await holdfast.stop()
    store.objects.delete(object)
    for (const { bytes } of store.objects.values()) if (bytes.toString() === 'rots') bytes.write('ROTS')
    const lines = [
      'record "deep/lost.txt" as damaged: bytes are missing',
      'record "rots.txt" as damaged: content differs',
    ]

    expect((await repair('--deep')).output).toBe(
      `${lines.map((line) => `Would ${line}\n`).join('')}2 changes to make. Nothing was changed: add --yes to make them. 2 entries need a decision: see above.\n`,
    )
    expect(await repair('--deep', '--yes')).toEqual({
      exitCode: 0,
      output: `${lines.map((line) => `${told(line, true)}\n`).join('')}2 changes made: 2 files recorded as damaged. No object was changed. 2 entries need a decision: see above.\n`,
    })
    expect((await repair('--yes')).output).toBe(
      'Left "deep/lost.txt" alone: bytes are missing\nLeft "rots.txt" alone: content differs\n' +
        'Nothing to change. 2 entries need a decision: see above.\n',
    )
    await restart()
    const stats = await holdfast.bySession.send('GET', '/stats')
    expect(await stats.text()).toContain('"integrity"')
    await api.data('DELETE', '/files', { id: rotten.id })
    await holdfast.stop()

    if (whole) store.objects.set(object, whole)
    expect((await repair('--yes')).output).toStartWith(
      'Recorded "deep/lost.txt" as intact\n1 change made: 1 file recorded as intact.',
    )
    expect(await repair()).toEqual(AGREES)
  })

  test('sends missing and rotten objects again from a backup that has them undamaged', async () => {
    const large = 'x'.repeat(17 * 1024 ** 2)
    const lost = await api.upload('lost.txt', large, 'deep')
    for (const name of ['rots.txt', 'worse.txt']) await api.upload(name, name)
    const list = await api.list()
    await backup()
    await api.upload('later.txt', 'later')
    const objects = await Promise.all([lost, ...(await api.list({ name: 'later.txt' }))].map(objectOf))
    await holdfast.stop()
    const rot = (text: string) => {
      for (const { bytes } of store.objects.values()) if (bytes.toString() === text) bytes.fill('#')
    }
    for (const object of objects) store.objects.delete(object)
    for (const text of ['rots.txt', 'worse.txt']) rot(text)
    const digest = new Bun.CryptoHasher('sha256').update('worse.txt').digest('hex')
    writeFileSync(join(at('backups'), 'objects', digest.slice(0, 2), digest), 'WORSE.TXT')
    await repair('--deep', '--yes')

    const said = await repair('--deep', '--from', at('backups'))
    const done = await repair('--deep', '--from', at('backups'), '--yes')

    expect(said.output).toContain(
      'Would restore the bytes of "deep/lost.txt" from a backup: bytes are missing',
    )
    expect(done.output).toContain('Restored the bytes of "deep/lost.txt" from a backup: bytes are missing\n')
    expect(done.output).toContain('Restored the bytes of "rots.txt" from a backup: content differs\n')
    expect(done.output).toContain('Recorded "worse.txt" as damaged: content differs\n')
    expect(done.output).toContain('Left "later.txt" alone: bytes are missing\n')
    expect(done.output).toContain(
      '3 changes made: 2 files restored from a backup, 1 file recorded as damaged. 2 objects sent again. 2 entries need a decision',
    )
    expect((await run(['verify', '--deep'])).output).toBe(
      '"later.txt": bytes are missing\n"worse.txt": content differs\n2 differences\n',
    )
    await restart()
    expect(await api.hosted('deep/lost.txt')).toBe(large)
    expect(await api.hosted('rots.txt')).toBe('rots.txt')
    expect((await api.list()).filter(({ name }) => name !== 'later.txt')).toEqual(list)
    expect(await holdfast.server.deps.store.integrity.summary()).toMatchObject({ files: 2 })
  })

  test('keeps bytes that the database would remove, and drops records of blobs that lead nowhere', async () => {
    const [kept, doomed] = [await api.upload('kept.txt', 'kept'), await api.upload('doomed.txt', 'doomed')]
    const ids = await Promise.all([kept, doomed].map(objectOf))
    const stray = await api.upload('stray.txt', 'stray')
    const strayId = (await objectOf(stray)).slice('blobs/'.length)
    await holdfast.stop()
    change(
      `DELETE FROM blobs WHERE id = '${ids[0]?.slice(6)}'`,
      `UPDATE blobs SET state = 'doomed', not_before = 0 WHERE id = '${ids[1]?.slice(6)}'`,
      `INSERT INTO blobs VALUES ('${strayId.replace(/.$/, 'f')}', 'kept', '', NULL, 4, 0, 0)`,
      `DELETE FROM files WHERE id = '${stray.id}'`,
    )

    const { output } = await repair('--yes')

    for (const name of ['kept', 'doomed'])
      expect(output).toContain(`Kept the bytes of "${name}.txt", which no record protects\n`)
    expect(output).toContain(
      `Dropped the record of "blobs/${strayId.replace(/.$/, 'f')}": bytes are missing\n`,
    )
    expect(output).toContain('Left "blobs" alone: it has 1 object of no file')
    expect(output).toContain('3 changes made: ')
    await restart()
    await holdfast.server.deps.store.finishLeftovers()
    for (const name of ['kept', 'doomed']) expect(await api.hosted(`${name}.txt`)).toBe(name)
    expect(ids.every((id) => store.objects.has(id))).toBe(true)
    expect((await run(['verify', '--deep'])).exitCode).toBe(0)
  })

  test('recounts wrong totals', async () => {
    await api.upload('a.txt', 'a')
    await holdfast.stop()
    change('UPDATE file_totals SET count = count + 1')
    expect((await run(['verify'])).exitCode).toBe(1)

    await repair('--yes')

    expect(await run(['verify'])).toEqual(AGREES)
  })

  test('refuses objects of another instance, and a prefix without any', async () => {
    await api.upload('a.txt', 'a')
    await holdfast.stop()
    const other = await startInside({
      dataPath: at('other'),
      environment: { ...variablesOf(store), S3_PREFIX: 'other/' },
    })
    await other.stop()

    for (const [S3_PREFIX, why] of [
      ['other/', 'not in "bucket/other/"'],
      ['none/', 'not in "bucket/none/"'],
    ] as const) {
      const { exitCode, output } = await run(['repair', '--adopt', '--yes'], { S3_PREFIX })
      expect([exitCode, output]).toEqual([1, expect.stringContaining(why)])
    }
    store.objects.delete('volume')
    expect((await repair('--yes')).output).toContain('does not have the files of this Holdfast')
  })
})

describe('repair of a lost database whose bytes are in an object store', () => {
  test('without an earlier one is refused, and names what to do', async () => {
    await api.upload('a.txt', 'a')
    await loseDatabase()

    const { exitCode, output } = await repair('--yes')

    expect([exitCode, output]).toEqual([1, expect.stringContaining('objects have no names')])
  })

  test('brings back everything that a backup knows: files, folders, versions, trash and accounts', async () => {
    const filled = await fill(holdfast, holdfast)
    await api.createFolder('nothing/in/it')
    const below = await api.upload('below.txt', 'below', 'trashed folder/deep')
    const { folders } = await api.browse()
    const folderIds = folders.filter(({ name }) => name === 'trashed folder').map(({ id }) => id)
    await holdfast.trash.put({ folderIds })
    const list = await api.list()
    await backup()
    const gone = await api.upload('gone.txt', 'not in the backup')
    await loseDatabase()

    const said = await repair('--from', at('backups'))
    const done = await repair('--from', at('backups'), '--yes')

    expect(said.output).toContain('Would take accounts, keys, settings and history from')
    expect(said.output).toContain('Would add "deep/er/a.txt" as the public file that it was\n')
    expect(done.output).toContain('Added the folder "nothing/in/it"\n')
    expect(done.output).toContain('Left "blobs" alone: it has 1 object of no file')
    expect((await run(['verify', '--deep'])).exitCode).toBe(0)
    await restart()
    await holdfast.server.deps.store.finishLeftovers()
    expect(await api.list()).toEqual(list)
    expect((await api.browse({ key: 'nothing/in' })).folders.map(({ name }) => name)).toEqual(['it'])
    await expectAll(holdfast, holdfast, { ...filled, list })
    await holdfast.trash.restore(folderIds[0] ?? '')
    expect(await api.hosted('trashed folder/deep/below.txt')).toBe('below')
    expect(await api.file(below.id)).toMatchObject({ key: 'trashed folder/deep/below.txt' })
    expect((await api.send('GET', `/files?id=${gone.id}`)).status).toBe(404)
  })

  test('omits files whose objects are gone, and continues when it is repeated', async () => {
    const [stays, leaves] = [await api.upload('stays.txt', 'stays'), await api.upload('leaves.txt', 'leaves')]
    await backup()
    const object = await objectOf(leaves)
    await holdfast.stop()
    store.objects.delete(object)
    await loseDatabase()

    for (let n = 0; n < 2; n += 1) await repair('--from', at('backups'), '--yes')

    expect(await repair('--deep')).toEqual(AGREES)
    await restart()
    expect((await api.list()).map(({ id }) => id)).toEqual([stays.id])
  })
})

describe('repair of a damaged database whose bytes are in an object store', () => {
  test('recovers its readable files unchanged, and a backup adds the others and the accounts', async () => {
    await uploadMany(holdfast)
    await backup()
    const files = await api.list({ limit: 1000 })
    const [oldest] = await api.list({ limit: 1, orderDirection: 'ASC' })
    // Its row is on the first page, which stays readable.
    await api.data('PUT', '/files', { id: oldest?.id, visibility: 'private' })
    await holdfast.stop()
    damage(at('data/db/holdfast.sqlite'))
    expect((await repair('--yes')).output).toContain('The database is damaged')
    await loseDatabase()

    const { output } = await repair('--from', at('away'), at('backups'), '--yes')

    expect(output).toContain('is damaged: of its files, what can be read is used')
    expect(await run(['verify', '--deep'])).toEqual(AGREES)
    await restart()
    const ids = (list: { id: string }[]) => list.map(({ id }) => id).sort()
    expect(ids(await api.list({ limit: 1000 }))).toEqual(ids(files))
    expect(await api.file(oldest?.id ?? '')).toMatchObject({ visibility: 'private' })
  })

  test('continues when it was killed, empty folders included', async () => {
    await uploadMany(holdfast)
    await api.createFolder('nothing/in/it')
    await holdfast.stop()
    damage(at('data/db/holdfast.sqlite'))
    await loseDatabase()
    const words = ['repair', '--adopt', '--from', at('away'), '--yes']
    for (const step of [2, 150, 250, 300]) {
      let count = 0
      const child = startCommand(words, { DATA_PATH: at('data'), ...variablesOf(store) })
      store.fault = ({ key }) => {
        if (key.startsWith('blobs/') && ++count === step) child.kill('SIGKILL')
        return undefined
      }
      await child.exited
    }
    store.fault = () => undefined

    expect((await run(words)).exitCode).toBe(0)

    await restart({ SETUP_TOKEN })
    api = apiOf(holdfast, await register(holdfast, SETUP_TOKEN))
    expect((await api.list({ limit: 1000 })).length).toBeWithin(200, 300)
    expect((await api.browse({ key: 'nothing/in' })).folders.map(({ name }) => name)).toEqual(['it'])
    expect((await run(['verify', '--deep'])).exitCode).toBe(0)
  })

  test('without a backup recovers what can be read, and asks for a token', async () => {
    await uploadMany(holdfast)
    const was = new Map((await api.list({ limit: 1000 })).map((file) => [file.key, file]))
    await holdfast.stop()
    damage(at('data/db/holdfast.sqlite'))
    await loseDatabase()

    const { output } = await repair('--from', at('away'), '--yes')

    expect(output).toContain('Creating an account requires SETUP_TOKEN')
    expect(output).toMatch(/Left "blobs" alone: it has \d+ objects? of no file/)
    await restart({ SETUP_TOKEN })
    api = apiOf(holdfast, await register(holdfast, SETUP_TOKEN))
    const files = await api.list({ limit: 1000 })
    expect(files.length).toBeWithin(200, 300)
    for (const file of files) expect(file).toEqual(was.get(file.key) ?? file)
  })
})
