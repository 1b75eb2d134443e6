import { isIP } from 'node:net'
import type { Config } from '../../../platform/config.ts'
import type { PasskeyRow } from '../../../store/rows.ts'
import { type Assertion, type Attestation, TRANSPORTS } from './model.ts'

/** Instance as authenticators know it (WebAuthn, section 4). */
export interface RelyingParty {
  /** Domain that passkeys are bound to. */
  id: string
  /** Origins of the pages that may use them. */
  origins: string[]
}

/** Returns the relying party; undefined where browsers have no passkeys: without https, and at an IP address. */
export function relyingPartyOf({
  baseUrl,
  trustedOrigins,
}: Pick<Config, 'baseUrl' | 'trustedOrigins'>): RelyingParty | undefined {
  const { protocol, hostname: id } = new URL(baseUrl)
  const isAddress = isIP(id.replace(/^\[|\]$/g, '')) !== 0
  if (isAddress || (protocol !== 'https:' && id !== 'localhost')) return undefined
  return { id, origins: [baseUrl, ...trustedOrigins.filter((origin) => origin.startsWith('https://'))] }
}

/** Signature algorithms of passkeys, the first preferred: ES256, EdDSA and RS256 (IANA COSE Algorithms). */
export const ALGORITHMS = [-7, -8, -257]

/** Loads the library when the first passkey is verified: it takes 20 MB of memory. */
const library = () => import('@simplewebauthn/server')

/** Credential of a new passkey. */
export type Credential = Pick<PasskeyRow, 'credentialId' | 'publicKey' | 'counter' | 'transports'>

/** Returns the credential that an authenticator has created; undefined when any check fails (WebAuthn, section 7.1). */
export async function verifyAttestation(
  party: RelyingParty,
  challenge: string,
  sent: Attestation,
): Promise<Credential | undefined> {
  const { verifyRegistrationResponse } = await library()
  try {
    const attestationObject = await withoutStatement(sent.response.attestationObject)
    const response = { clientDataJSON: sent.response.clientDataJSON, attestationObject }
    const { registrationInfo } = await verifyRegistrationResponse({
      response: { ...sent, response, clientExtensionResults: {} },
      expectedChallenge: challenge,
      expectedOrigin: party.origins,
      expectedRPID: party.id,
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    })
    if (!registrationInfo) return undefined
    const { id: credentialId, publicKey, counter } = registrationInfo.credential
    const transports = TRANSPORTS.filter((known) => sent.response.transports?.includes(known))
    return { credentialId, publicKey: Buffer.from(publicKey).toString('base64url'), counter, transports }
  } catch {
    return undefined
  }
}

/**
 * Returns an attestation object without the statement about the authenticator's maker, which was not asked for. Its
 * certificates would be parsed, and may name addresses that the library would fetch.
 */
async function withoutStatement(attestationObject: string): Promise<string> {
  const { decodeAttestationObject, isoCBOR } = await import('@simplewebauthn/server/helpers')
  const decoded = decodeAttestationObject(new Uint8Array(Buffer.from(attestationObject, 'base64url')))
  const none = new Map<string, string | Map<string, string> | Uint8Array>([
    ['fmt', 'none'],
    ['attStmt', new Map()],
    ['authData', decoded.get('authData')],
  ])
  return Buffer.from(isoCBOR.encode(none)).toString('base64url')
}

/** Returns the counter that an authenticator has signed; undefined when any check fails (WebAuthn, section 7.2). */
export async function verifyAssertion(
  party: RelyingParty,
  challenge: string,
  { sent, passkey }: { sent: Assertion; passkey: PasskeyRow },
): Promise<number | undefined> {
  const { verifyAuthenticationResponse } = await library()
  const { userHandle, ...response } = sent.response
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: { ...sent, response, clientExtensionResults: {} },
      expectedChallenge: challenge,
      expectedOrigin: party.origins,
      expectedRPID: party.id,
      requireUserVerification: true,
      // The counter is compared where it is stored.
      credential: {
        id: passkey.credentialId,
        publicKey: new Uint8Array(Buffer.from(passkey.publicKey, 'base64url')),
        counter: 0,
      },
    })
    const isOwner = !userHandle || userHandle === handleOf(passkey.userId)
    return verified && isOwner ? authenticationInfo.newCounter : undefined
  } catch {
    return undefined
  }
}

/** Returns the account's id as authenticators store it. */
export const handleOf = (userId: string): string => Buffer.from(userId).toString('base64url')
