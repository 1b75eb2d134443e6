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
import { apiOf } from '../support/api.ts'
import { eventually } from '../support/eventually.ts'
import { filesUnder, register, startHoldfast, startInside, TestClock, upload } from '../support/holdfast.ts'
import {
  failToStart,
  type HoldfastProcess,
  registerWith,
  runCommand,
  spawnHoldfast,
} from '../support/process.ts'
import { openSocket, parseAnswer } from '../support/socket.ts'

const MiB = 1024 ** 2
const DATABASE = 'db/holdfast.sqlite'

function send(
  { fetch }: Pick<HoldfastProcess, 'fetch'>,
  withKey: Record<string, string>,
  name: string,
  content: string | Uint8Array<ArrayBuffer>,
) {
  const body = new FormData()
  body.append('files', new Blob([content]), name)
  return fetch('/api/files', { method: 'POST', headers: withKey, body })
}

const PART = '--b\r\nContent-Disposition: form-data; name="f"; filename='

/** Sends half of an upload. */
async function beginUpload(port: number, key: string, name: string) {
  const body = `${PART}"${name}"\r\n\r\n${'x'.repeat(100_000)}\r\n--b--\r\n`
  const head = ['POST /api/files HTTP/1.1', 'Host: x', `API-Key: ${key}`, `Content-Length: ${body.length}`]
  const socket = await openSocket(port)
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  socket.write(
    [...head, 'Content-Type: multipart/form-data; boundary=b', 'Connection: close', '', ''].join('\r\n'),
  )
  socket.write(body.slice(0, 50_000))
  return {
    /** Sends the rest and answers with the status. */
    finish: async () => {
      socket.write(body.slice(50_000))
      await new Promise((closed) => socket.on('close', closed))
      return parseAnswer(Buffer.concat(chunks)).status
    },
  }
}

// Row 96.
test('SIGTERM during twenty transfers completes them, accepts no others, and exits 0', async () => {
  const dataPath = mkdtempSync(join(tmpdir(), 'holdfast-'))
  await using holdfast = await spawnHoldfast({ dataPath })
  const { withKey } = await registerWith(holdfast)
  await send(holdfast, withKey, 'big', new Uint8Array(32 * MiB))
  const downloads = await Promise.all(Array.from({ length: 10 }, () => holdfast.fetch('/api/hosting/big')))
  const names = Array.from({ length: 10 }, (_, n) => `upload ${n}`)
  const uploads = await Promise.all(names.map((name) => beginUpload(holdfast.port, withKey['API-Key'], name)))
  await eventually(() => filesUnder({ dataPath }, 'tmp').length >= 20)

  holdfast.child.kill('SIGTERM')
  await eventually(() =>
    openSocket(holdfast.port).then(
      (socket) => !socket.destroy(),
      () => true,
    ),
  )
  const statuses = await Promise.all(uploads.map(({ finish }) => finish()))
  const received = await Promise.all(
    downloads.map(async (response) => (await response.arrayBuffer()).byteLength),
  )

  expect(await holdfast.child.exited).toBe(0)
  expect(received).toEqual(Array(10).fill(32 * MiB))
  expect(statuses).toEqual(Array(10).fill(200))
  expect(existsSync(join(dataPath, `${DATABASE}-wal`))).toBe(false)
  expect(filesUnder({ dataPath }, 'uploads')).toEqual(['big', ...names])
  expect(filesUnder({ dataPath }, 'tmp')).toEqual([])
  rmSync(dataPath, { recursive: true })
})

// Row 98.
test('while another program writes to the database, files are served and read, and writes wait for it', async () => {
  await using holdfast = await startHoldfast()
  const account = await register(holdfast)
  await upload(holdfast, account.withKey, { name: 'f', content: 'x' })
  using other = openDatabase(holdfast)
  other.run('BEGIN IMMEDIATE')

  let isAnswered = false
  const writing = send(holdfast, account.withKey, 'g', 'y').then((response) => {
    isAnswered = true
    return response.status
  })
  const statuses = await Promise.all(
    ['/api/hosting/f', '/api/health', '/api/files', '/api/folders'].map(
      async (path) => (await holdfast.fetch(path, { headers: account.withKey })).status,
    ),
  )
  const wasAnswered = isAnswered
  other.run('ROLLBACK')

  expect(statuses).toEqual([200, 200, 200, 200])
  expect(wasAnswered).toBe(false)
  expect(await writing).toBe(200)
})

/** Returns the data folder of a killed server, whose log is not written back. */
async function killedFolder(): Promise<string> {
  const dataPath = mkdtempSync(join(tmpdir(), 'holdfast-'))
  const holdfast = await spawnHoldfast({ dataPath })
  const { withKey } = await registerWith(holdfast)
  for (let n = 0; n < 5; n += 1) await send(holdfast, withKey, `f${n}`, `bytes of ${n}`)
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
    const dataPath = mkdtempSync(join(tmpdir(), 'holdfast-'))
    cpSync(template, dataPath, { recursive: true, preserveTimestamps: true })
    return {
      dataPath,
      at: (path: string) => join(dataPath, path),
      [Symbol.dispose]: () => rmSync(dataPath, { recursive: true }),
    }
  }

  /** Returns the names and bytes of all uploaded files. */
  const storedIn = ({ dataPath }: { dataPath: string }) =>
    filesUnder({ dataPath }, 'uploads').map((path) => [
      path,
      readFileSync(join(dataPath, 'uploads', path), 'utf8'),
    ])
  const STORED = Array.from({ length: 5 }, (_, n) => [`f${n}`, `bytes of ${n}`])

  function flip(path: string, at: number): void {
    const bytes = readFileSync(path)
    bytes[at] = (bytes[at] ?? 0) ^ 0xff
    writeFileSync(path, bytes)
  }

  type Folder = ReturnType<typeof copy>
  const logSize = ({ at }: Folder) => statSync(at(`${DATABASE}-wal`)).size

  // Row 100, and row 104: rows and files of different age.
  test.each<[string, (folder: Folder) => void]>([
    ['the log is gone', ({ at }) => rmSync(at(`${DATABASE}-wal`))],
    ['the log is cut in half', (folder) => truncateSync(folder.at(`${DATABASE}-wal`), logSize(folder) >> 1)],
    [
      'the log lacks its last byte',
      (folder) => truncateSync(folder.at(`${DATABASE}-wal`), logSize(folder) - 1),
    ],
    ['the log is empty', ({ at }) => truncateSync(at(`${DATABASE}-wal`), 0)],
    ['the header of the log is flipped', ({ at }) => flip(at(`${DATABASE}-wal`), 8)],
    ['a byte in the log is flipped', (folder) => flip(folder.at(`${DATABASE}-wal`), logSize(folder) >> 1)],
    [
      'the shared memory is garbage',
      ({ at }) => writeFileSync(at(`${DATABASE}-shm`), Buffer.alloc(32_768, 0xa5)),
    ],
    ['the shared memory is gone', ({ at }) => rmSync(at(`${DATABASE}-shm`))],
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
      const told = runCommand(['verify'], { DATA_PATH: folder.dataPath }).output
      const unknown = STORED.map(([name]) => name ?? '').filter((name) =>
        told.includes(`"${name}": not in the catalog`),
      )
      expect(listed).toEqual(STORED.map(([name]) => (unknown.includes(name ?? '') ? 404 : 200)))
      await holdfast[Symbol.asyncDispose]()
    }

    expect(storedIn(folder)).toEqual(STORED)
  })

  // Row 99.
  test.each<[string, (folder: Folder) => void]>([
    ['its header is no database’s', ({ at }) => writeFileSync(at(DATABASE), Buffer.alloc(8192, 'x'))],
    [
      'its first page is half garbage',
      ({ at }) => {
        const bytes = readFileSync(at(DATABASE))
        writeFileSync(at(DATABASE), bytes.fill(0xa5, 100, 4096))
      },
    ],
    [
      'its version is from the future',
      ({ at }) => {
        using database = new Database(at(DATABASE))
        database.run('PRAGMA user_version = 9999')
      },
    ],
  ])('so that %s says so, and touches nothing', async (_, damage) => {
    using folder = copy()
    {
      using database = new Database(folder.at(DATABASE))
      database.run('PRAGMA wal_checkpoint(TRUNCATE)')
    }
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
    {
      await using first = await spawnHoldfast(folder)
      first.child.kill('SIGTERM')
      await first.child.exited
    }
    const backup = readFileSync(folder.at(DATABASE))
    {
      await using second = await spawnHoldfast(folder)
      const signedIn = await second.fetch('/api/auth/sign-in/email', {
        method: 'POST',
        body: JSON.stringify({ email: 'ada@example.com', password: 'correct horse' }),
      })
      const Cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? ''
      await send(second, { Cookie }, 'newer', 'newer than the backup')
      second.child.kill('SIGTERM')
      await second.child.exited
    }
    rmSync(folder.at('uploads/f0'))
    writeFileSync(folder.at(DATABASE), backup)

    await using third = await spawnHoldfast(folder)

    expect(runCommand(['verify'], { DATA_PATH: folder.dataPath }).output).toBe(
      '"f0": bytes are missing\n"newer": not in the catalog\n2 difference(s)\n',
    )
    expect((await third.fetch('/api/hosting/newer')).status).toBe(404)
    expect((await third.fetch('/api/hosting/f0')).status).toBe(404)
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
    await using holdfast = await startInside({ clock })
    const account = await register(holdfast)
    const api = apiOf(holdfast, account)
    await api.upload('before', 'x')

    clock.setWall(Math.abs(to) > DAY || to === 0 ? to : clock.now() + to)
    const file = await api.upload('after', 'y')
    utimesSync(join(holdfast.dataPath, 'uploads', 'after'), 4e9, 4e9)
    const hosted = await holdfast.fetch(`/${file.url}`)
    const { files } = await api.data<{ files: { added: { date: string }[] } }>('GET', '/stats')

    expect(await hosted.text()).toBe('y')
    expect(Date.parse(hosted.headers.get('last-modified') ?? '')).toBeLessThanOrEqual(
      Math.max(clock.now(), Date.now()),
    )
    expect(files.added.map(({ date }) => date)).toEqual(files.added.map(({ date }) => date).sort())
    expect(files.added).toHaveLength(30)
    expect((await api.list()).map(({ name }) => name).sort()).toEqual(['after', 'before'])
    expect(holdfast.fatal).toEqual([])
  })

  test('to 1970 does not prevent a start', async () => {
    const clock = new TestClock()
    clock.setWall(0)
    await using holdfast = await startInside({ clock })
    const api = apiOf(holdfast, await register(holdfast))

    expect((await api.upload('f', 'x')).createdAt).toBe('1970-01-01 00:00:00')
    expect((await api.send('GET', '/stats')).status).toBe(200)
  })
})

// Row 103.
test('another volume in the place of the files refuses writes, serves nothing, and loses nothing', async () => {
  const mountPoint = mkdtempSync(join(tmpdir(), 'holdfast-other-'))
  const namespace = process.getuid?.() === 0 ? ['unshare', '-m'] : ['unshare', '-Urm']
  await using holdfast = await spawnHoldfast({ dataPath: mountPoint, wrap: namespace })
  const { withKey } = await registerWith(holdfast)
  await send(holdfast, withKey, 'f', 'kept')
  const inside = (...command: string[]) =>
    expect(
      Bun.spawnSync([
        'nsenter',
        '-t',
        String(holdfast.child.pid),
        '-m',
        ...(process.getuid?.() === 0 ? [] : ['-U', '--preserve-credentials']),
        ...command,
      ]).exitCode,
    ).toBe(0)
  const uploads = join(mountPoint, 'uploads')

  inside('mount', '-t', 'tmpfs', 'tmpfs', uploads)
  const written = await send(holdfast, withKey, 'g', 'nowhere')
  const served = await holdfast.fetch('/api/hosting/f?2')
  inside('umount', uploads)

  expect(written.status).toBeGreaterThanOrEqual(500)
  expect(served.status).toBe(404)
  expect(await (await holdfast.fetch('/api/hosting/f?3')).text()).toBe('kept')
  expect((await send(holdfast, withKey, 'h', 'here')).status).toBe(200)
  expect(filesUnder({ dataPath: mountPoint }, 'uploads')).toEqual(['f', 'h'])
  await holdfast[Symbol.asyncDispose]()
  rmSync(mountPoint, { recursive: true })
})
