import { hkdfSync } from 'node:crypto'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Random } from '../deps.ts'
import { errorCode } from '../errors.ts'
import { syncPath } from '../volume/layout.ts'

/** Keys derived from `AUTH_SECRET`, one for each purpose, so that none can stand in for another. */
export interface Secrets {
  /** Signs the session cookie. */
  cookie: string
  /** Signs hosting links. */
  link: Uint8Array
  /** Tells whether the secret is still the one it was. */
  fingerprint: string
}

/** HKDF-SHA256 (RFC 5869) of the instance's secret, with the purpose as its info. */
export function deriveSecrets(authSecret: string): Secrets {
  const derive = (purpose: string) => new Uint8Array(hkdfSync('sha256', authSecret, 'holdfast', purpose, 32))
  const deriveText = (purpose: string) => Buffer.from(derive(purpose)).toString('hex')
  return {
    cookie: deriveText('session cookie'),
    link: derive('signed link'),
    fingerprint: deriveText('fingerprint'),
  }
}

/** The secret kept in the data folder, made on the first start. Only the owner may read the file. */
export function keptSecret(dataPath: string, random: Random): string {
  const path = join(dataPath, 'secret')
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
