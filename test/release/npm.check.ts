import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { Glob } from 'bun'
import { version } from '../../package.json'
import { compile, TARGETS } from '../../src/build/binary.ts'
import { NPM_PACKAGES, packMain, packPlatform } from '../../src/build/packaging/npm.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { startRegistry } from './registry.ts'
import { standIns } from './release.ts'

const folder = temporaryFolder()
let registry: Awaited<ReturnType<typeof startRegistry>>
afterAll(async () => {
  await registry?.stop()
  folder[Symbol.dispose]()
})

/** Target of this machine's package. */
const TARGET = process.arch === 'x64' ? 'linux-x64-baseline' : 'linux-arm64'
const NAMES = [...Object.values(NPM_PACKAGES), 'holdfast', 'holdfast-client']

/** Starts a command in an empty home whose `PATH` has the system's tools and the named runtimes only. */
function startIn(home: string, runtimes: readonly string[], words: string[]) {
  const bin = join(home, 'bin')
  mkdirSync(bin, { recursive: true })
  const places: Record<string, string> = { bun: process.execPath, bunx: process.execPath }
  for (const name of [...runtimes, 'sh', 'dirname', 'readlink', 'uname', 'env'])
    symlinkSync(places[name] ?? Bun.which(name) ?? name, join(bin, name))
  const addresses = { npm_config_registry: registry.url, BUN_CONFIG_REGISTRY: registry.url }
  return Bun.spawn([join(bin, words[0] ?? ''), ...words.slice(1)], {
    cwd: home,
    env: { HOME: home, PATH: bin, TMPDIR: home, PORT: '0', HOST: '127.0.0.1', ...addresses },
    // A group of its own, to which a signal reaches the program and what started it.
    ...{ detached: true, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' },
  })
}

/** Runs a command to its end, and returns what it prints. */
async function runIn(...[home, runtimes, words]: Parameters<typeof startIn>): Promise<string> {
  const child = startIn(home, runtimes, words)
  const [output, complaint] = await Promise.all([child.stdout.text(), child.stderr.text()])
  if ((await child.exited) !== 0) throw new Error(`${words.join(' ')} failed: ${output}${complaint}`)
  return output
}

beforeAll(async () => {
  const [store, binaries] = ['registry', 'binaries'].map((name) => join(folder.path, name)) as [
    string,
    string,
  ]
  mkdirSync(store)
  registry = await startRegistry(store)
  standIns(binaries)
  await compile(join(binaries, `holdfast-${TARGET}`), TARGETS[TARGET])
  const place = { out: join(folder.path, 'out'), staging: join(folder.path, 'staging'), epoch: 0 }
  packMain(place)
  for (const target of Object.keys(NPM_PACKAGES))
    packPlatform(place, target, join(binaries, `holdfast-${target}`))
  for (const name of NAMES) {
    using home = temporaryFolder(folder.path)
    writeFileSync(join(home.path, '.npmrc'), `//${new URL(registry.url).host}/:_authToken=a-token\n`)
    await runIn(
      home.path,
      ['node', 'npm'],
      ['npm', 'publish', join(folder.path, `out/${name}-${version}.tgz`)],
    )
  }
})

describe('the npm packages', () => {
  test.each([
    ['Node', ['node', 'npm', 'npx'], ['npx', '--yes', 'holdfast']],
    ['Bun', ['bun', 'bunx'], ['bunx', 'holdfast']],
  ])('start a server from an empty home with %s only', async (_, runtimes, words) => {
    using home = temporaryFolder(folder.path)

    const child = startIn(home.path, runtimes, words)
    const { value } = await child.stdout.getReader().read()
    const [url] = /http:\S+/.exec(Buffer.from(value ?? []).toString()) ?? []
    const health = await fetch(new URL('/api/health', url))
    process.kill(-child.pid, 'SIGTERM')
    await child.exited

    expect(await health.json()).toMatchObject({ error: null })
    expect(existsSync(join(home.path, 'data/db'))).toBe(true)
    const installed = new Glob('**/node_modules/holdfast*').scanSync({
      ...{ cwd: home.path, dot: true, onlyFiles: false, absolute: false },
    })
    const own = NPM_PACKAGES[TARGET]
    expect([...installed].map((path) => basename(path)).toSorted()).toEqual(['holdfast', own ?? ''])
  })

  test('have a client that Node loads', async () => {
    using home = temporaryFolder(folder.path)
    await runIn(home.path, ['node', 'npm'], ['npm', 'install', 'holdfast-client'])
    const script =
      "import { createClient } from 'holdfast-client'; console.log(typeof createClient({ url: 'http://localhost' }).files.upload)"
    writeFileSync(join(home.path, 'a.mjs'), script)

    const { stdout } = Bun.spawnSync(['node', 'a.mjs'], { cwd: home.path })
    expect(stdout.toString()).toBe('function\n')
  })
})
