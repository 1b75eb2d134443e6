import { createPrivateKey, X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import { createSecureContext } from 'node:tls'

/** Certificate that was checked, and what it says. */
export interface Certificate {
  /** The certificate and its chain, in PEM. */
  cert: string
  /** Private key, in PEM. */
  key: string
  /** Returns true for a host, without its port, that it is valid for. */
  isFor: (host: string) => boolean
  startsAt: number
  expiresAt: number
}

/**
 * Parses a certificate with its chain, and its private key, both in PEM.
 *
 * @throws {Error} when they cannot be read or do not belong together.
 */
export function parseCertificate(cert: string, key: string): Certificate {
  const leaf = readable('certificate', () => new X509Certificate(cert))
  const privateKey = readable('private key', () => createPrivateKey(key))
  if (!leaf.checkPrivateKey(privateKey)) throw new Error('the private key is not that of the certificate')
  readable('chain of the certificate', () => createSecureContext({ cert, key }))
  return {
    cert,
    key,
    isFor: (host) => {
      const name = host.replace(/^\[|\]$/g, '')
      return (isIP(name) ? leaf.checkIP(name) : leaf.checkHost(name)) !== undefined
    },
    startsAt: Date.parse(leaf.validFrom),
    expiresAt: Date.parse(leaf.validTo),
  }
}

function readable<Value>(what: string, read: () => Value): Value {
  try {
    return read()
  } catch (cause) {
    throw new Error(`the ${what} is not readable PEM`, { cause })
  }
}

/** Time before the end of a certificate in which it should have been renewed: a week, or a fifth of a shorter life. */
const WEEK_MS = 7 * 86_400_000

/** Returns true when a certificate has expired, or should have been renewed. */
export const isLate = ({ startsAt, expiresAt }: Certificate, now: number): boolean =>
  now >= expiresAt - Math.min(WEEK_MS, (expiresAt - startsAt) / 5)
