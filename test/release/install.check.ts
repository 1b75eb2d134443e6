import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { version } from '../../package.json'
import { run } from '../../src/build/packaging/archive.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { buildRelease, standIns } from './release.ts'

/** Folder of everything that is written here. */
const folder = temporaryFolder()
afterAll(() => folder[Symbol.dispose]())
const out = join(folder.path, 'out')

/** Files in place of the release's, by name; `undefined` for one that is missing. */
let changed: Record<string, Uint8Array | string | undefined> = {}
const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: ({ url }) => {
    const name = new URL(url).pathname.slice(1)
    const content = name in changed ? changed[name] : readFileSync(join(out, name))
    return content === undefined ? new Response('', { status: 404 }) : new Response(content)
  },
})
afterAll(() => server.stop(true))

beforeAll(() => {
  const [secret, open] = [join(folder.path, 'secret.key'), join(folder.path, 'open.key')]
  run(['minisign', '-G', '-W', '-s', secret, '-p', open])
  const publicKey = readFileSync(open, 'utf8').trim().split('\n')[1] ?? ''
  buildRelease(out, ['--binaries', standIns(join(folder.path, 'binaries'))], {
    RELEASE_URL: server.url.href.replace(/\/$/, ''),
    MINISIGN_SECRET_KEY: secret,
    MINISIGN_PUBLIC_KEY: publicKey,
  })
})

/** Makes the root of a machine of some kind. */
function machine(path: string, { avx2 = true, musl = false }): string {
  for (const name of ['proc', 'lib']) mkdirSync(join(path, name), { recursive: true })
  writeFileSync(join(path, 'proc/cpuinfo'), `flags : fpu sse4_2${avx2 ? ' avx2' : ''}\n`)
  if (musl) writeFileSync(join(path, 'lib/ld-musl-x86_64.so.1'), '')
  return path
}

const SHELLS: Record<string, string[]> = { dash: ['dash'], busybox: ['busybox', 'sh'] }

interface Installing {
  shell: string
  words?: string[]
  kind?: { avx2?: boolean; musl?: boolean }
  environment?: Record<string, string>
}

/** Runs the script as after its download. */
async function install({ shell, words, kind = {}, environment = {} }: Installing) {
  const home = temporaryFolder()
  const bin = join(home.path, 'bin')
  mkdirSync(bin)
  // BusyBox has all tools but the one for signatures; the other has curl of the system.
  const busybox = Bun.which('busybox') ?? 'busybox'
  const applets = [
    'grep',
    'id',
    'mktemp',
    'rm',
    'tar',
    'cp',
    'chmod',
    'mv',
    'mkdir',
    'wget',
    'sha256sum',
    'sh',
  ]
  for (const name of shell === 'busybox' ? applets : []) symlinkSync(busybox, join(bin, name))
  writeFileSync(join(bin, 'uname'), '#!/bin/sh\n[ "$1" = -s ] && echo Linux || echo x86_64\n', {
    mode: 0o755,
  })
  if (shell === 'busybox' && !environment['WITHOUT_MINISIGN'])
    symlinkSync(Bun.which('minisign') ?? 'minisign', join(bin, 'minisign'))
  const [program = '', ...rest] = SHELLS[shell] ?? []
  const child = Bun.spawn(
    [
      Bun.which(program) ?? program,
      ...rest,
      join(out, 'install.sh'),
      ...(words ?? ['--dir', join(home.path, 'to')]),
    ],
    {
      cwd: home.path,
      env: {
        ...{ HOME: home.path, TMPDIR: home.path },
        PATH: shell === 'busybox' ? bin : `${bin}:${process.env['PATH']}`,
        HOLDFAST_ROOT: machine(join(home.path, 'root'), kind),
        ...environment,
      },
      ...{ stdout: 'pipe', stderr: 'pipe' },
    },
  )
  const [output, complaint, exitCode] = await Promise.all([
    child.stdout.text(),
    child.stderr.text(),
    child.exited,
  ])
  const program_ = join(home.path, 'to/holdfast')
  const started = existsSync(program_) ? Bun.spawnSync([program_, 'x']).stderr.toString() : undefined
  const left = readdirSync(home.path).filter((name) => !['bin', 'root', 'to'].includes(name))
  home[Symbol.dispose]()
  return { output: output + complaint, exitCode, started, left }
}

describe.each(Object.keys(SHELLS))('install.sh in %s', (shell) => {
  test.each([
    ['linux-x64', {}],
    ['linux-x64-baseline', { avx2: false }],
    ['linux-x64-musl', { musl: true }],
    ['linux-x64-musl-baseline', { avx2: false, musl: true }],
  ])('installs the program %s', async (target, kind) => {
    changed = {}
    const { output, exitCode, started, left } = await install({ shell, kind })

    expect([output.includes(`Holdfast ${version} is installed`), exitCode]).toEqual([true, 0])
    expect([started, left]).toEqual([`${target} x\n`, []])
  })

  const archive = `holdfast-${version}-linux-x64.tar.gz`
  const sums = () => readFileSync(join(out, 'SHA256SUMS'), 'utf8')
  const forged = Buffer.from('forged')
  const forgedSum = new Bun.CryptoHasher('sha256').update(forged).digest('hex')
  const forgedSums = () => sums().replace(/^\w+(?= {2}.*linux-x64\.tar\.gz$)/m, forgedSum)
  test.each([
    [
      'a cut archive',
      () => ({ [archive]: readFileSync(join(out, archive)).subarray(0, 200) }),
      'checksum of holdfast',
    ],
    ['a forged archive', () => ({ [archive]: forged }), 'checksum of holdfast'],
    [
      'forged checksums',
      () => ({ [archive]: forged, SHA256SUMS: forgedSums() }),
      'signature of SHA256SUMS is wrong',
    ],
    ['a missing signature', () => ({ 'SHA256SUMS.minisig': undefined }), 'minisig cannot be downloaded'],
    ['cut checksums', () => ({ SHA256SUMS: sums().slice(0, 30) }), 'signature of SHA256SUMS is wrong'],
    ['a missing archive', () => ({ [archive]: undefined }), 'cannot be downloaded'],
  ])('installs nothing for %s', async (_, change, message) => {
    changed = change()
    const { output, exitCode, started, left } = await install({ shell })

    expect(output).toContain(message)
    expect(output).toContain('Nothing was installed.')
    expect([exitCode, started, left]).toEqual([1, undefined, []])
  })

  test('installs nothing that is signed for another version', async () => {
    changed = {}
    const secret = join(folder.path, 'secret.key')
    const copy = join(folder.path, 'SHA256SUMS')
    writeFileSync(copy, sums())
    run(['minisign', '-S', '-s', secret, '-m', copy, '-t', 'holdfast 0.0.1'])
    changed = { 'SHA256SUMS.minisig': readFileSync(`${copy}.minisig`) }

    const { output, started } = await install({ shell })

    expect(output).toContain(`signed for "holdfast 0.0.1", not for ${version}`)
    expect(started).toBeUndefined()
  })

  test('as root asks for the folder', async () => {
    const { output, exitCode } = await install({ shell, words: [] })

    const isRoot = process.getuid?.() === 0
    expect([exitCode, output.includes('As root, name the folder')]).toEqual([isRoot ? 1 : 0, isRoot])
  })
})

test('install.sh says that a signature is not checked without minisign, or refuses on demand', async () => {
  changed = {}
  const said = await install({ shell: 'busybox', environment: { WITHOUT_MINISIGN: 'yes' } })
  const refused = await install({
    shell: 'busybox',
    environment: { WITHOUT_MINISIGN: 'yes', HOLDFAST_REQUIRE_SIGNATURE: 'yes' },
  })

  expect([said.exitCode, said.output]).toEqual([0, expect.stringContaining('minisign is not installed.')])
  expect([refused.exitCode, refused.started]).toEqual([1, undefined])
})

test('scripts of packages have nothing that shellcheck complains about', () => {
  const scripts = readdirSync('src/build/packaging').filter((name) => name.endsWith('.sh'))
  expect(scripts).toContain('install.sh')
  run(['shellcheck', ...scripts], { cwd: 'src/build/packaging' })
})
