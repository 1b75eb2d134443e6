import { describe, expect, test } from 'bun:test'
import { mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startWithAccount } from '../support/fixture.ts'
import { temporaryFolder } from '../support/temporary.ts'

/** Runs a Debian program. The server is in this process, so it must not block. */
async function run(
  command: readonly string[],
  { input = '', env = {}, cwd = '/' }: { input?: string; env?: Record<string, string>; cwd?: string } = {},
): Promise<{ status: number; output: string }> {
  const child = Bun.spawn([...command], {
    cwd,
    env: { ...process.env, ...env },
    stdin: Buffer.from(input),
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [stdout, stderr] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ])
  return { status: await child.exited, output: stdout + stderr }
}

const start = () => startWithAccount({ environment: { RATE_LIMIT_UPLOADS: '0', RATE_LIMIT_API: '0' } })

test('litmus passes each of its 104 tests', async () => {
  await using holdfast = await start()
  using folder = temporaryFolder()
  const { output } = await run(['litmus', '-k', `${holdfast.url}/dav/`, 'any', holdfast.key], {
    cwd: folder.path,
  })
  const counts = [...output.matchAll(/of (\d+) tests run: (\d+) passed/g)].map(([, all, passed]) => [
    all,
    passed,
  ])
  expect(counts).toEqual(['16', '13', '30', '41', '4'].map((count) => [count, count]))
})

const TIME = new Date('2020-01-01T12:00:00Z')
const NAMES = [
  'plain.txt',
  'a b.txt',
  '100%.txt',
  '#1 & <2>.txt',
  'ä ✓ 😀.txt',
  "it's(1).txt",
  'q?x=1.txt',
  '%41.txt',
]

describe('rclone', () => {
  test.each(['other', 'owncloud'])('copies, compares, syncs, moves and purges as for %s', async (vendor) => {
    await using holdfast = await start()
    using folder = temporaryFolder()
    const { output: secret } = await run(['rclone', 'obscure', holdfast.key])
    const env = {
      RCLONE_CONFIG: join(folder.path, 'rclone.conf'),
      RCLONE_CONFIG_DAV_TYPE: 'webdav',
      RCLONE_CONFIG_DAV_URL: `${holdfast.url}/dav/`,
      RCLONE_CONFIG_DAV_VENDOR: vendor,
      RCLONE_CONFIG_DAV_USER: 'any',
      RCLONE_CONFIG_DAV_PASS: secret.trim(),
    }
    const rclone = async (...words: string[]) => {
      const { status, output } = await run(['rclone', '--retries', '1', ...words], { env })
      if (status !== 0) throw new Error(`rclone ${words.join(' ')}: ${output}`)
      return output
    }
    writeFileSync(join(folder.path, 'rclone.conf'), '')
    const here = join(folder.path, 'here')
    mkdirSync(join(here, 'below/deeper'), { recursive: true })
    for (const name of NAMES) writeFileSync(join(here, 'below', name), name)
    writeFileSync(join(here, 'below/deeper/empty'), '')
    writeFileSync(join(here, 'large.bin'), Buffer.alloc(5 * 1024 ** 2, 'large'))
    utimesSync(join(here, 'large.bin'), TIME, TIME)
    const state = async () => (await holdfast.api.list()).map(({ key, updatedAt }) => [key, updatedAt])

    await rclone('copy', here, 'dav:there')
    expect(await rclone('check', '--download', here, 'dav:there')).toContain('0 differences found')
    const before = await state()
    expect(before).toHaveLength(NAMES.length + 2)
    await rclone('sync', here, 'dav:there')
    expect(await state()).toEqual(before)
    // Only ownCloud's clients send times.
    if (vendor === 'owncloud') expect(await rclone('lsl', 'dav:there/large.bin')).toContain('2020-01-01')

    await rclone('moveto', 'dav:there/large.bin', 'dav:there/moved to.bin')
    await rclone('copyto', 'dav:there/moved to.bin', 'dav:there/copied.bin')
    writeFileSync(join(here, 'below/plain.txt'), 'overwritten')
    await rclone('copyto', join(here, 'below/plain.txt'), 'dav:there/below/plain.txt')
    expect(await rclone('cat', 'dav:there/below/plain.txt')).toBe('overwritten')
    expect(await rclone('cat', '--offset', '5', '--count', '5', 'dav:there/copied.bin')).toBe('large')
    await rclone('purge', 'dav:there')
    expect(await holdfast.api.list()).toEqual([])
  })
})

test('cadaver makes its tour', async () => {
  await using holdfast = await start()
  using folder = temporaryFolder()
  writeFileSync(join(folder.path, '.netrc'), `machine localhost login any password ${holdfast.key}\n`, {
    mode: 0o600,
  })
  writeFileSync(join(folder.path, 'local.txt'), 'content')
  const input = [
    'mkcol tour',
    'cd tour',
    'put local.txt "a b.txt"',
    'copy "a b.txt" c.txt',
    'lock c.txt',
    'unlock c.txt',
    'propset c.txt color blue',
    'propget c.txt color',
    'move c.txt d.txt',
    'ls',
    'get d.txt got.txt',
    'delete "a b.txt"',
    'cd ..',
    'rmcol tour',
    'quit',
  ].join('\n')
  const { output } = await run(['cadaver', `http://localhost:${holdfast.port}/dav/`], {
    input: `${input}\n`,
    env: { HOME: folder.path },
    cwd: folder.path,
  })
  expect(output).not.toMatch(/failed/i)
  expect(output.match(/succeeded/g)?.length).toBeGreaterThanOrEqual(10)
  expect(output).toContain('blue')
  expect(readFileSync(join(folder.path, 'got.txt'), 'utf8')).toBe('content')
  expect(await holdfast.api.list()).toEqual([])
})
