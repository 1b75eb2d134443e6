import { generateKeyPairSync, sign } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { alternativeNames, der, OID, pem, sequence, TAG } from '../../src/modules/https/der.ts'
import { temporaryFolder } from './temporary.ts'

const UTC_TIME = 0x17
const SIGNATURE = sequence(OID.ecdsaWithSha256)

/** Encodes a time as RFC 5280 §4.1.2.5.1 does until 2049. */
const utcTime = (time: number) =>
  der(UTC_TIME, Buffer.from(`${new Date(time).toISOString().replace(/\D/g, '').slice(2, 14)}Z`))

/** Extension that names the key of the issuer. */
const ISSUER_KEY = sequence(
  Buffer.from('0603551d23', 'hex'),
  der(TAG.octetString, sequence(der(0x80, Buffer.from('the key of the issuer')))),
)

const DAY_MS = 86_400_000
let serial = 0

/** Matches a public key on P-256 in DER, as in a request for a certificate. */
const PUBLIC_KEY = /3059301306072a8648ce3d020106082a8648ce3d030107034200.{130}/

/**
 * Makes a certificate that signs itself, for the names and for 127.0.0.1. Returns PEM.
 *
 * @param validity Days from now until it begins and until it expires; a request in DER, whose key it certifies in place of
 * its own.
 */
export function selfSigned(
  names: readonly string[],
  { from = -1, days = 90, csr }: { from?: number; days?: number; csr?: Buffer } = {},
): { cert: string; key: string } {
  serial += 1
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const commonName = Buffer.from('0603550403', 'hex')
  const name = sequence(
    der(TAG.set, sequence(commonName, der(TAG.utf8String, Buffer.from(`test ${serial}`)))),
  )
  const address = der(0x87, Buffer.from([127, 0, 0, 1]))
  const body = sequence(
    der(0xa0, der(TAG.integer, Buffer.from([2]))),
    der(TAG.integer, Buffer.from([1, serial])),
    SIGNATURE,
    name,
    sequence(utcTime(Date.now() + from * DAY_MS), utcTime(Date.now() + days * DAY_MS)),
    name,
    csr
      ? Buffer.from(PUBLIC_KEY.exec(csr.toString('hex'))?.[0] ?? '', 'hex')
      : publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(alternativeNames(names, address), ISSUER_KEY)),
  )
  const signature = sign('sha256', body, privateKey)
  return {
    cert: pem('CERTIFICATE', sequence(body, SIGNATURE, der(TAG.bitString, Buffer.from([0]), signature))),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}

/** Certificate in two files, which a test replaces. */
export interface CertificateFiles extends Disposable {
  /** Variables of a server that uses them. */
  environment: Record<string, string>
  write: (pair: { cert: string; key: string }) => void
}

/** Writes a certificate for `names` into a folder of its own. */
export function certificateFiles(...names: readonly string[]): CertificateFiles {
  const folder = temporaryFolder()
  const [cert, key] = ['cert.pem', 'key.pem'].map((name) => join(folder.path, name)) as [string, string]
  const write: CertificateFiles['write'] = (pair) => {
    writeFileSync(cert, pair.cert)
    writeFileSync(key, pair.key)
  }
  write(selfSigned(names))
  return {
    environment: { BASE_URL: 'https://holdfast.test', HTTPS_PORT: '0', TLS_CERT: cert, TLS_KEY: key },
    write,
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  }
}
