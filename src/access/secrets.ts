import { hkdfSync } from 'node:crypto'
import { chmodSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { MIN_SECRET_LENGTH } from '../platform/environment.ts'
import { errorCode, StartError } from '../platform/errors.ts'
import type { Log } from '../platform/log.ts'
import type { Random } from '../platform/random.ts'
import { syncPath } from '../platform/sync-path.ts'
import { SECRET } from '../store/bytes.ts'

/** Keys derived from `AUTH_SECRET`, one for each purpose, so that none can stand in for another. */
export interface Secrets {
  /** Key that signs the session cookie. */
  cookie: string
  /** Key that signs hosting links. */
  link: Uint8Array
  /** Key that signs the cookies of shares. */
  share: Uint8Array
  /** Signs the cookies of visitors that opened a site with its password. */
  site: Uint8Array
  /** Key that signs upload links. */
  upload: Uint8Array
  /** Key that encrypts the secrets of authenticator apps. */
  authenticator: Uint8Array
  /** Key that encrypts positions in lists and streams. Their numbers count what is outside of what a caller reaches. */
  position: Uint8Array
  /** Key from which the secrets of API keys for the S3 API are made. */
  s3: Uint8Array
  /** Key that encrypts the private keys of certificates. */
  certificate: Uint8Array
  /** Value that changes with the secret. */
  fingerprint: string
}

/** Derives the keys with HKDF-SHA256 (RFC 5869) from the instance's secret, with the purpose as its info. */
export function deriveSecrets(authSecret: string): Secrets {
  const derive = (purpose: string) => new Uint8Array(hkdfSync('sha256', authSecret, 'holdfast', purpose, 32))
  const deriveText = (purpose: string) => Buffer.from(derive(purpose)).toString('hex')
  return {
    cookie: deriveText('session cookie'),
    link: derive('signed link'),
    share: derive('share cookie'),
    site: derive('site cookie'),
    upload: derive('upload link'),
    authenticator: derive('authenticator secrets'),
    position: derive('position'),
    s3: derive('s3 secret'),
    certificate: derive('certificate keys'),
    fingerprint: deriveText('fingerprint'),
  }
}

/**
 * Returns the secret in the data folder, which is created on the first start. Only the owner may read the
 * file: a wider mode is narrowed.
 *
 * @throws {StartError} when the file cannot be read or its secret is too weak.
 */
export function keptSecret(dataPath: string, { random, log }: { random: Random; log: Log }): string {
  const path = join(dataPath, SECRET)
  const secret = readSecret(path) ?? makeSecret(path, random)
  if ((statSync(path).mode & 0o077) !== 0) {
    narrow(path)
    log.info(`Others could read the secret "${path}": now only its owner can`)
  }
  return secret
}

const OWNER_ONLY = 0o600

function readSecret(path: string): string | undefined {
  let secret: string
  try {
    secret = readFileSync(path, 'utf8').trim()
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw new StartError(`Cannot read the secret "${path}": ${errorCode(error) ?? 'unknown error'}`, {
      cause: error,
    })
  }
  if (secret.length >= MIN_SECRET_LENGTH) return secret
  throw new StartError(
    `The secret "${path}" has fewer than ${MIN_SECRET_LENGTH} characters. Restore it from a backup, or delete it for a new one, which ends all sessions and signed links.`,
  )
}

function narrow(path: string): void {
  try {
    chmodSync(path, OWNER_ONLY)
  } catch (error) {
    throw new StartError(`Others can read the secret "${path}": set its mode to 600`, { cause: error })
  }
}

function makeSecret(path: string, random: Random): string {
  const secret = Buffer.from(random.bytes(32)).toString('hex')
  writeFileSync(`${path}.new`, `${secret}\n`, { mode: OWNER_ONLY })
  syncPath(`${path}.new`)
  renameSync(`${path}.new`, path)
  syncPath(dirname(path))
  return secret
}
