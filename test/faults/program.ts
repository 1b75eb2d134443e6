import { readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dir, '../..')

/** Limit of rows past which the catalog's own thread commits, and a lower one that every import passes. */
const FEW_ROWS = { source: 'FEW_ROWS = 250', small: 'FEW_ROWS = 5' }

/**
 * Writes a main module beside `program` whose catalog commits every import on its own thread: an import past the real
 * limit would have thousands of positions.
 *
 * @returns Path of the module.
 */
export function withFewRows(program: string): string {
  const parts = readFileSync(program, 'utf8').split(FEW_ROWS.source)
  if (parts.length !== 2)
    throw new Error(`"${FEW_ROWS.source}" is ${parts.length - 1} times in the server, not once`)
  const path = program.replace(/\.js$/, '-few-rows.js')
  writeFileSync(path, parts.join(FEW_ROWS.small))
  return path
}

/**
 * Bundles the server and its threads into one folder, with bytecode: it starts in half the CPU time of the source, and
 * a rig starts thousands of servers.
 *
 * @returns Path of the main module.
 */
export async function bundleProgram(folder: string): Promise<string> {
  const threads = ['catalog/sqlite/worker', 'volume/hash-worker']
  const { success, logs } = await Bun.build({
    entrypoints: ['main', ...threads].map((name) => join(ROOT, 'src', `${name}.ts`)),
    root: join(ROOT, 'src'),
    target: 'bun',
    // Bytecode takes this format.
    format: 'cjs',
    bytecode: true,
    outdir: folder,
    external: ['@node-rs/argon2'],
  })
  if (!success) throw new Error(`The server cannot be bundled: ${logs.join('\n')}`)
  for (const thread of threads) {
    renameSync(join(folder, `${thread}.js`), join(folder, `${thread.slice(thread.lastIndexOf('/') + 1)}.ts`))
  }
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  return join(folder, 'main.js')
}
