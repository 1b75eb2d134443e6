import { hkdfSync } from 'node:crypto'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Random } from '../deps.ts'
import { errorCode } from '../errors.ts'
import { SECRET, syncPath } from '../volume/layout.ts'

/** Keys derived from `AUTH_SECRET`, one for each purpose, so that none can stand in for another. */
export interface Secrets {
  /** Signs the session cookie. */
  cookie: string
  /** Signs hosting links. */
  link: Uint8Array
}

/** HKDF-SHA256 (RFC 5869) of the instance's secret, with the purpose as its info. */
export function deriveSecrets(authSecret: string): Secrets {
  const derive = (purpose: string) => new Uint8Array(hkdfSync('sha256', authSecret, 'holdfast', purpose, 32))
  return { cookie: Buffer.from(derive('session cookie')).toString('hex'), link: derive('signed link') }
}

/** The secret kept in the data folder, made on the first start. Only the owner may read the file. */
export function keptSecret(dataPath: string, random: Random): string {
  const path = join(dataPath, SECRET)
  try {
    return readFileSync(path, 'utf8').trim()
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
  }
  const secret = Buffer.from(random.bytes(32)).toString('hex')
  writeFileSync(`${path}.new`, `${secret}\n`, { mode: 0o600 })
  syncPath(`${path}.new`)
  renameSync(`${path}.new`, path)
  syncPath(dataPath)
  return secret
}
