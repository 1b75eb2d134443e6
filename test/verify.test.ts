import { Database } from 'bun:sqlite'
import { beforeAll, describe, expect, test } from 'bun:test'
import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { version } from '../package.json'
import { expectRefused, runInside } from './support/command.ts'
import { eventually } from './support/eventually.ts'
import { startWithAccount, withHoldfast } from './support/fixture.ts'
import { upload } from './support/holdfast.ts'
import { openFiles } from './support/open-files.ts'
import { runCommand, spawnHoldfast, startCommand } from './support/process.ts'

const holdfast = withHoldfast()
beforeAll(async () => {
  for (const name of ['missing', 'grown', 'cut', 'flipped', 'linked', 'whole', 'empty']) {
    await holdfast.api.upload(name, name === 'empty' ? '' : `content of ${name}`, 'a/b')
  }
  await holdfast.api.upload('x', 'x', 'gone/deep')
})

/** Returns true once a command has opened the database, or has exited. */
const hasOpenDatabase = ({ pid, exitCode }: { pid: number; exitCode: number | null }) =>
  exitCode !== null || openFiles(pid).some((path) => path.endsWith('/holdfast.sqlite'))

const verify = (...options: string[]) => runInside(['verify', ...options], { DATA_PATH: holdfast.dataPath })

describe('verify', () => {
  test('finds no difference beside a running server', async () => {
    for (const options of [[], ['--deep']]) {
      expect(await verify(...options)).toEqual({ exitCode: 0, output: 'Volume and catalog agree\n' })
    }
  })

  test('names every difference, and with --deep also bytes that changed in place', async () => {
    const at = (path: string) => join(holdfast.dataPath, 'uploads', path)
    rmSync(at('a/b/missing'))
    appendFileSync(at('a/b/grown'), 'more')
    truncateSync(at('a/b/cut'), 3)
    writeFileSync(at('a/b/flipped'), 'Content of flipped')
    rmSync(at('a/b/linked'))
    symlinkSync(at('a/b/whole'), at('a/b/linked'))
    mkdirSync(at('stray/inside'), { recursive: true })
    symlinkSync('nowhere', at('a/link'))
    writeFileSync(at('a/unknown'), '')
    rmSync(at('gone'), { recursive: true })

    const quick = await verify()
    const deep = await verify('--deep')

    const found = [
      '"a/b/cut": size differs',
      '"a/b/grown": size differs',
      '"a/b/linked": bytes are missing',
      '"a/b/missing": bytes are missing',
      '"a/link": link or special file',
      '"a/unknown": not in the catalog',
      '"gone": folder is missing',
      '"gone/deep": folder is missing',
      '"gone/deep/x": bytes are missing',
      '"stray": not in the catalog',
    ]
    expect(quick).toEqual({ exitCode: 1, output: [...found, '10 differences', ''].join('\n') })
    found.splice(1, 0, '"a/b/flipped": content differs')
    expect(deep).toEqual({ exitCode: 1, output: [...found, '11 differences', ''].join('\n') })
  })

  test('waits for another process that recovers the log', async () => {
    await using server = await spawnHoldfast()
    server.child.kill('SIGTERM')
    await server.child.exited
    const environment = { DATA_PATH: server.dataPath }
    const other = new Database(join(server.dataPath, 'db/holdfast.sqlite'))
    other.run('PRAGMA locking_mode = EXCLUSIVE')
    other.run('PRAGMA user_version')

    const commands = [['verify'], ['admin', 'reset-password', 'x@example.com']].map((words) =>
      startCommand(words, environment),
    )
    await eventually(() => commands.every(hasOpenDatabase))
    other.close()

    const [verified, reset] = commands
    expect(await new Response(verified?.stdout).text()).toBe('Volume and catalog agree\n')
    expect(await new Response(reset?.stderr).text()).toBe('There is no account "x@example.com"\n')
  })

  test('makes nothing in a folder that is not a data folder', async () => {
    const elsewhere = join(holdfast.dataPath, 'elsewhere')

    const { exitCode, output } = await runInside(['verify'], { DATA_PATH: elsewhere })

    expect(exitCode).toBe(1)
    expect(output).toBe(`Cannot use the data folder "${elsewhere}": it does not exist. Set DATA_PATH\n`)
  })

  test('reports totals that differ from a recount, and rows that refer to none', async () => {
    await using wrong = await startWithAccount()
    const { withKey } = wrong
    await upload(wrong, withKey, { name: 'a', content: 'a' })
    await wrong.stop()
    using database = new Database(join(wrong.dataPath, 'db/holdfast.sqlite'))
    for (const table of ['file_totals', 'file_days', 'folder_sizes', 'folder_total'])
      database.run(`UPDATE ${table} SET count = count + 1`)
    database.run(
      "INSERT INTO sessions (id, user_id, token_hash, ip_address, user_agent, created_at, used_at, expires_at) VALUES ('s', 'nobody', '', '', '', 0, 0, 0)",
    )

    const { exitCode, output } = await runInside(['verify'], { DATA_PATH: wrong.dataPath })

    expect(exitCode).toBe(1)
    expect(output.split('\n')).toEqual([
      '1 row of "sessions" refer to no row of "users"',
      'The running total "file_totals" is not what a recount gives',
      'The running total "file_days" is not what a recount gives',
      'The running total "folder_sizes" is not what a recount gives',
      'The running total "folder_total" is not what a recount gives',
      '5 differences',
      '',
    ])
  })

  test('reports that the database is damaged, with instructions', async () => {
    await using damaged = await startWithAccount()
    const { withKey } = damaged
    for (let n = 0; n < 50; n++) await upload(damaged, withKey, { name: `file ${n}`, content: 'x' })
    await damaged.stop()
    const path = join(damaged.dataPath, 'db/holdfast.sqlite')
    const bytes = readFileSync(path)
    // More than one page: which of them are free depends on the timing of the writes before.
    bytes.fill(0xff, bytes.length / 4, (bytes.length * 3) / 4)
    writeFileSync(path, bytes)

    expectRefused(
      await runInside(['verify'], { DATA_PATH: damaged.dataPath }),
      'The database',
      'repair --adopt',
    )
  })
})

describe('the command line', () => {
  test.each([
    'explode',
    'verify --shallow',
    'verify --yes',
    'verify folder',
    'serve folder',
    'repair',
    'repair --yes',
    'backup',
    'backup one two',
    'restore',
  ])('refuses "%s" as an unknown command', (line) => {
    const { exitCode, output } = runCommand(line.split(' '), { DATA_PATH: holdfast.dataPath })

    expect(exitCode).toBe(2)
    expect(output).toStartWith('error: ')
    expect(output).toContain('Run the command with --help for its usage.')
    expect(output).not.toContain('    at ')
  })

  test.each(['--help', 'help'])('lists the commands with %s, also where no server could start', (word) => {
    const { exitCode, output } = runCommand([word], { PORT: 'none' })

    expect(exitCode).toBe(0)
    for (const command of ['serve', 'verify', 'repair', 'backup', 'restore']) {
      expect(output).toMatch(new RegExp(`^  ${command} `, 'm'))
    }
  })

  test('says its version', () => {
    expect(runCommand(['--version'], {})).toEqual({ exitCode: 0, output: `${version}\n` })
  })
})
