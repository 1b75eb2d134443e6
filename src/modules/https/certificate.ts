import { createPrivateKey, X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import { createSecureContext } from 'node:tls'

/** Certificate that was checked, and what it says. */
export interface Certificate {
  /** The certificate and its chain, in PEM. */
  cert: string
  /** Private key, in PEM. */
  key: string
  /** Names as they stand in it. */
  names: ReadonlySet<string>
  /** Id for renewal information; `undefined` when it has none. */
  renewalId: string | undefined
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
    names: new Set([...(leaf.subjectAltName ?? '').matchAll(/DNS:([^,\s]+)/g)].map(([, name = '']) => name)),
    renewalId: renewalIdOf(leaf),
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

/** Matches the extension with the id of the issuer's key (RFC 5280 §4.2.1.1), in hex. */
const ISSUER_KEY = /0603551d23(?:0101ff)?04..30..80(..)/

/** Returns the id of a certificate for renewal information (RFC 9773 §4.1); `undefined` when it does not name its issuer's key. */
function renewalIdOf({ raw, serialNumber }: X509Certificate): string | undefined {
  const found = ISSUER_KEY.exec(raw.toString('hex'))
  if (!found?.[1]) return undefined
  const start = (found.index + found[0].length) / 2
  const issuer = raw.subarray(start, start + Number.parseInt(found[1], 16))
  // A first byte with its high bit set would be a negative number in DER.
  const serial = Buffer.from(/^[89a-f]/i.test(serialNumber) ? `00${serialNumber}` : serialNumber, 'hex')
  return `${issuer.toString('base64url')}.${serial.toString('base64url')}`
}

/** Time before the end of a certificate in which it should have been renewed: a week, or a fifth of a shorter life. */
const WEEK_MS = 7 * 86_400_000

/** Returns true when a certificate has expired, or should have been renewed. */
export const isLate = ({ startsAt, expiresAt }: Certificate, now: number): boolean =>
  now >= expiresAt - Math.min(WEEK_MS, (expiresAt - startsAt) / 5)
