import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import {
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { StartError } from '../src/platform/errors.ts'
import { apiOf } from './support/api.ts'
import { runInside } from './support/command.ts'
import { eventually } from './support/eventually.ts'
import { type Holdfast, register, startInside } from './support/holdfast.ts'
import { spawnHoldfast } from './support/process.ts'

const HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24
const PAGE_BYTES = 4096

const dataPath = mkdtempSync(join(tmpdir(), 'holdfast-'))
const db = join(dataPath, 'db')
const uploads = join(dataPath, 'uploads')
/** Database after a crash, with all changes in its log. */
const crashed = mkdtempSync(join(tmpdir(), 'holdfast-crashed-'))
/** Database after a clean stop. */
const clean = mkdtempSync(join(tmpdir(), 'holdfast-clean-'))
/** Final path of each file, by its inode. */
let places = new Map<number, string>()

beforeAll(async () => {
  const holdfast = await startInside({ dataPath })
  await changeTree(holdfast)
  cpSync(db, crashed, { recursive: true })
  await holdfast.stop()
  cpSync(db, clean, { recursive: true })
  places = placesNow()
})
afterAll(() => {
  for (const folder of [dataPath, crashed, clean]) rmSync(folder, { recursive: true })
})

/** Makes every kind of change, so that the log has a commit of each to lose. */
async function changeTree(holdfast: Holdfast): Promise<void> {
  const api = apiOf(holdfast, await register(holdfast))
  for (const name of ['index', 'style']) await api.upload(name, `old ${name}`, 'site')
  const moved = await api.upload('moved', 'moved', 'from')
  const renamed = await api.upload('renamed', 'renamed')
  const deleted = await api.upload('deleted', 'deleted')
  await api.data('PUT', '/files', { id: renamed.id, name: 'renamed since' })
  await api.data('POST', '/files/move', { ids: [moved.id], folder: 'to' })
  await api.data('DELETE', '/files', { id: deleted.id })
  const { folders } = await api.browse()
  const idOf = (name: string) => folders.find((folder) => folder.name === name)?.id
  await api.data('PUT', '/folders', { id: idOf('to'), name: 'to since' })
  await api.data('DELETE', '/folders', { id: idOf('site') })
  for (const name of ['index', 'style']) await api.upload(name, `new ${name}`, 'site')
}

function placesNow(): Map<number, string> {
  const paths = readdirSync(uploads, { recursive: true }).map((path) => join(uploads, String(path)))
  return new Map(paths.filter((path) => lstatSync(path).isFile()).map((path) => [lstatSync(path).ino, path]))
}

const inodes = () => [...placesNow().keys()].sort((a, b) => a - b)

/** Restores a database, and moves every file to its final path. */
function reset(database: string): void {
  rmSync(db, { recursive: true })
  cpSync(database, db, { recursive: true })
  for (const [inode, now] of placesNow()) {
    const place = places.get(inode) ?? now
    mkdirSync(dirname(place), { recursive: true })
    if (now !== place) renameSync(now, place)
  }
}

const config = { environment: {}, dataPath }

/** Starts and stops a server. Returns the error of a refused start. */
async function startAndStop(): Promise<unknown> {
  try {
    const holdfast = await startInside(config)
    await holdfast.stop()
    return undefined
  } catch (error) {
    return error
  }
}

const run = (...words: string[]) => runInside(words, { DATA_PATH: dataPath })

/** Expects that a start on a damaged database succeeds or is refused with a reason, and that no file is lost. */
async function expectNothingLost(): Promise<void> {
  const before = inodes()

  const refusal = await startAndStop()

  expect(inodes()).toEqual(before)
  if (refusal) {
    expect(refusal).toBeInstanceOf(StartError)
    expect(String(refusal)).toContain('repair --adopt')
    rmSync(db, { recursive: true })
  }
  expect((await run('repair', '--adopt', '--yes')).exitCode).toBe(0)
  expect(await run('verify', '--deep')).toEqual({ exitCode: 0, output: 'Volume and catalog agree\n' })
  expect(inodes()).toEqual(before)
  expect(await startAndStop()).toBeUndefined()
  expect(inodes()).toEqual(before)
}

const wal = () => readFileSync(join(crashed, 'holdfast.sqlite-wal'))
const writeWal = (bytes: Uint8Array) => writeFileSync(join(db, 'holdfast.sqlite-wal'), bytes)

/** Returns the end of each commit in a log. */
function commitEnds(log: Buffer): number[] {
  const frameBytes = FRAME_HEADER_BYTES + log.readUInt32BE(8)
  const ends: number[] = []
  for (let start = HEADER_BYTES; start + frameBytes <= log.length; start += frameBytes)
    if (log.readUInt32BE(start + 4) !== 0) ends.push(start + frameBytes)
  return ends
}

describe('a damaged database loses no file', () => {
  test('its log ends with any of its commits, or within one', async () => {
    const log = wal()
    const ends = commitEnds(log)
    expect(ends.length).toBeGreaterThan(20)

    for (const length of [...ends, (ends.at(-1) ?? 0) - 1]) {
      reset(crashed)
      writeWal(log.subarray(0, length))
      await expectNothingLost()
    }
  })

  test('a byte of its log is another', async () => {
    const log = wal()
    for (let position = 0; position < log.length; position += 64 * 1024) {
      reset(crashed)
      const flipped = Buffer.from(log)
      flipped.writeUInt8(flipped.readUInt8(position) ^ 0xff, position)
      writeWal(flipped)
      await expectNothingLost()
    }
  })

  test.each([
    ['its log is gone', () => rmSync(join(db, 'holdfast.sqlite-wal'))],
    ['its log is empty', () => writeWal(Buffer.alloc(0))],
    ['its log is garbage', () => writeWal(Buffer.alloc(100_000, 'garbage'))],
    [
      'its shared memory is garbage',
      () => writeFileSync(join(db, 'holdfast.sqlite-shm'), 'garbage'.repeat(9999)),
    ],
    ['its header is zeroed', () => zeroHeader()],
    ['all of it is gone', () => rmSync(db, { recursive: true })],
  ])('%s', async (_, damage) => {
    for (const database of [crashed, clean]) {
      reset(database)
      damage()
      await expectNothingLost()
    }
  })

  test('a page of it is garbage', async () => {
    const size = lstatSync(join(clean, 'holdfast.sqlite')).size
    for (let start = 0; start < size; start += PAGE_BYTES * 4) {
      reset(clean)
      const path = join(db, 'holdfast.sqlite')
      const bytes = readFileSync(path)
      bytes.fill(0xa5, start, start + PAGE_BYTES)
      writeFileSync(path, bytes)
      const before = inodes()

      const refusal = await startAndStop()

      expect(inodes()).toEqual(before)
      if (refusal) {
        expect(refusal).toBeInstanceOf(StartError)
        expect(String(refusal)).toContain('repair --adopt')
      }
      if (start === 0) expect(readFileSync(path).equals(bytes)).toBe(true)
    }
  })

  test('a server that meets the damage in a commit explains it and ends', async () => {
    reset(clean)
    const path = join(db, 'holdfast.sqlite')
    const bytes = readFileSync(path)
    // The first job after a start looks for entries that are too old in this index.
    const start = (rootPage(path, 'security_events_created') - 1) * PAGE_BYTES
    bytes.fill(0xa5, start, start + PAGE_BYTES)
    writeFileSync(path, bytes)

    await using holdfast = await spawnHoldfast({ dataPath })

    expect(await holdfast.child.exited).toBe(1)
    await eventually(() => holdfast.output().includes('repair --adopt'))
  })
})

/** Returns the number of the first page of a table or an index. */
function rootPage(path: string, name: string): number {
  using database = new Database(path, { readonly: true, strict: true })
  const query = database.query<{ rootpage: number }, [string]>(
    'SELECT rootpage FROM sqlite_schema WHERE name = ?',
  )
  return query.get(name)?.rootpage ?? Number.NaN
}

function zeroHeader(): void {
  const path = join(db, 'holdfast.sqlite')
  const bytes = readFileSync(path)
  bytes.fill(0, 0, 100)
  writeFileSync(path, bytes)
}
