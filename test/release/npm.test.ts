import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { version } from '../../package.json'
import { NPM_PACKAGES } from '../../src/build/packaging/npm.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { startRegistry } from './registry.ts'
import { withRelease } from './release.ts'

const release = withRelease()
const registry = startRegistry()
afterAll(() => registry.stop())

/** Package of this machine, whose program is a stand-in. */
const OWN = `holdfast-linux-${process.arch}`
const NAMES = ['holdfast', 'holdfast-client', ...Object.values(NPM_PACKAGES)]

/** Runs a command in an empty home whose `PATH` has the system's tools and the named runtimes only. */
async function runIn(home: string, runtimes: readonly string[], words: string[]): Promise<string> {
  const bin = join(home, 'bin')
  mkdirSync(bin, { recursive: true })
  const places: Record<string, string> = { bun: process.execPath, bunx: process.execPath }
  for (const name of [...runtimes, 'sh', 'dirname', 'readlink', 'uname', 'env'])
    symlinkSync(places[name] ?? Bun.which(name) ?? name, join(bin, name))
  const child = Bun.spawn([join(bin, words[0] ?? ''), ...words.slice(1)], {
    cwd: home,
    env: {
      HOME: home,
      PATH: bin,
      TMPDIR: home,
      npm_config_registry: registry.url,
      BUN_CONFIG_REGISTRY: registry.url,
    },
    ...{ stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' },
  })
  const [output, complaint, exitCode] = await Promise.all([
    child.stdout.text(),
    child.stderr.text(),
    child.exited,
  ])
  if (exitCode !== 0) throw new Error(`${words.join(' ')} ended with ${exitCode}: ${output}${complaint}`)
  return output + complaint
}

beforeAll(async () => {
  using home = temporaryFolder()
  writeFileSync(join(home.path, '.npmrc'), `//${new URL(registry.url).host}/:_authToken=a-token\n`)
  for (const name of NAMES) {
    using place = temporaryFolder(home.path)
    writeFileSync(join(place.path, '.npmrc'), readFileSync(join(home.path, '.npmrc')))
    await runIn(
      place.path,
      ['node', 'npm'],
      ['npm', 'publish', join(release(), `npm/${name}-${version}.tgz`)],
    )
  }
})

describe('the npm packages', () => {
  test.each([
    ['Node only', ['node', 'npm', 'npx'], ['npx', '--yes', 'holdfast', 'put', 'a']],
    ['Bun only', ['bun', 'bunx'], ['bunx', 'holdfast', 'put', 'a']],
  ])('start the program of the machine from an empty home with %s', async (_, runtimes, words) => {
    using home = temporaryFolder()
    registry.asked.length = 0

    const output = await runIn(home.path, runtimes, words)

    expect(output).toContain(version)
    expect(output).toContain(' put a')
    expect(registry.asked.toSorted()).toEqual(['holdfast', OWN])
  })

  test('run no script at their installation', async () => {
    for (const name of NAMES) {
      const archive = join(release(), `npm/${name}-${version}.tgz`)
      const { stdout } = Bun.spawnSync(['tar', 'xzOf', archive, 'package/package.json'])
      const manifest = JSON.parse(stdout.toString())
      expect([manifest.name, manifest.version, manifest.scripts]).toEqual([name, version, undefined])
    }
  })

  test('have a client that Node loads', async () => {
    using home = temporaryFolder()
    await runIn(home.path, ['node', 'npm'], ['npm', 'install', 'holdfast-client'])
    const script =
      "import { createClient } from 'holdfast-client'; console.log(typeof createClient({ url: 'http://localhost' }).files.upload)"
    writeFileSync(join(home.path, 'a.mjs'), script)

    using other = temporaryFolder(home.path)
    symlinkSync(join(home.path, 'node_modules'), join(other.path, 'node_modules'))
    writeFileSync(join(other.path, 'a.mjs'), script)
    expect(await runIn(other.path, ['node'], ['node', 'a.mjs'])).toBe('function\n')
  })
})
