import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import RELEASED from '../../drizzle/released.json'
import { license, version } from '../../package.json'
import { compile, nativeOf, TARGETS } from './binary.ts'
import { ENGINES, releasedOf } from './migrations.ts'
import { pack, run } from './packaging/archive.ts'
import { formulaOf } from './packaging/formula.ts'
import { packForLinux } from './packaging/linux-packages.ts'
import { packMain, packPlatform } from './packaging/npm.ts'
import { PUBLISHER } from './packaging/publisher.ts'
import { componentsOf, sbomOf } from './packaging/sbom.ts'

/**
 * Writes what a release publishes into `dist/release`: `bun run release`. The same source gives the same bytes.
 *
 *   --target linux-x64  builds only this target; can be repeated
 *   --out folder        writes there
 *   --binaries folder   takes `holdfast-<target>` from there instead of compiling
 *   --tag v0.2.0        fails unless the source is ready to be this release
 *
 * `MINISIGN_SECRET_KEY` names a key without a password that signs `SHA256SUMS`; `SOURCE_DATE_EPOCH` sets the time in place of
 * the last commit's. `RELEASE_URL` and `MINISIGN_PUBLIC_KEY` go into `packaging/publisher.ts`.
 */

const ROOT = join(import.meta.dir, '../..')
const PACKAGING = join(import.meta.dir, 'packaging')
const COMPLETIONS = { bash: 'holdfast.bash', zsh: '_holdfast', fish: 'holdfast.fish' }

/** Returns the files of a release that are downloaded one by one; packages for npm are in a folder of their own. */
const filesOf = (out: string) =>
  readdirSync(out, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)
    .toSorted()

const sha256Of = (path: string) => new Bun.CryptoHasher('sha256').update(readFileSync(path)).digest('hex')
const write = (path: string, value: object) => writeFileSync(path, `${JSON.stringify(value, undefined, 2)}\n`)

/** Asserts that the tag, the changelog and the record of migrations are those of this version. */
function assertReady(tag: string): void {
  if (tag !== `v${version}`) throw new Error(`The tag is ${tag}, and package.json says ${version}.`)
  if (releasesIn(readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8'))[0]?.version !== version)
    throw new Error(`CHANGELOG.md does not begin with ${version}.`)
  const found = Object.fromEntries(
    Object.entries(ENGINES).map(([name, { folder }]) => [name, releasedOf(folder)]),
  )
  const recorded = new Map(Object.entries(RELEASED)).get(version)
  if (!Bun.deepEquals(found, recorded))
    throw new Error(`drizzle/released.json must have "${version}": ${JSON.stringify(found)}`)
}

/** Returns the versions of a changelog, newest first, and whether each has a section "Security". */
export const releasesIn = (changelog: string): { version: string; security: boolean }[] =>
  changelog.split(/^## /m).flatMap((section) => {
    const [found] = /^\d+\.\d+\.\d+/.exec(section) ?? []
    return found ? [{ version: found, security: /^### Security$/m.test(section) }] : []
  })

/** Writes the files that stand beside the binary of each target. */
function writeCommon(folder: string): void {
  mkdirSync(join(folder, 'completions'), { recursive: true })
  for (const name of ['LICENSE', 'README.md', 'CHANGELOG.md'])
    copyFileSync(join(ROOT, name), join(folder, name))
  copyFileSync(join(PACKAGING, 'holdfast.service'), join(folder, 'holdfast.service'))
  for (const [shell, name] of Object.entries(COMPLETIONS))
    writeFileSync(
      join(folder, 'completions', name),
      run([process.execPath, '--no-env-file', join(ROOT, 'src/main.ts'), 'completion', shell]),
    )
}

/** Writes the binary of a target, or takes a finished one. */
async function writeBinary(path: string, name: string, binaries: string | undefined): Promise<void> {
  if (binaries) copyFileSync(join(binaries, `holdfast-${name}`), path)
  else await compile(path, TARGETS[name])
  chmodSync(path, 0o755)
}

/** Writes the installer, with the release's address and key where they are given. */
function writeInstaller(out: string): void {
  const script = readFileSync(join(PACKAGING, 'install.sh'), 'utf8')
    .replaceAll('@VERSION@', version)
    .replaceAll('@URL@', PUBLISHER.releaseUrl)
    .replaceAll('@PUBLIC_KEY@', PUBLISHER.publicKey)
  writeFileSync(join(out, 'install.sh'), script, { mode: 0o755 })
}

/** Writes `SHA256SUMS` of all files, and its signature. */
function seal(out: string): void {
  const names = filesOf(out)
  const sums = join(out, 'SHA256SUMS')
  writeFileSync(sums, names.map((name) => `${sha256Of(join(out, name))}  ${name}\n`).join(''))
  const key = process.env['MINISIGN_SECRET_KEY']
  // The trusted comment would else have the time.
  if (key) run(['minisign', '-S', '-s', key, '-m', sums, '-t', `holdfast ${version}`])
  else console.log('MINISIGN_SECRET_KEY is not set: SHA256SUMS is not signed.')
}

const options = () =>
  parseArgs({
    options: {
      target: { type: 'string', multiple: true, default: Object.keys(TARGETS) },
      out: { type: 'string', default: join(ROOT, 'dist/release') },
      binaries: { type: 'string' },
      tag: { type: 'string' },
    },
  }).values

async function release(values: ReturnType<typeof options>): Promise<void> {
  if (values.tag !== undefined) assertReady(values.tag)
  const unknown = values.target.find((name) => !TARGETS[name])
  if (unknown !== undefined) throw new Error(`There is no target "${unknown}".`)
  const out = resolve(values.out)
  rmSync(out, { recursive: true, force: true })
  const staging = `${out}.building`
  rmSync(staging, { recursive: true, force: true })
  mkdirSync(out, { recursive: true })
  const epoch = Number(
    process.env['SOURCE_DATE_EPOCH'] ?? run(['git', 'log', '-1', '--format=%ct'], { cwd: ROOT }).trim(),
  )
  const date = new Date(epoch * 1000).toISOString()
  try {
    if (!values.binaries) run([process.execPath, join(import.meta.dir, 'dashboard.ts')])
    const npm = { out: join(out, 'npm'), staging, epoch }
    packMain(npm)
    writeCommon(join(staging, 'common'))
    for (const target of values.target) {
      const name = `holdfast-${version}-${target}`
      cpSync(join(staging, 'common'), join(staging, name), { recursive: true })
      await writeBinary(join(staging, name, 'holdfast'), target, values.binaries)
      pack(join(out, `${name}.tar.gz`), { folder: staging, name, epoch })
      packForLinux({ out, staging, epoch, target, folder: join(staging, name) })
      packPlatform(npm, target, join(staging, name, 'holdfast'))
      rmSync(join(staging, name), { recursive: true })
    }
    writeInstaller(out)
    const sums = (name: string) => (existsSync(join(out, name)) ? sha256Of(join(out, name)) : undefined)
    const formula = formulaOf(sums)
    if (formula !== undefined) writeFileSync(join(out, 'holdfast.rb'), formula)
    const natives = new Set(Object.values(TARGETS).map(nativeOf))
    const components = componentsOf(ROOT, (name) => natives.has(name))
    write(join(out, `holdfast-${version}.cdx.json`), sbomOf({ version, licence: license, date }, components))
    const releases = releasesIn(readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8'))
    const files = filesOf(out).map((name) => {
      const path = join(out, name)
      return { name, bytes: statSync(path).size, sha256: sha256Of(path) }
    })
    write(join(out, 'release.json'), { version, date, releases, files })
    seal(out)
  } finally {
    rmSync(staging, { recursive: true, force: true })
  }
  for (const name of filesOf(out))
    console.log(`${basename(out)}/${name}: ${statSync(join(out, name)).size} bytes`)
}

if (import.meta.main) await release(options())
