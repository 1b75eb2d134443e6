/** Tags of DER (X.690 §8) that certificates and requests for them use. */
export const TAG = {
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  utf8String: 0x0c,
  sequence: 0x30,
  set: 0x31,
} as const

/** Encodes a value with its tag and length. */
export function der(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const length = contents.reduce((sum, { length }) => sum + length, 0)
  const hex = length.toString(16)
  const bytes = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex')
  const head =
    length < 0x80 ? Buffer.from([length]) : Buffer.concat([Buffer.from([0x80 | bytes.length]), bytes])
  return Buffer.concat([Buffer.from([tag]), head, ...contents])
}

export const sequence = (...contents: readonly Uint8Array[]): Buffer => der(TAG.sequence, ...contents)

/** Object identifiers in DER. */
export const OID = {
  extensionRequest: Buffer.from('06092a864886f70d01090e', 'hex'),
  subjectAltName: Buffer.from('0603551d11', 'hex'),
  ecdsaWithSha256: Buffer.from('06082a8648ce3d040302', 'hex'),
} as const

/**
 * Encodes the names of a certificate as an extension (RFC 5280 §4.2.1.6).
 *
 * @param more Encoded names of other types.
 */
export const alternativeNames = (names: readonly string[], ...more: readonly Uint8Array[]): Buffer =>
  sequence(
    OID.subjectAltName,
    der(TAG.octetString, sequence(...names.map((name) => der(0x82, Buffer.from(name))), ...more)),
  )

/** Wraps bytes in PEM (RFC 7468). */
export const pem = (label: string, bytes: Uint8Array): string =>
  `-----BEGIN ${label}-----\n${Buffer.from(bytes).toString('base64').replace(/.{64}/g, '$&\n').trim()}\n-----END ${label}-----\n`
