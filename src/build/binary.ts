import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { BunPlugin } from 'bun'
import { MANIFEST } from '../api/assets.ts'

const ROOT = join(import.meta.dir, '../..')

/** Platform of a binary: Bun's name of the runtime, and the native packages that belong to it. */
export interface Target {
  runtime: Bun.Build.CompileTarget
  os: 'linux' | 'darwin'
  cpu: 'x64' | 'arm64'
  /** C library; only of Linux. */
  libc?: 'glibc' | 'musl'
  /** True for processors without AVX2. */
  isBaseline?: boolean
}

/** Platforms by the end of the binary's name. */
export const TARGETS: Record<string, Target> = {
  'linux-x64': { runtime: 'bun-linux-x64', os: 'linux', cpu: 'x64', libc: 'glibc' },
  'linux-x64-baseline': {
    ...{ runtime: 'bun-linux-x64-baseline', os: 'linux', cpu: 'x64', libc: 'glibc', isBaseline: true },
  },
  'linux-arm64': { runtime: 'bun-linux-arm64', os: 'linux', cpu: 'arm64', libc: 'glibc' },
  'linux-x64-musl': { runtime: 'bun-linux-x64-musl', os: 'linux', cpu: 'x64', libc: 'musl' },
  'linux-x64-musl-baseline': {
    ...{ runtime: 'bun-linux-x64-baseline-musl', os: 'linux', cpu: 'x64', libc: 'musl', isBaseline: true },
  },
  'linux-arm64-musl': { runtime: 'bun-linux-arm64-musl', os: 'linux', cpu: 'arm64', libc: 'musl' },
  'darwin-x64': { runtime: 'bun-darwin-x64', os: 'darwin', cpu: 'x64' },
  'darwin-arm64': { runtime: 'bun-darwin-arm64', os: 'darwin', cpu: 'arm64' },
}

const HASHING = '@node-rs/argon2'

/** Entry points of the program and its threads, side by side, where the threads' names are looked up. */
const ENTRY_POINTS = [
  'main.ts',
  'catalog/sqlite/worker.ts',
  'catalog/sqlite/search/search-worker.ts',
  'volume/hash-worker.ts',
]

/**
 * Compiles the program, its threads, migrations and native code with Bun into one file.
 *
 * @param target Undefined for the machine that builds.
 */
export async function compile(outfile: string, target?: Target): Promise<void> {
  const natives = target && installNatives(target)
  try {
    const { success, logs } = await Bun.build({
      entrypoints: ENTRY_POINTS.map((path) => join(ROOT, 'src', path)),
      root: join(ROOT, 'src'),
      naming: { entry: '[name].[ext]' },
      sourcemap: 'none',
      // Adds six mebibytes and halves the time to start.
      bytecode: true,
      // The server loads no code of commands, which saves it four mebibytes of memory.
      splitting: true,
      format: 'esm',
      plugins: [embeddedDashboard(), ...(target && natives ? [hashingFrom(natives, target)] : [])],
      compile: {
        outfile,
        // A bunfig.toml or .env in the working folder may come from a stranger's repository.
        autoloadBunfig: false,
        autoloadDotenv: false,
        ...(target ? { target: target.runtime } : {}),
      },
    })
    if (!success) throw new Error(logs.join('\n'))
  } finally {
    if (natives) rmSync(natives, { recursive: true })
  }
}

/**
 * Installs the locked dependencies as they are on the target. The names of chunks depend on the path, so it is the same for
 * each build.
 *
 * @returns The folder.
 */
function installNatives(target: Target): string {
  const folder = join(ROOT, 'node_modules/.cache', nativeOf(target))
  mkdirSync(folder, { recursive: true })
  for (const name of ['package.json', 'bun.lock']) copyFileSync(join(ROOT, name), join(folder, name))
  const locked = ['--frozen-lockfile', '--production', '--ignore-scripts']
  const { os, cpu, libc } = target
  const { success, stderr } = Bun.spawnSync(
    [
      process.execPath,
      'install',
      ...locked,
      `--os=${os}`,
      `--cpu=${cpu}`,
      ...(libc ? [`--libc=${libc}`] : []),
    ],
    { cwd: folder },
  )
  if (!success) {
    rmSync(folder, { recursive: true })
    throw new Error(`The target's packages cannot be installed: ${stderr}`)
  }
  return folder
}

/** Returns the name of the hashing library's package with native code for the target. */
export const nativeOf = ({ os, cpu, libc }: Target): string =>
  [HASHING, os, cpu, ...(libc ? [libc === 'glibc' ? 'gnu' : libc] : [])].join('-')

/**
 * Uses the hashing library's native code for the target, instead of its loader, which looks for that of the
 * building machine.
 */
const hashingFrom = (natives: string, target: Target): BunPlugin => ({
  name: 'native code of the target',
  setup(build) {
    build.onLoad({ filter: new RegExp(`/${HASHING}/index\\.js$`) }, () => ({
      contents: `export const { hash, verify } = require(${JSON.stringify(Bun.resolveSync(nativeOf(target), natives))})`,
      loader: 'js',
    }))
  },
})

const DASHBOARD = join(ROOT, 'dist/dashboard')

/** Embeds the built dashboard in place of the module that reads it from disk. */
const embeddedDashboard = (): BunPlugin => ({
  name: 'embedded dashboard',
  setup(build) {
    build.onLoad({ filter: /\/src\/modules\/web\/built\.ts$/ }, () => {
      const files = readdirSync(DASHBOARD).filter((name) => name !== MANIFEST)
      const place = (name: string) => JSON.stringify(join(DASHBOARD, name))
      const contents = [
        "import { readFileSync } from 'node:fs'",
        `import { assetsFrom } from ${JSON.stringify(join(ROOT, 'src/api/assets.ts'))}`,
        ...files.map((name, n) => `import file${n} from ${place(name)} with { type: 'file' }`),
        `const places = { ${files.map((name, n) => `${JSON.stringify(name)}: file${n}`).join(', ')} }`,
        `const manifest = ${readFileSync(join(DASHBOARD, MANIFEST), 'utf8')}`,
        'const read = (file) => new Uint8Array(readFileSync(places[file]))',
        'export const builtAssets = () => assetsFrom(manifest, read)',
      ]
      return { contents: contents.join('\n'), loader: 'js' }
    })
  },
})
