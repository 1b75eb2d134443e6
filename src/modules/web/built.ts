import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Assets, assetsFrom, MANIFEST } from '../../api/assets.ts'
import { errorCode } from '../../platform/errors.ts'

const BUILT = join(import.meta.dir, '../../../dist/dashboard')

/**
 * Returns the dashboard as built by `bun run build:dashboard`; nothing when it was not built. Its files are in memory,
 * because a later build replaces them. A binary replaces this module by one with the same files embedded.
 */
export function builtAssets(): Assets {
  try {
    const manifest = JSON.parse(readFileSync(join(BUILT, MANIFEST), 'utf8'))
    const files = new Map(
      readdirSync(BUILT).map((name) => [name, new Uint8Array(readFileSync(join(BUILT, name)))]),
    )
    return assetsFrom(manifest, (name) => files.get(name) ?? new Uint8Array())
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return new Map()
    throw error
  }
}
