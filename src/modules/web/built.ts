import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Assets, assetsFrom, MANIFEST } from '../../api/assets.ts'
import { errorCode } from '../../platform/errors.ts'

const BUILT = join(import.meta.dir, '../../../dist/dashboard')

/**
 * Returns the dashboard as built by `bun run build:dashboard`; nothing when it was not built. A binary
 * replaces this module by one with the same files embedded.
 */
export function builtAssets(): Assets {
  const read = (file: string) => new Uint8Array(readFileSync(join(BUILT, file)))
  try {
    return assetsFrom(JSON.parse(readFileSync(join(BUILT, MANIFEST), 'utf8')), read)
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return new Map()
    throw error
  }
}
