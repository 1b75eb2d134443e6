import { type ExpectedDigests, expectedDigests } from '../http/digests.ts'
import { refuseInvalid } from '../platform/errors.ts'
import type { StagedFile } from '../store/bytes.ts'

/** Reads the digests that a request promises. @throws {Refusal} `invalid`. */
export function readDigests(headers: Headers): ExpectedDigests {
  const digests = expectedDigests(headers)
  if (digests) return digests
  throw refuseInvalid('"Content-Digest", "Repr-Digest" and "Content-MD5" must have digests in Base64')
}

/** Passes a body on, and compares its digests once it was received. */
export function checked(body: AsyncIterable<Uint8Array>, { sha256, md5 }: ExpectedDigests) {
  const hasher = md5.length > 0 ? new Bun.CryptoHasher('md5') : undefined
  async function* hashed(): AsyncGenerator<Uint8Array> {
    for await (const chunk of body) {
      hasher?.update(chunk)
      yield chunk
    }
  }
  const assertSame = (staged: StagedFile): void => {
    const actual = hasher?.digest()
    const isSame =
      sha256.every((digest) => digest.toString('hex') === staged.sha256) &&
      md5.every((digest) => actual?.equals(digest))
    if (!isSame) throw refuseInvalid('The bytes do not have the digest that was sent with them')
  }
  return { bytes: hasher ? hashed() : body, assertSame }
}
