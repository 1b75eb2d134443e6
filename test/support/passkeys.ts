import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { isoCBOR } from '@simplewebauthn/server/helpers'

/** Authenticator in script: it signs what a test asks for, right or wrong (WebAuthn, section 6). */

interface Asked {
  challenge: string
  /** Domain of the relying party. */
  rpId: string
}

/** Parts of an answer that differ from those of an honest authenticator. */
export interface Twist {
  origin?: string
  challenge?: string
  rpId?: string
  type?: string
  /** False for an authenticator that did not ask for a finger or a PIN. */
  isVerified?: boolean
  counter?: number
  /** Account that the passkey says to be of. */
  userHandle?: string | null
  /** Bytes that are signed in place of the right ones. */
  signed?: Uint8Array
  /** Format and statement about the authenticator's maker. */
  attestation?: [format: string, statement: Map<string, unknown>]
}

const url64 = (bytes: Uint8Array | string) => Buffer.from(bytes).toString('base64url')
const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest()

const PRESENT = 0x01
const VERIFIED = 0x04
const NEW = 0x40

/** Algorithms of its keys, by their numbers in COSE. */
const KEYS = {
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  EdDSA: () => generateKeyPairSync('ed25519'),
  RS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
}

export class Authenticator {
  readonly id = url64(crypto.getRandomValues(new Uint8Array(32)))
  readonly #origin: string
  readonly #keys: { privateKey: KeyObject; publicKey: KeyObject }
  /** Signatures so far; null for an authenticator that does not count. */
  counter: number | null = 0
  userHandle = ''

  constructor(origin: string, algorithm: keyof typeof KEYS = 'ES256') {
    this.#origin = origin
    this.#keys = KEYS[algorithm]()
  }

  /** Creates a passkey, as `navigator.credentials.create()` does. */
  create(asked: { challenge: string; rp: { id: string }; user: { id: string } }, twist: Twist = {}) {
    this.userHandle = asked.user.id
    const id = Buffer.from(this.id, 'base64url')
    const attested = Buffer.concat([new Uint8Array(16), uint16(id.length), id, this.#coseKey()])
    const authData = this.#data({ challenge: asked.challenge, rpId: asked.rp.id }, twist, attested)
    const [fmt, attStmt] = twist.attestation ?? ['none', new Map()]
    const entries = new Map<string, unknown>([
      ['fmt', fmt],
      ['attStmt', attStmt],
      ['authData', new Uint8Array(authData)],
    ])
    const response = {
      clientDataJSON: this.#clientData('webauthn.create', asked.challenge, twist),
      attestationObject: url64(isoCBOR.encode(entries as Parameters<typeof isoCBOR.encode>[0])),
      transports: ['internal', 'carrier pigeon'],
    }
    return { id: this.id, rawId: this.id, type: 'public-key', response }
  }

  /** Answers a challenge, as `navigator.credentials.get()` does. */
  get(asked: Asked, twist: Twist = {}) {
    if (this.counter !== null) this.counter += 1
    const authenticatorData = this.#data(asked, twist)
    const clientDataJSON = this.#clientData('webauthn.get', asked.challenge, twist)
    const signed = Buffer.concat([authenticatorData, sha256(Buffer.from(clientDataJSON, 'base64url'))])
    const digest = this.#keys.privateKey.asymmetricKeyType === 'ed25519' ? null : 'sha256'
    const response = {
      clientDataJSON,
      authenticatorData: url64(authenticatorData),
      signature: url64(sign(digest, twist.signed ?? signed, this.#keys.privateKey)),
      userHandle: twist.userHandle === undefined ? this.userHandle : twist.userHandle,
    }
    return { id: this.id, rawId: this.id, type: 'public-key', response }
  }

  #clientData(type: string, challenge: string, twist: Twist): string {
    const data = { type, challenge, origin: this.#origin, crossOrigin: false }
    const told = { type: twist.type, challenge: twist.challenge, origin: twist.origin }
    const changed = Object.entries(told).filter(([, value]) => value !== undefined)
    return url64(JSON.stringify({ ...data, ...Object.fromEntries(changed) }))
  }

  #data({ rpId }: Asked, { rpId: other, isVerified = true, counter }: Twist, attested?: Uint8Array): Buffer {
    const flags = PRESENT | (isVerified ? VERIFIED : 0) | (attested ? NEW : 0)
    const count = uint32(counter ?? this.counter ?? 0)
    return Buffer.concat([sha256(other ?? rpId), Uint8Array.of(flags), count, attested ?? new Uint8Array()])
  }

  /** Returns the public key in COSE (RFC 9053). */
  #coseKey(): Uint8Array {
    const { kty, x, y, n, e } = this.#keys.publicKey.export({ format: 'jwk' })
    const bytes = (text: string | undefined) => new Uint8Array(Buffer.from(text ?? '', 'base64url'))
    if (kty === 'RSA')
      return isoCBOR.encode(
        new Map<number, number | Uint8Array>([
          [1, 3],
          [3, -257],
          [-1, bytes(n)],
          [-2, bytes(e)],
        ]),
      )
    const isEd25519 = kty === 'OKP'
    const key = new Map<number, number | Uint8Array>([
      [1, isEd25519 ? 1 : 2],
      [3, isEd25519 ? -8 : -7],
      [-1, isEd25519 ? 6 : 1],
      [-2, bytes(x)],
    ])
    if (!isEd25519) key.set(-3, bytes(y))
    return isoCBOR.encode(key)
  }
}

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16BE(value)
  return bytes
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
