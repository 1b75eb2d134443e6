import { afterEach, beforeEach, expect, test } from 'bun:test'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { runBackup } from '../../src/commands/backup.ts'
import { runMoveTo } from '../../src/commands/move-to.ts'
import { runRestore } from '../../src/commands/restore.ts'
import { readConfig } from '../../src/platform/config.ts'
import { apiOf } from '../support/api.ts'
import { expectAll, fill } from '../support/filled.ts'
import { startInsideWithAccount } from '../support/fixture.ts'
import { type Inside, startInside } from '../support/holdfast.ts'
import { S3Store } from '../support/s3-store.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { variablesOf as variablesOfStore } from './store.ts'

let store: S3Store
let folder: ReturnType<typeof temporaryFolder>

beforeEach(async () => {
  store = await S3Store.start()
  folder = temporaryFolder()
})
afterEach(async () => {
  await store.stop()
  folder[Symbol.dispose]()
})

const at = (...names: string[]) => join(folder.path, ...names)
const clock = { now: Date.now, monotonic: () => performance.now() }
const random = {
  bytes: (count: number) => crypto.getRandomValues(new Uint8Array(count)),
  id: () => Bun.randomUUIDv7(),
}

/** Variables of an instance on the store, or in its data folder alone. */
const variablesOf = (name: string, prefix?: string): Record<string, string> => ({
  DATA_PATH: at(name),
  ...(prefix !== undefined && { ...variablesOfStore(store), S3_PREFIX: prefix }),
})

const start = (name: string, prefix?: string): Promise<Inside> =>
  startInside({ dataPath: at(name), environment: variablesOf(name, prefix) })

/** Starts an instance with its first account. */
const startFirst = (name: string, prefix?: string) =>
  startInsideWithAccount({ dataPath: at(name), environment: variablesOf(name, prefix) })

/** Runs a command, and returns its exit code and what it printed. */
async function run(
  command: typeof runBackup | typeof runRestore | typeof runMoveTo,
  variables: Record<string, string>,
  target = 'backups',
): Promise<[number, string[]]> {
  const lines: string[] = []
  const info = (line: string) => void lines.push(line)
  const log = { info, notice: info, error: info }
  const options = { folder: at(target), at: undefined, clock, random, log }
  return [await command(readConfig(variables), options), lines]
}

const putsOf = (prefix: string) =>
  store.requests.filter(({ method, key }) => method === 'PUT' && key.startsWith(`${prefix}blobs/`)).length

test('a backup of objects is restored to a data folder and to another prefix', async () => {
  const original = await startFirst('original', 'here/')
  const filled = await fill(original, original)

  const [backedUp, lines] = await run(runBackup, variablesOf('original', 'here/'))
  await original.stop()
  expect([backedUp, lines]).toEqual([
    0,
    [expect.stringMatching(/^Backup .*: 2 files, 4 new copies \(including versions and trash\), 0 damaged$/)],
  ])

  expect((await run(runRestore, variablesOf('folder')))[0]).toBe(0)
  expect((await run(runRestore, variablesOf('elsewhere', 'there/')))[0]).toBe(0)
  for (const [name, prefix] of [['folder'], ['elsewhere', 'there/']] as const) {
    const restored = await start(name, prefix)
    await expectAll(restored, original, filled)
    await restored.stop()
  }
})

test('a second backup copies nothing, and names an object that is missing', async () => {
  const original = await startFirst('original', '')
  const { api } = original
  await api.upload('a.txt', 'first')
  await run(runBackup, variablesOf('original', ''))
  const lost = await api.upload('lost.txt', 'lost')
  const { blobId } = (await original.server.deps.store.files.byId(lost.id)) ?? {}
  store.objects.delete(`blobs/${blobId}`)

  const [exitCode, lines] = await run(runBackup, variablesOf('original', ''))

  expect([exitCode, lines]).toEqual([
    1,
    [
      '"lost.txt": missing or changed, and so not in the backup',
      expect.stringMatching(/2 files, 0 new copies \(including versions and trash\), 1 damaged$/),
    ],
  ])
  await original.stop()
})

test('a restore to an object store that was interrupted sends the rest alone', async () => {
  const original = await startFirst('original')
  const filled = await fill(original, original)
  await run(runBackup, variablesOf('original'))
  await original.stop()
  let sent = 0
  store.fault = ({ method, key }) =>
    method === 'PUT' && key.startsWith('blobs/') && ++sent > 2
      ? { status: 403, code: 'AccessDenied' }
      : undefined
  const interrupted = run(runRestore, variablesOf('restored', ''))
  expect(interrupted).rejects.toThrow('AccessDenied')
  await interrupted.catch(() => {})
  expect(existsSync(at('restored', 'db', 'holdfast.sqlite'))).toBe(false)
  store.fault = () => undefined
  store.requests.length = 0

  expect((await run(runRestore, variablesOf('restored', '')))[0]).toBe(0)

  expect(putsOf('')).toBe(2)
  const restored = await start('restored', '')
  await expectAll(restored, original, filled)
  await restored.stop()
})

test('an instance moves to an object store and back, and the earlier ones do not start', async () => {
  const original = await startFirst('original')
  const filled = await fill(original, original)
  await original.stop()

  expect((await run(runMoveTo, variablesOf('original', 'moved/'), 'there'))[0]).toBe(0)
  expect(start('original')).rejects.toThrow('was moved to')
  const there = await start('there', 'moved/')
  expect(await apiOf(there, original).list()).toEqual(filled.list)
  expect(await apiOf(there, original).hosted('deep/er/a.txt')).toBe('first')
  const added = await apiOf(there, original).upload('added.txt', 'added')
  await there.stop()

  expect((await run(runMoveTo, variablesOf('there', 'moved/'), 'back'))[0]).toBe(0)
  expect(start('there', 'moved/')).rejects.toThrow('was moved to')
  const back = await start('back')
  const api = apiOf(back, original)
  expect(await api.hosted('added.txt')).toBe('added')
  await api.data('DELETE', '/files', { id: added.id })
  await expectAll(back, original, filled)
  await back.stop()
})

test('a move that was interrupted sends and fetches the rest alone', async () => {
  const original = await startFirst('original')
  const filled = await fill(original, original)
  await original.stop()
  let seen = 0
  const refuse = (refused: string) => {
    store.requests.length = seen = 0
    store.fault = ({ method, key, headers }) =>
      method === refused && key.startsWith('blobs/') && !headers.get('range')?.endsWith('0-0') && ++seen > 2
        ? { status: 403, code: 'AccessDenied' }
        : undefined
  }
  const moveTwice = async (method: string, source: string, target: string): Promise<number> => {
    refuse(method)
    const interrupted = run(runMoveTo, variablesOf(source, ''), target)
    expect(interrupted).rejects.toThrow('AccessDenied')
    await interrupted.catch(() => {})
    store.fault = () => undefined
    store.requests.length = 0
    expect((await run(runMoveTo, variablesOf(source, ''), target))[0]).toBe(0)
    return store.requests.filter(
      ({ method: sent, key, headers }) =>
        sent === method && key.startsWith('blobs/') && !headers.get('range')?.endsWith('0-0'),
    ).length
  }

  expect(await moveTwice('PUT', 'original', 'there')).toBe(2)
  expect(await moveTwice('GET', 'there', 'back')).toBe(2)

  const back = await start('back')
  await expectAll(back, original, filled)
  await back.stop()
})

test('a move of damaged files names them, and the earlier instance still starts', async () => {
  const original = await startFirst('original')
  await original.api.upload('kept.txt', 'kept')
  await original.api.upload('lost.txt', 'lost')
  await original.stop()
  rmSync(at('original', 'uploads', 'lost.txt'))

  const [exitCode, lines] = await run(runMoveTo, variablesOf('original', ''), 'there')

  expect([exitCode, lines.slice(-3)]).toEqual([
    1,
    ['"lost.txt": bytes are missing', '1 difference', `Moved to "${at('there')}", but for the files above`],
  ])
  await (await start('original')).stop()
})
