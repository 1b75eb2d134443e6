import { closeSync, mkdirSync, openSync, readFileSync, readSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Glob } from 'bun'
import { version } from '../../package.json'
import { TARGETS, type Target } from '../../src/build/binary.ts'
import { run } from '../../src/build/packaging/archive.ts'
import { NPM_PACKAGES } from '../../src/build/packaging/npm.ts'
import { chosenFrom, type RigOptions, type Tally } from '../support/tally.ts'
import { fastFolder, temporaryFolder } from '../support/temporary.ts'

const ROOT = join(import.meta.dir, '../..')
/** Bytes of a release and what it is built from, with room. */
const ROOM = 6 * 1024 ** 3

/** Copies the source, without what git ignores, installs what it needs, and builds a release in it. */
function releaseIn(folder: string, targets: readonly string[], env: Record<string, string>): string {
  mkdirSync(folder, { recursive: true })
  const copy = 'git ls-files -z --cached --others --exclude-standard | tar -c --null -T - | tar -x -C "$0"'
  run(['sh', '-ec', copy, folder], { cwd: ROOT })
  run([process.execPath, 'install', '--frozen-lockfile', '--ignore-scripts'], { cwd: folder })
  const words = targets.flatMap((target) => ['--target', target])
  run([process.execPath, 'src/build/release.ts', ...words], { cwd: folder, env })
  return join(folder, 'dist/release')
}

/** Returns the checksum of each file of a release, those for npm included. */
function sumsOf(out: string): Map<string, string> {
  const names = [...new Glob('**/*').scanSync(out)].toSorted()
  return new Map(names.map((name) => [name, run(['sha256sum', join(out, name)]).slice(0, 64)]))
}

/** Returns the names of the files that a release of all these targets has. */
function expectedOf(targets: readonly string[]): string[] {
  const processors = { 'linux-x64-baseline': ['amd64', 'x86_64'], 'linux-arm64': ['arm64', 'aarch64'] }
  const packages = Object.entries(processors).filter(([target]) => targets.includes(target))
  const npm = ['holdfast', 'holdfast-client', ...targets.flatMap((target) => NPM_PACKAGES[target] ?? [])]
  const hasFormula = targets.length === Object.keys(TARGETS).length
  return [
    ...['SHA256SUMS', 'SHA256SUMS.minisig', 'install.sh', 'release.json', `holdfast-${version}.cdx.json`],
    ...targets.map((target) => `holdfast-${version}-${target}.tar.gz`),
    ...packages.map(([, [deb]]) => `holdfast_${version}_${deb}.deb`),
    ...packages.map(([, [, rpm]]) => `holdfast-${version}-1.${rpm}.rpm`),
    ...npm.map((name) => `npm/${name}-${version}.tgz`),
    ...(hasFormula ? ['holdfast.rb'] : []),
  ].toSorted()
}

/** Reads the platform of a program from its first bytes. */
function platformOf(path: string) {
  const head = Buffer.alloc(64 * 1024)
  const file = openSync(path, 'r')
  readSync(file, head)
  closeSync(file)
  const isElf = head.toString('latin1', 0, 4) === '\x7fELF'
  const cpu = isElf ? head.readUInt16LE(18) : head.readUInt32LE(4)
  return {
    os: isElf ? 'linux' : head.readUInt32LE(0) === 0xfeedfacf ? 'darwin' : 'unknown',
    cpu: { 62: 'x64', 183: 'arm64', 16777223: 'x64', 16777228: 'arm64' }[cpu],
    libc: isElf ? (head.includes('/ld-musl-') ? 'musl' : 'glibc') : undefined,
  }
}

/** Returns words that start a program of the platform here; undefined where nothing does. */
function commandOf(program: string, { os, cpu, libc }: Target): string[] | undefined {
  if (os !== 'linux' || libc !== 'glibc') return undefined
  if (cpu === process.arch) return [program]
  return cpu === 'arm64' ? ['qemu-aarch64', '-L', '/usr/aarch64-linux-gnu', program] : undefined
}

/** Starts a server and makes an account, whose password its native code hashes. */
async function isServing(command: readonly string[], cwd: string): Promise<boolean> {
  const server = Bun.spawn([...command], {
    cwd,
    env: { PORT: '0', HOST: '127.0.0.1', PATH: '' },
    stdout: 'pipe',
  })
  const { value } = await server.stdout.getReader().read()
  const [url] = /http:\S+/.exec(Buffer.from(value ?? []).toString()) ?? []
  const { status } = await fetch(new URL('/api/auth/sign-up/email', url), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ name: 'Ada', email: 'ada@example.com', password: 'correct horse' }),
  })
  server.kill('SIGTERM')
  return (await server.exited) === 0 && status === 200
}

/** Unpacks the program of a target, compares its platform, and starts it where this machine can. */
async function programFaults(out: string, target: string): Promise<string[]> {
  const name = `holdfast-${version}-${target}`
  using folder = temporaryFolder()
  run(['tar', 'xzf', join(out, `${name}.tar.gz`), '-C', folder.path])
  const program = join(folder.path, name, 'holdfast')
  const platform = TARGETS[target]
  const found = platformOf(program)
  if (!platform || !Bun.deepEquals(found, { os: platform.os, cpu: platform.cpu, libc: platform.libc }))
    return [`is of ${JSON.stringify(found)}`]
  const command = commandOf(program, platform)
  if (!command) return []
  if (run([...command, '--version']) !== `${version}\n`) return ['says another version']
  return (await isServing(command, folder.path)) ? [] : ['does not serve']
}

/** Builds a release of all targets in two folders, and reads what it consists of. */
export async function rigRelease(tally: Tally, options: RigOptions): Promise<void> {
  const rows = Object.keys(TARGETS).map((name) => ({ name }))
  const targets = chosenFrom(rows, options).map(({ name }) => name)
  using folder = temporaryFolder(fastFolder(ROOM))
  const [secret, open] = [join(folder.path, 'secret.key'), join(folder.path, 'open.key')]
  run(['minisign', '-G', '-W', '-s', secret, '-p', open])
  const env = {
    SOURCE_DATE_EPOCH: run(['git', 'log', '-1', '--format=%ct'], { cwd: ROOT }).trim(),
    MINISIGN_SECRET_KEY: secret,
    RELEASE_URL: 'https://git.example/holdfast/releases/download/v0',
  }

  const out = releaseIn(join(folder.path, 'one'), targets, env)
  const sums = sumsOf(out)
  const expected = expectedOf(targets)
  tally.judge(
    'all files are there',
    [...new Set(expected).symmetricDifference(sums)].map((name) => `${name}: missing, or not expected`),
  )
  for (const target of targets) tally.judge(`program of ${target}`, await programFaults(out, target))
  run(['sha256sum', '--check', '--strict', '--quiet', 'SHA256SUMS'], { cwd: out })
  const comment = run(['minisign', '-VQm', join(out, 'SHA256SUMS'), '-p', open])
  tally.judge('signed checksums', comment === `holdfast ${version}\n` ? [] : [comment])
  if (sums.has('holdfast.rb')) run(['ruby', '-c', join(out, 'holdfast.rb')])
  for (const name of sums.keys())
    if (name.endsWith('.deb')) run(['lintian', '--allow-root', '--fail-on', 'error', join(out, name)])
  const installer = readFileSync(join(out, 'install.sh'), 'utf8')
  tally.judge('the installer has the address', installer.includes(env.RELEASE_URL) ? [] : ['it has not'])
  rmSync(join(folder.path, 'one'), { recursive: true })

  const again = sumsOf(releaseIn(join(folder.path, 'another/place'), targets, env))
  const others = [...again].filter(([name, sum]) => sums.get(name) !== sum)
  tally.judge(
    `the same bytes of ${sums.size} files from another folder`,
    others.map(([name]) => name),
  )
}
