import { createCipheriv, createDecipheriv } from 'node:crypto'
import type { Random } from './random.ts'

const CIPHER = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** Key of 32 bytes, and what is encrypted: it can be decrypted as that only. */
interface Purpose {
  key: Uint8Array
  subject: string
}

/** Encrypts bytes or a text. Each result is another one. */
export function seal(
  { random }: { random: Random },
  { key, subject }: Purpose,
  sent: Uint8Array | string,
): string {
  const nonce = random.bytes(NONCE_BYTES)
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(subject))
  const encrypted = [cipher.update(Buffer.from(sent)), cipher.final()]
  return Buffer.concat([nonce, ...encrypted, cipher.getAuthTag()]).toString('base64url')
}

/** Decrypts what `seal` returned; `undefined` for anything else. */
export function unseal({ key, subject }: Purpose, text: string): Uint8Array | undefined {
  const sealed = Buffer.from(text, 'base64url')
  try {
    const decipher = createDecipheriv(CIPHER, key, sealed.subarray(0, NONCE_BYTES))
      .setAAD(Buffer.from(subject))
      .setAuthTag(sealed.subarray(-TAG_BYTES))
    return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()])
  } catch {
    return undefined
  }
}
