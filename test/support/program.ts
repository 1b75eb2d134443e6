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
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const ROOT = join(import.meta.dir, '../..')

/** Folder of the bundles of all work trees, one for each state of the source. */
const BUNDLES = join(tmpdir(), 'holdfast-programs')
/** Time after the last use of a bundle until it is removed: longer than a rig with all positions. */
const UNUSED_MS = 6 * 3_600_000

/** Threads of the program. Each is looked up beside the module that starts it. */
const THREADS = ['catalog/sqlite/worker', 'catalog/sqlite/search/search-worker', 'volume/hash-worker']

/** Returns the command that runs a module like the binary: the runtime itself reads no `.env`. */
export const commandOf = (main: string): string[] => [process.execPath, '--no-env-file', main]

let main: string | undefined

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
export function bundledProgram(): string {
  main ??= bundleOnce()
  return main
}

function bundleOnce(): string {
  const folder = join(BUNDLES, hashOfSource())
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
  const { success, stdout, stderr } = Bun.spawnSync(commandOf(import.meta.path).concat(built))
  if (!success) throw new Error(`The program cannot be bundled: ${stdout}${stderr}`)
  try {
    renameSync(built, folder)
  } catch {
    // Another worker was first.
    rmSync(built, { recursive: true })
  }
  return file
}

/** Hashes everything that a bundle depends on, and the place that it links to. */
function hashOfSource(): string {
  const hash = new Bun.CryptoHasher('sha256')
  hash.update(`${Bun.version} ${ROOT}`)
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

async function bundle(folder: string): Promise<void> {
  const { success, logs } = await Bun.build({
    entrypoints: ['main', ...THREADS].map((name) => join(ROOT, 'src', `${name}.ts`)),
    root: join(ROOT, 'src'),
    target: 'bun',
    // Bytecode takes this format.
    format: 'cjs',
    bytecode: true,
    outdir: folder,
    external: ['@node-rs/argon2'],
  })
  if (!success) throw new Error(logs.join('\n'))
  for (const thread of THREADS) {
    renameSync(join(folder, `${thread}.js`), join(folder, `${thread.slice(thread.lastIndexOf('/') + 1)}.ts`))
  }
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
}

if (import.meta.main) await bundle(process.argv.at(-1) ?? '')
