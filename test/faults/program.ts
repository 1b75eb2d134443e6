import { renameSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dir, '../..')

/**
 * Bundles the server, because a bundle starts twice as fast as the source. Its threads are bundled beside
 * it, where the bundle looks for them.
 *
 * @returns The path of its main module.
 */
export async function bundleProgram(folder: string): Promise<string> {
  const threads = ['catalog/worker', 'volume/hash-worker']
  const { success, logs } = await Bun.build({
    entrypoints: ['main', ...threads].map((name) => join(ROOT, 'src', `${name}.ts`)),
    root: join(ROOT, 'src'),
    target: 'bun',
    outdir: folder,
    external: ['@node-rs/argon2'],
  })
  if (!success) throw new Error(`The server cannot be bundled: ${logs.join('\n')}`)
  for (const thread of threads) {
    renameSync(join(folder, `${thread}.js`), join(folder, `${thread.slice(thread.indexOf('/') + 1)}.ts`))
  }
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  return join(folder, 'main.js')
}
