import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '../support/accounts.ts'
import { runInside } from '../support/command.ts'
import { eventually } from '../support/eventually.ts'
import { spawnWithAccount, startInsideWithAccount, startWithAccount } from '../support/fixture.ts'
import { ADMIN, cookieOf, filesUnder, postJson, sendUpload, TestClock } from '../support/holdfast.ts'
import { beginUpload, filePart } from '../support/multipart.ts'
import { failToStart, type HoldfastProcess, spawnHoldfast } from '../support/process.ts'
import { openSocket } from '../support/socket.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { namespace, runAmong } from './namespace.ts'

const MiB = 1024 ** 2
const DATABASE = 'db/holdfast.sqlite'

// Row 96.
test('SIGTERM during twenty transfers completes them, accepts no others, and exits 0', async () => {
  using folder = temporaryFolder()
  const dataPath = folder.path
  await using holdfast = await spawnWithAccount({ dataPath })
  await holdfast.sendUpload({ big: new Uint8Array(32 * MiB) })
  const downloads = await Promise.all(Array.from({ length: 10 }, () => holdfast.fetch('/api/hosting/big')))
  const names = Array.from({ length: 10 }, (_, n) => `upload ${n}`)
  const uploads = await Promise.all(
    names.map((name) => beginUpload(holdfast.port, holdfast.withKey, [filePart(name, 'x'.repeat(100_000))])),
  )
  await eventually(() => filesUnder({ dataPath }, 'tmp').length >= 20)

  holdfast.child.kill('SIGTERM')
  await eventually(() =>
    openSocket(holdfast.port).then(
      (socket) => !socket.destroy(),
      () => true,
    ),
  )
  const statuses = await Promise.all(uploads.map((finish) => finish()))
  const received = await Promise.all(downloads.map(async (download) => (await download.bytes()).length))

  expect(await holdfast.child.exited).toBe(0)
  expect(received).toEqual(Array(10).fill(32 * MiB))
  expect(statuses).toEqual(Array(10).fill(200))
  expect(existsSync(join(dataPath, `${DATABASE}-wal`))).toBe(false)
  expect(filesUnder({ dataPath }, 'uploads')).toEqual(['big', ...names])
  expect(filesUnder({ dataPath }, 'tmp')).toEqual([])
})

// Row 98.
test('while another program writes to the database, files are served and read, and writes wait for it', async () => {
  await using holdfast = await startWithAccount()
  const { api } = holdfast
  await api.upload('f', 'x')
  using other = openDatabase(holdfast)
  other.run('BEGIN IMMEDIATE')

  let isAnswered = false
  const writing = holdfast.sendUpload({ g: 'y' }).finally(() => {
    isAnswered = true
  })
  const paths = ['/hosting/f', '/health', '/files', '/folders']
  const statuses = await Promise.all(paths.map((path) => api.status('GET', path)))
  const wasAnswered = isAnswered
  other.run('ROLLBACK')

  expect(statuses).toEqual([200, 200, 200, 200])
  expect(wasAnswered).toBe(false)
  expect((await writing).status).toBe(200)
})

const STORED = Array.from({ length: 5 }, (_, n): [string, string] => [`f${n}`, `bytes of ${n}`])

/** Returns the data folder of a killed server, whose log is not written back. */
async function killedFolder(): Promise<string> {
  const dataPath = mkdtempSync(join(tmpdir(), 'holdfast-'))
  const holdfast = await spawnWithAccount({ dataPath })
  for (const [name, content] of STORED) await holdfast.api.upload(name, content)
  holdfast.child.kill('SIGKILL')
  await holdfast.child.exited
  return dataPath
}

describe('a start after the database was damaged', () => {
  let template: string
  beforeAll(async () => {
    template = await killedFolder()
  })
  afterAll(() => rmSync(template, { recursive: true }))

  /** Returns a copy of the data folder for one test. */
  function copy() {
    const folder = temporaryFolder()
    cpSync(template, folder.path, { recursive: true, preserveTimestamps: true })
    return Object.assign(folder, { dataPath: folder.path, at: (path: string) => join(folder.path, path) })
  }

  /** Returns the names and bytes of all uploaded files. */
  const storedIn = ({ dataPath }: { dataPath: string }) =>
    filesUnder({ dataPath }, 'uploads').map((path) => [
      path,
      readFileSync(join(dataPath, 'uploads', path), 'utf8'),
    ])

  function runSql({ at }: Folder, statement: string): void {
    using database = new Database(at(DATABASE))
    database.run(statement)
  }

  function flip(path: string, at: number): void {
    const bytes = readFileSync(path)
    bytes[at] = (bytes[at] ?? 0) ^ 0xff
    writeFileSync(path, bytes)
  }

  type Folder = ReturnType<typeof copy>
  const [LOG, MEMORY] = [`${DATABASE}-wal`, `${DATABASE}-shm`]
  const logSize = ({ at }: Folder) => statSync(at(LOG)).size

  // Row 100, and row 104: rows and files of different age.
  test.each<[string, (folder: Folder) => void]>([
    ['the log is gone', ({ at }) => rmSync(at(LOG))],
    ['the log is cut in half', (folder) => truncateSync(folder.at(LOG), logSize(folder) >> 1)],
    ['the log lacks its last byte', (folder) => truncateSync(folder.at(LOG), logSize(folder) - 1)],
    ['the log is empty', ({ at }) => truncateSync(at(LOG), 0)],
    ['the header of the log is flipped', ({ at }) => flip(at(LOG), 8)],
    ['a byte in the log is flipped', (folder) => flip(folder.at(LOG), logSize(folder) >> 1)],
    ['the shared memory is garbage', ({ at }) => writeFileSync(at(MEMORY), Buffer.alloc(32_768, 0xa5))],
    ['the shared memory is gone', ({ at }) => rmSync(at(MEMORY))],
  ])('so that %s deletes no file, and verify reports what the catalog lost', async (_, damage) => {
    using folder = copy()
    damage(folder)

    const holdfast = await spawnHoldfast(folder).catch((error: Error) => error)
    if (holdfast instanceof Error) {
      expect(holdfast.message).toContain('Holdfast ended with 1: ')
      expect(holdfast.message).not.toContain('    at ')
    } else {
      const listed = await Promise.all(
        STORED.map(async ([name]) => (await holdfast.fetch(`/api/hosting/${name}`)).status),
      )
      const { output } = await runInside(['verify'], { DATA_PATH: folder.dataPath })
      expect(listed).toEqual(
        STORED.map(([name]) => (output.includes(`"${name}": not in the catalog`) ? 404 : 200)),
      )
      await holdfast[Symbol.asyncDispose]()
    }

    expect(storedIn(folder)).toEqual(STORED)
  })

  // Row 99.
  test.each<[string, (folder: Folder) => void]>([
    ['its header is no database’s', ({ at }) => writeFileSync(at(DATABASE), Buffer.alloc(8192, 'x'))],
    [
      'its first page is half garbage',
      ({ at }) => writeFileSync(at(DATABASE), readFileSync(at(DATABASE)).fill(0xa5, 100, 4096)),
    ],
    ['its version is from the future', (folder) => runSql(folder, 'PRAGMA user_version = 9999')],
  ])('so that %s says so, and touches nothing', async (_, damage) => {
    using folder = copy()
    runSql(folder, 'PRAGMA wal_checkpoint(TRUNCATE)')
    damage(folder)
    const before = readFileSync(folder.at(DATABASE))

    const { exitCode, output } = await failToStart(folder)

    expect(exitCode).toBe(1)
    expect(output).not.toContain('    at ')
    expect(output.toLowerCase()).toContain('database')
    expect(readFileSync(folder.at(DATABASE)).equals(before)).toBe(true)
    expect(storedIn(folder)).toEqual(STORED)
  })

  // Row 104.
  test('and replaced by an older backup deletes no newer files and reports them', async () => {
    using folder = copy()
    const stop = async ({ child }: HoldfastProcess) => {
      child.kill('SIGTERM')
      await child.exited
    }
    await stop(await spawnHoldfast(folder))
    const backup = readFileSync(folder.at(DATABASE))
    const second = await spawnHoldfast(folder)
    const Cookie = cookieOf(await postJson(second, '/api/auth/sign-in/email', ADMIN))
    await sendUpload(second, { Cookie }, { files: { newer: 'newer than the backup' } })
    await stop(second)
    rmSync(folder.at('uploads/f0'))
    writeFileSync(folder.at(DATABASE), backup)

    await using third = await spawnHoldfast(folder)

    const { output } = await runInside(['verify'], { DATA_PATH: folder.dataPath })
    expect(output).toBe('"f0": bytes are missing\n"newer": not in the catalog\n2 differences\n')
    for (const name of ['newer', 'f0']) expect((await third.fetch(`/api/hosting/${name}`)).status).toBe(404)
    expect(readFileSync(folder.at('uploads/newer'), 'utf8')).toBe('newer than the backup')
  })
})

// Row 102.
describe('a clock that jumps', () => {
  const DAY = 86_400_000
  test.each([
    ['to 1970', 0],
    ['to the year 2100', Date.UTC(2100, 0, 1)],
    ['back by an hour', -3_600_000],
    ['on by a day', DAY],
  ])('%s breaks nothing', async (_, to) => {
    const clock = new TestClock()
    await using holdfast = await startInsideWithAccount({ clock })
    const { api } = holdfast
    await api.upload('before', 'x')

    clock.setWall(Math.abs(to) > DAY || to === 0 ? to : clock.now() + to)
    const file = await api.upload('after', 'y')
    utimesSync(join(holdfast.dataPath, 'uploads', 'after'), 4e9, 4e9)
    const hosted = await holdfast.fetch(`/${file.url}`)
    const { files } = await api.data<{ files: { added: { date: string }[] } }>('GET', '/stats')
    const dates = files.added.map(({ date }) => date)

    expect(await hosted.text()).toBe('y')
    const modified = Date.parse(hosted.headers.get('last-modified') ?? '')
    expect(modified).toBeLessThanOrEqual(Math.max(clock.now(), Date.now()))
    expect(dates).toEqual(dates.toSorted())
    expect(dates).toHaveLength(30)
    expect((await api.list()).map(({ name }) => name).sort()).toEqual(['after', 'before'])
    expect(holdfast.fatal).toEqual([])
  })

  test('to 1970 does not prevent a start', async () => {
    const clock = new TestClock()
    clock.setWall(0)
    await using holdfast = await startInsideWithAccount({ clock })
    const { api } = holdfast

    expect((await api.upload('f', 'x')).createdAt).toBe('1970-01-01 00:00:00')
    expect((await api.send('GET', '/stats')).status).toBe(200)
  })
})

// Row 103.
test('another volume in the place of the files refuses writes, serves nothing, and loses nothing', async () => {
  using folder = temporaryFolder()
  const dataPath = folder.path
  await using holdfast = await spawnWithAccount({ dataPath, wrap: namespace })
  await holdfast.api.upload('f', 'kept')
  const inside = (...command: string[]) => expect(runAmong(holdfast.child, ...command)).toBe(0)
  const uploads = join(dataPath, 'uploads')

  inside('mount', '-t', 'tmpfs', 'tmpfs', uploads)
  const written = await holdfast.sendUpload({ g: 'nowhere' })
  const served = await holdfast.fetch('/api/hosting/f?2')
  inside('umount', uploads)

  expect(written.status).toBeGreaterThanOrEqual(500)
  expect(served.status).toBe(404)
  expect(await (await holdfast.fetch('/api/hosting/f?3')).text()).toBe('kept')
  expect((await holdfast.sendUpload({ h: 'here' })).status).toBe(200)
  expect(filesUnder({ dataPath }, 'uploads')).toEqual(['f', 'h'])
})
