import { createHmac, timingSafeEqual } from 'node:crypto'

/** Time for which a code is shown, in milliseconds. */
const STEP_MS = 30_000
const DIGITS = 6

/** Returns the code of a step: HOTP (RFC 4226, section 5.3) with SHA-1, as authenticator apps expect. */
export function codeOf(secret: Uint8Array, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', secret).update(counter).digest()
  const offset = mac.readUInt8(mac.length - 1) & 0x0f
  const number = mac.readUInt32BE(offset) & 0x7fff_ffff
  return String(number % 10 ** DIGITS).padStart(DIGITS, '0')
}

/** Returns the step of a time (RFC 6238, section 4.2). */
export const stepAt = (epochMs: number): number => Math.floor(epochMs / STEP_MS)

/**
 * Returns the step that a code belongs to: the current one or one beside it, because clocks differ. Steps up to `lastStep`
 * are used up.
 */
export function stepOf(
  secret: Uint8Array,
  code: string,
  { now, lastStep }: { now: number; lastStep: number },
): number | undefined {
  const sent = Buffer.from(code.replaceAll(/\s/g, ''))
  const current = stepAt(now)
  return [current - 1, current, current + 1]
    .filter((step) => step > lastStep)
    .find((step) => sent.length === DIGITS && timingSafeEqual(sent, Buffer.from(codeOf(secret, step))))
}

/** Alphabet of base32 (RFC 4648, section 6). */
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

function base32(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  return (bits.match(/.{1,5}/g) ?? []).map((five) => BASE32[Number.parseInt(five.padEnd(5, '0'), 2)]).join('')
}

/** Returns the address that authenticator apps read from a QR code. */
export function addressOf(
  secret: Uint8Array,
  { issuer, account }: { issuer: string; account: string },
): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`
  // Algorithm, digits and period are what apps assume, and would make the QR code finer.
  return `otpauth://totp/${label}?secret=${base32(secret)}&issuer=${encodeURIComponent(issuer)}`
}
