import { createHash, createPublicKey, verify } from 'node:crypto'

/** Beginning of an Ed25519 key in DER (RFC 8410 §4). */
const DER = Buffer.from('302a300506032b6570032100', 'hex')
const ALGORITHM_BYTES = 2
const ID_BYTES = 8

const parse = (base64: string) => {
  const bytes = Buffer.from(base64, 'base64')
  const at = ALGORITHM_BYTES + ID_BYTES
  return {
    algorithm: bytes.toString('latin1', 0, ALGORITHM_BYTES),
    id: bytes.subarray(ALGORITHM_BYTES, at),
    rest: bytes.subarray(at),
  }
}

/** Matches a public key of minisign: the algorithm `Ed`, an id and 32 bytes, in Base64. */
export const PUBLIC_KEY = '^RW[A-Za-z0-9+/]{54}$'

/**
 * Asserts that a text was signed by minisign (https://jedisct1.github.io/minisign/#signature-format).
 *
 * @param signature Content of the `.minisig`, for the text itself or, as by default, for its BLAKE2b-512.
 * @throws when it was not, or by another key.
 */
export function assertSigned(text: string, signature: string, publicKey: string): void {
  const [, line = '', comment = '', global = ''] = signature.split(/\r?\n/)
  const { algorithm, id, rest: own } = parse(line)
  const known = parse(publicKey)
  const key = createPublicKey({ key: Buffer.concat([DER, known.rest]), format: 'der', type: 'spki' })
  const signed = algorithm === 'ED' ? createHash('blake2b512').update(text).digest() : Buffer.from(text)
  const trusted = Buffer.concat([own, Buffer.from(comment.replace(/^trusted comment: /, ''))])
  const isGenuine =
    id.equals(known.id) &&
    verify(null, signed, key, own) &&
    verify(null, trusted, key, Buffer.from(global, 'base64'))
  if (!isGenuine) throw new Error('It is not signed by the configured key')
}
