import { createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { alternativeNames, der, OID, sequence, TAG } from '../der.ts'

/** Creates a private key on P-256. */
export const newKey = (): KeyObject => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey

/** Writes a private key in PEM. */
export const keyText = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString()

/** Builds the request for a certificate with these names (PKCS #10, RFC 2986), in DER. */
export function certificateRequest(names: readonly string[], key: KeyObject): Buffer {
  const extensions = sequence(OID.extensionRequest, der(TAG.set, sequence(alternativeNames(names))))
  const info = sequence(
    der(TAG.integer, Buffer.from([0])),
    sequence(),
    createPublicKey(key).export({ type: 'spki', format: 'der' }),
    der(0xa0, extensions),
  )
  const signature = der(TAG.bitString, Buffer.from([0]), sign('sha256', info, key))
  return sequence(info, sequence(OID.ecdsaWithSha256), signature)
}
