import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { migrations } from '../drizzle/migrations.ts'
import { version } from '../package.json'
import { expectRefused, failInside, runInside } from './support/command.ts'
import { eventually } from './support/eventually.ts'
import { spawnWithAccount } from './support/fixture.ts'
import { filesUnder, startInside } from './support/holdfast.ts'
import { failToStart, runCommand, spawnHoldfast } from './support/process.ts'
import { openRows } from './support/rows.ts'
import { openSocket } from './support/socket.ts'
import { temporaryFolder } from './support/temporary.ts'

/** Creates a data folder for several starts, removed at the end of the test. */
function dataFolder() {
  const { path, [Symbol.dispose]: remove } = temporaryFolder()
  return { dataPath: path, [Symbol.dispose]: remove }
}

describe('the process', () => {
  test('needs no variable, prints its URL first and does not reveal its secret', async () => {
    await using holdfast = await spawnHoldfast()

    expect(holdfast.output()).toMatch(/^Holdfast is listening on http:\/\/localhost:\d+\n/)
    expect(statSync(join(holdfast.dataPath, 'secret')).mode & 0o777).toBe(0o600)
    expect(readdirSync(holdfast.dataPath).sort()).toEqual([
      'db',
      'secret',
      'tmp',
      'trash',
      'uploads',
      'versions',
    ])
  })

  test('hashes passwords at the cost that OWASP recommends', async () => {
    await using holdfast = await spawnWithAccount()

    using rows = openRows(holdfast)
    const row = rows.query<{ hash: string }>('SELECT password_hash AS hash FROM users').get()
    expect(row?.hash).toStartWith('$argon2id$v=19$m=19456,t=2,p=1$')
  })

  test('a start that cannot listen creates no data folder', async () => {
    using folder = dataFolder()
    using taken = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() })
    for (const [environment, message] of [
      [{ PORT: String(taken.port) }, `Port ${taken.port} is already in use on "127.0.0.1"`],
      [{ HOST: '192.0.2.1' }, '"192.0.2.1" is not an address of this machine'],
    ] as const)
      for (const dataPath of [join(folder.dataPath, 'missing'), folder.dataPath]) {
        expectRefused(await failInside({ dataPath, environment }), message)
      }

    expect(readdirSync(folder.dataPath)).toEqual([])
  })

  test.each([
    ['PORT', 'eighty'],
    ['PORT', '65536'],
    ['MAX_UPLOAD_SIZE', '5 gigabytes'],
    ['MAX_UPLOAD_SIZE', '1.5gb'],
    ['MAX_UPLOAD_SIZE', '5ib'],
    ['DEFAULT_FILE_VISIBILITY', 'hidden'],
    ['TRUST_PROXY', '10.0.0.0/33'],
    ['TRUSTED_ORIGINS', 'example.com'],
    ['TRUSTED_ORIGINS', 'holdfast://, https://'],
    ['TRUSTED_ORIGINS', 'HTTP:///'],
    ['CORS_ORIGINS', 'app://'],
    ['CORS_ORIGINS', '*, https://a.example'],
    ['BASE_URL', 'files.example.com'],
    ['AUTH_SECRET', 'short'],
    ['MAX_FILES_PER_REQUEST', '0'],
    ['DEFAULT_PRESIGN_TTL_SECONDS', '604801'],
    ['MAX_PRESIGN_TTL_SECONDS', '3153600001'],
    ['ACTIVITY_RETENTION_DAYS', '36501'],
    ['API_REQUEST_RETENTION_DAYS', '36501'],
    ['MAX_UPLOAD_SIZE', '8192tb'],
    ['MAX_UPLOAD_SIZE', '9999999999tb'],
    ['HOST', 'nope.invalid'],
    ['HOST', '999.1.1.1'],
    ['HOST', '192.0.2.1'],
    ['HOST', 'a b'],
  ])('refuses to start with %s=%s and names the variable', async (name, value) => {
    const refused = await failInside({ environment: { [name]: value } })

    expectRefused(refused, name)
    if (name === 'AUTH_SECRET') expect(refused.output).not.toContain(value)
  })

  test('refuses to start with several invalid variables and names them all, each in a line', async () => {
    const { output, exitCode } = await failInside({
      environment: {
        PORT: 'eighty',
        MAX_UPLOAD_SIZE: '5 gigabytes',
        TRUST_PROXY: '10.0.0.0/33',
        DEFAULT_PRESIGN_TTL_SECONDS: '604801',
        S3_BUCKET: 'files',
        S3_REGION: 'eu',
      },
    })

    expect(exitCode).toBe(1)
    const names = [
      'PORT',
      'MAX_UPLOAD_SIZE',
      'DEFAULT_PRESIGN_TTL_SECONDS',
      'S3_ENDPOINT, S3_ACCESS_KEY_ID',
      'TRUST_PROXY',
    ]
    const lines = output.trimEnd().split('\n')
    expect(lines).toHaveLength(names.length)
    for (const [index, name] of names.entries()) expect(lines[index]).toStartWith(`${name}`)
  })

  test('names other files in a new data folder, and leaves them', async () => {
    using folder = dataFolder()
    for (const name of ['a.txt', 'b.txt', 'c.txt', 'd.txt']) writeFileSync(join(folder.dataPath, name), name)

    await using holdfast = await startInside({ dataPath: folder.dataPath, isAlone: true })

    const told = 'has other files (a.txt, b.txt, c.txt and 1 more). They stay as they are'
    expect(holdfast.logged.filter(({ message }) => message.includes(told))).toHaveLength(1)
    await holdfast.stop()
    await using again = await startInside({ dataPath: folder.dataPath, isAlone: true })
    expect(again.logged.filter(({ message }) => message.includes('has other files'))).toEqual([])
    expect(readFileSync(join(folder.dataPath, 'a.txt'), 'utf8')).toBe('a.txt')
  })

  test('refuses a port that another program uses, and names it', async () => {
    using busy = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data: () => {} } })
    const port = String(busy.port)

    const refused = await failToStart({ environment: { PORT: port } })

    expectRefused(refused, `Port ${port} is already in use`, 'Stop the other program, or set PORT')
    expect(refused.output.split('\n').length).toBe(2)
  })

  test('creates links with the longest lifetime that it accepts', async () => {
    const longest = '3153600000'
    await using holdfast = await spawnWithAccount({
      environment: { DEFAULT_PRESIGN_TTL_SECONDS: longest, MAX_PRESIGN_TTL_SECONDS: longest },
    })
    const file = await holdfast.api.upload('a.txt', 'kept')

    for (const expiresIn of [undefined, Number(longest), 1e300]) {
      const { expiresAt } = await holdfast.api.sign(file.id, expiresIn)

      expect(Date.parse(expiresAt) - Date.now()).toBeWithin(3_153_599e6, 3_153_601e6)
    }
  })

  test.each(['', '\n', 'too short'])('refuses an invalid secret: %j', async (secret) => {
    using folder = dataFolder()
    const path = join(folder.dataPath, 'secret')
    writeFileSync(path, secret, { mode: 0o600 })

    expectRefused(await failInside(folder), `"${path}" has fewer than 16 characters`)
    expect(readFileSync(path, 'utf8')).toBe(secret)
  })

  test('refuses a secret that it cannot read', async () => {
    using folder = dataFolder()
    mkdirSync(join(folder.dataPath, 'secret'))

    expectRefused(await failInside(folder), 'Cannot read the secret')
  })

  test('restricts the mode of a secret that others could read, and logs it', async () => {
    using folder = dataFolder()
    const path = join(folder.dataPath, 'secret')
    writeFileSync(path, 'a secret that is long enough\n')
    chmodSync(path, 0o644)

    await using holdfast = await spawnHoldfast(folder)

    expect(holdfast.output()).toStartWith(`Others could read the secret "${path}"`)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(readFileSync(path, 'utf8')).toBe('a secret that is long enough\n')
  })

  test('refuses a data folder that another process uses, and changes nothing in it', async () => {
    await using first = await spawnHoldfast()
    writeFileSync(join(first.dataPath, 'tmp', 'in-progress'), 'staged by the first')

    expectRefused(await failToStart({ dataPath: first.dataPath }), 'Another Holdfast is running')
    expect(filesUnder(first, 'tmp')).toEqual(['in-progress'])
    expect((await first.fetch('/api/health')).status).toBe(200)
  })

  test('refuses to create an account while a server runs', async () => {
    await using holdfast = await spawnHoldfast()

    expectRefused(
      runCommand(['admin', 'create', 'bob@example.com'], {
        DATA_PATH: holdfast.dataPath,
      }),
      'Another Holdfast is running',
    )
  })

  test('starts again after a kill that left the lock file', async () => {
    using folder = dataFolder()
    {
      await using killed = await spawnHoldfast(folder)
      killed.child.kill('SIGKILL')
      await killed.child.exited
    }

    await using again = await spawnHoldfast(folder)

    expect((await again.fetch('/api/health')).status).toBe(200)
  })

  test('serves an acknowledged upload after kill -9', async () => {
    using folder = dataFolder()
    {
      await using killed = await spawnWithAccount(folder)
      expect((await killed.sendUpload({ 'a.txt': 'kept' })).status).toBe(200)
      killed.child.kill('SIGKILL')
      await killed.child.exited
    }

    await using again = await spawnHoldfast(folder)

    expect(await (await again.fetch('/api/hosting/a.txt')).text()).toBe('kept')
  })

  test('removes an upload that kill -9 interrupted', async () => {
    using folder = dataFolder()
    {
      await using killed = await spawnWithAccount(folder)
      const body = new ReadableStream({
        async start(controller) {
          controller.enqueue(
            Buffer.from('--b\r\nContent-Disposition: form-data; name="f"; filename="cut"\r\n\r\n'),
          )
          controller.enqueue(Buffer.alloc(300_000))
        },
      })
      const headers = { ...killed.withKey, 'Content-Type': 'multipart/form-data; boundary=b' }
      const sending = killed.fetch('/api/files', { method: 'POST', headers, body }).catch(() => undefined)
      await eventually(() => filesUnder(killed, 'tmp').length >= 2)
      killed.child.kill('SIGKILL')
      await Promise.all([killed.child.exited, sending])
    }

    await using again = await spawnHoldfast(folder)

    expect(filesUnder(again, 'tmp')).toEqual([])
    expect(filesUnder(again, 'uploads')).toEqual([])
    expect((await again.fetch('/api/hosting/cut')).status).toBe(404)
  })

  test.each(['SIGTERM', 'SIGINT'] as const)(
    '%s finishes requests in flight, refuses new ones, and exits 0',
    async (signal) => {
      await using holdfast = await spawnWithAccount()
      const size = 64 * 1024 * 1024
      await holdfast.sendUpload({ big: new Uint8Array(size) })
      const idle = await openSocket(holdfast.port)
      const download = await holdfast.fetch('/api/hosting/big')

      holdfast.child.kill(signal)
      const isRefused = () =>
        holdfast.fetch('/api/health').then(
          () => false,
          () => true,
        )
      await eventually(isRefused)

      expect(await isRefused()).toBe(true)
      expect((await download.arrayBuffer()).byteLength).toBe(size)
      expect(await holdfast.child.exited).toBe(0)
      expect(existsSync(join(holdfast.dataPath, 'db', 'holdfast.sqlite-wal'))).toBe(false)
      idle.destroy()
    },
  )

  test('a start without the folder of the files is refused, because it would lose them all', async () => {
    using folder = dataFolder()
    {
      await using first = await spawnWithAccount(folder)
      await first.sendUpload({ 'a.txt': 'kept' })
    }
    rmSync(join(folder.dataPath, 'uploads'), { recursive: true })

    expectRefused(await failInside(folder), 'is its volume mounted?')
  })

  test.each(['tmp', 'uploads', 'db'])(
    'a start on a data folder whose %s is a link is refused and does not change its target',
    async (name) => {
      using folder = dataFolder()
      using elsewhere = dataFolder()
      writeFileSync(join(elsewhere.dataPath, 'not-ours'), 'kept')
      symlinkSync(elsewhere.dataPath, join(folder.dataPath, name))

      const started = await failInside(folder)
      const verified = await runInside(['verify'], { DATA_PATH: folder.dataPath })

      for (const refused of [started, verified])
        expectRefused(refused, `"${join(folder.dataPath, name)}" is a symbolic link`)
      expect(readdirSync(elsewhere.dataPath)).toEqual(['not-ours'])
    },
  )

  test('a start on a data folder whose tmp is a dangling link or a file is refused', async () => {
    using dangling = dataFolder()
    using file = dataFolder()
    symlinkSync('nowhere', join(dangling.dataPath, 'tmp'))
    writeFileSync(join(file.dataPath, 'tmp'), 'kept')

    expect((await failInside(dangling)).output).toContain('is a symbolic link')
    expect((await failInside(file)).output).toContain('is not a folder')
    expect(readFileSync(join(file.dataPath, 'tmp'), 'utf8')).toBe('kept')
  })

  test('the data folder itself may be a link', async () => {
    using real = dataFolder()
    using holder = dataFolder()
    const dataPath = join(holder.dataPath, 'link')
    symlinkSync(real.dataPath, dataPath)

    await using holdfast = await spawnWithAccount({ dataPath })

    expect((await holdfast.sendUpload({ 'a.txt': 'kept' })).status).toBe(200)
    expect(await (await holdfast.fetch('/api/hosting/a.txt')).text()).toBe('kept')
    expect(filesUnder(real, 'uploads')).toEqual(['a.txt'])
  })

  test('a start on the uploads of another database is refused', async () => {
    using folder = dataFolder()
    using other = dataFolder()
    await stoppedDatabase(folder)
    await stoppedDatabase(other)
    rmSync(join(folder.dataPath, 'db'), { recursive: true })
    cpSync(join(other.dataPath, 'db'), join(folder.dataPath, 'db'), { recursive: true })

    expectRefused(await failInside(folder), 'belongs to another database', 'repair --adopt')
  })

  test.each([
    ['no database', (path: string) => rmSync(path)],
    ['an empty database file', (path: string) => truncateSync(path)],
  ])('a start on files with %s is refused with a remedy and creates no database', async (_, lose) => {
    using folder = dataFolder()
    const path = await stoppedDatabase(folder)
    lose(path)

    expectRefused(await failInside(folder), 'is missing', 'repair --adopt')
    expect(statSync(path, { throwIfNoEntry: false })?.size ?? 0).toBe(0)
  })

  test('a start on a file that is not a database is refused and does not change it', async () => {
    using folder = dataFolder()
    const path = await stoppedDatabase(folder)
    const text = 'not a database at all, only text. '.repeat(100)
    writeFileSync(path, text)

    expectRefused(await failToStart(folder), 'Cannot open the database')
    expect(readFileSync(path, 'utf8')).toBe(text)
  })

  test('a start, a backup and a check of a newer version’s database are refused and change nothing', async () => {
    using folder = dataFolder()
    const path = await stoppedDatabase(folder)
    {
      using database = new Database(path)
      database.run('PRAGMA user_version = 9999')
    }
    writeFileSync(join(folder.dataPath, 'tmp/of-a-newer-version'), '')
    const state = () => [readdirSync(folder.dataPath, { recursive: true }).sort(), readFileSync(path)]
    const before = state()
    const refusal = `has 9999 migrations, and ${version} knows ${migrations.length}. Nothing was changed.`

    expectRefused(
      await failInside(folder),
      'written by a newer version of Holdfast',
      refusal,
      'restore the backup',
    )
    for (const words of [['backup', join(folder.dataPath, '../copy')], ['verify']])
      expectRefused(await runInside(words, { DATA_PATH: folder.dataPath }), refusal)
    expect(state()).toEqual(before)
  })
})

/** Starts and stops a server. Returns the path of its database. */
async function stoppedDatabase({ dataPath }: { dataPath: string }): Promise<string> {
  await (await startInside({ dataPath })).stop()
  return join(dataPath, 'db', 'holdfast.sqlite')
}
