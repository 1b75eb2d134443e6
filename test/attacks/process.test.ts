import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openDatabase } from '../support/accounts.ts'
import { runInside } from '../support/command.ts'
import { eventually } from '../support/eventually.ts'
import { spawnWithAccount, startInsideWithAccount, startWithAccount } from '../support/fixture.ts'
import { filesUnder, sendUpload, TestClock } from '../support/holdfast.ts'
import { beginUpload, filePart } from '../support/multipart.ts'
import { type HoldfastProcess, spawnHoldfast } from '../support/process.ts'
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

// Row 104.
test('a start on an older backup of the database deletes no newer files and reports them', async () => {
  using folder = temporaryFolder()
  const dataPath = folder.path
  const inFolder = (path: string) => join(dataPath, path)
  const stop = async ({ child }: Pick<HoldfastProcess, 'child'>) => {
    child.kill('SIGTERM')
    await child.exited
  }
  const first = await spawnWithAccount({ dataPath })
  await first.sendUpload({ lost: 'lost', kept: 'kept' })
  await stop(first)
  const backup = readFileSync(inFolder(DATABASE))
  const second = await spawnHoldfast({ dataPath })
  await sendUpload(second, first.withKey, { files: { newer: 'newer than the backup' } })
  await stop(second)
  rmSync(inFolder('uploads/lost'))
  writeFileSync(inFolder(DATABASE), backup)

  await using third = await spawnHoldfast({ dataPath })

  const { output } = await runInside(['verify'], { DATA_PATH: dataPath })
  expect(output).toBe('"lost": bytes are missing\n"newer": not in the catalog\n2 differences\n')
  for (const name of ['newer', 'lost']) expect((await third.fetch(`/api/hosting/${name}`)).status).toBe(404)
  expect(readFileSync(inFolder('uploads/newer'), 'utf8')).toBe('newer than the backup')
})

// Row 102.
describe('a clock that jumps', () => {
  const DAY = 86_400_000
  test.each([
    ['to 1970', 0],
    ['to the year 2100', Date.UTC(2100, 0, 1)],
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
