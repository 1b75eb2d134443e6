/** Bundles the program for tests. Run as a script, it writes the bundle to the folder in its argument. */
import {
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import type { BunPlugin } from 'bun'

const ROOT = join(import.meta.dir, '../..')

/** Folder of the bundles, one for each state of the source. */
const BUNDLES = join(ROOT, 'node_modules/.cache/holdfast-programs')
/** Time after the last use of a bundle until it is removed: longer than a rig with all positions. */
const UNUSED_MS = 6 * 3_600_000

/** Threads of the program. Each is looked up beside the module that starts it. */
const THREADS = ['catalog/sqlite/worker', 'catalog/sqlite/search/search-worker', 'volume/hash-worker']

/** Returns the command that runs a module like the binary: the runtime itself reads no `.env`. */
export const commandOf = (main: string): string[] => [process.execPath, '--no-env-file', main]

/** Changes of the source for programs of rigs. Each text must occur `times`. */
const EDITS = {
  /** Saves of counts and histories, which would fall into any request by the clock, wait for the end of the server. */
  quiet: { text: /'[*/5 ]+',( 'Saving )/g, replacement: "'0 0 1 1 *',$1", times: 5 },
  /** The catalog's own thread commits every import: one past the real limit would have thousands of positions. */
  'few rows': { text: /FEW_ROWS = 250/g, replacement: 'FEW_ROWS = 5', times: 1 },
}
export type ProgramEdit = keyof typeof EDITS

const bundled = new Map<string, string>()

/** Returns the command that runs the program: the binary in `HOLDFAST_BIN`, else a bundle of this work tree. */
export function programCommand(): string[] {
  const binary = process.env['HOLDFAST_BIN']
  if (binary) return [resolve(binary)]
  return commandOf(bundledProgram())
}

/**
 * Returns the main module of the program and its threads with bytecode, which start in less than half the CPU time of
 * the source. The first test that needs the bundle builds it; it is kept for other processes and later runs.
 */
export function bundledProgram(...edits: ProgramEdit[]): string {
  const key = edits.join()
  const main = bundled.get(key) ?? bundleOnce(edits)
  bundled.set(key, main)
  return main
}

function bundleOnce(edits: readonly ProgramEdit[]): string {
  const folder = join(BUNDLES, [hashOfSource(), ...edits].join('-').replaceAll(' ', '-'))
  const file = join(folder, 'main.js')
  try {
    const now = new Date()
    utimesSync(folder, now, now)
    return file
  } catch {
    // It is to be built.
  }
  mkdirSync(BUNDLES, { recursive: true })
  removeUnused()
  const built = `${folder}-${process.pid}`
  // Another process, because the callers do not wait for promises.
  const { success, stdout, stderr } = Bun.spawnSync([...commandOf(import.meta.path), ...edits, built])
  if (!success) throw new Error(`The program cannot be bundled: ${stdout}${stderr}`)
  try {
    renameSync(built, folder)
  } catch {
    // Another worker was first.
    rmSync(built, { recursive: true })
  }
  return file
}

/** Hashes everything that a bundle depends on. */
function hashOfSource(): string {
  const hash = new Bun.CryptoHasher('sha256')
  hash.update(Bun.version)
  const parts = globSync(['src/**/*.ts', 'drizzle/**/*.{ts,sql}'], { cwd: ROOT })
  for (const path of [...parts.sort(), 'bun.lock', 'package.json', 'tsconfig.json', import.meta.path]) {
    hash.update(path)
    hash.update(readFileSync(resolve(ROOT, path)))
  }
  return hash.digest('hex').slice(0, 16)
}

function removeUnused(): void {
  for (const name of readdirSync(BUNDLES)) {
    const path = join(BUNDLES, name)
    const { mtimeMs = Date.now() } = statSync(path, { throwIfNoEntry: false }) ?? {}
    if (Date.now() - mtimeMs > UNUSED_MS) rmSync(path, { recursive: true, force: true })
  }
}

/** Returns a plugin that makes changes to the source. `check` throws unless each of their texts was found. */
function editing(names: readonly string[]): { plugin: BunPlugin; check: () => void } {
  const edits = Object.entries(EDITS).filter(([name]) => names.includes(name))
  const found = new Map<string, number>()
  const edit = (source: string) =>
    edits.reduce((text, [name, { text: sought, replacement }]) => {
      found.set(name, (found.get(name) ?? 0) + (text.match(sought)?.length ?? 0))
      return text.replace(sought, replacement)
    }, source)
  return {
    plugin: {
      name: 'edits',
      setup: (build) =>
        void build.onLoad({ filter: /\/src\/.*\.ts$/ }, ({ path }) => ({
          contents: edit(readFileSync(path, 'utf8')),
          loader: 'ts',
        })),
    },
    check: () => {
      for (const [name, { times }] of edits)
        if (found.get(name) !== times)
          throw new Error(`The texts of "${name}" are ${found.get(name)} times in the source, not ${times}`)
    },
  }
}

async function bundle(folder: string, edits: readonly string[]): Promise<void> {
  const { plugin, check } = editing(edits)
  const { success, logs } = await Bun.build({
    entrypoints: ['main', ...THREADS].map((name) => join(ROOT, 'src', `${name}.ts`)),
    root: join(ROOT, 'src'),
    target: 'bun',
    // Bytecode takes this format.
    format: 'cjs',
    bytecode: true,
    outdir: folder,
    external: ['@node-rs/argon2'],
    plugins: edits.length > 0 ? [plugin] : [],
  })
  check()
  if (!success) throw new Error(logs.join('\n'))
  for (const thread of THREADS) {
    renameSync(join(folder, `${thread}.js`), join(folder, `${thread.slice(thread.lastIndexOf('/') + 1)}.ts`))
  }
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
}

if (import.meta.main) {
  const words = process.argv.slice(2)
  await bundle(words.at(-1) ?? '', words.slice(0, -1))
}
