import type {
  PasskeyAssertion,
  PasskeyAttestation,
  PasskeyCreationOptions,
  PasskeyRequestOptions,
} from '../../client/index.ts'

/**
 * Conversions between JSON and the browser's API of passkeys (WebAuthn Level 3, sections 5.1.8 to 5.1.10). Older browsers do
 * not have their own, and those of newer ones refuse the credentials of some password managers.
 */

const bytesOf = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (byte) => byte.charCodeAt(0))

const textOf = (bytes: ArrayBuffer): string =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')

const TRANSPORTS: readonly string[] = [
  'ble',
  'hybrid',
  'internal',
  'nfc',
  'usb',
] satisfies AuthenticatorTransport[]
const isTransport = (name: string): name is AuthenticatorTransport => TRANSPORTS.includes(name)

const known = (credentials: PasskeyRequestOptions['allowCredentials']) =>
  credentials.map(({ id, type, transports }) => ({
    id: bytesOf(id),
    type,
    transports: transports.filter(isTransport),
  }))

/** Returns options for `navigator.credentials.get()`. */
export const readRequest = (options: PasskeyRequestOptions): PublicKeyCredentialRequestOptions => ({
  ...options,
  challenge: bytesOf(options.challenge),
  allowCredentials: known(options.allowCredentials),
})

/** Returns options for `navigator.credentials.create()`. */
export const readCreation = (options: PasskeyCreationOptions): PublicKeyCredentialCreationOptions => ({
  ...options,
  challenge: bytesOf(options.challenge),
  user: { ...options.user, id: bytesOf(options.user.id) },
  excludeCredentials: known(options.excludeCredentials),
})

const idsOf = ({ id, rawId }: PublicKeyCredential) =>
  ({ id, rawId: textOf(rawId), type: 'public-key' }) as const

/** Returns the answer of an authenticator to a request. */
export function writeAssertion(credential: PublicKeyCredential): PasskeyAssertion {
  const { response } = credential
  if (!(response instanceof AuthenticatorAssertionResponse))
    throw new Error('The credential has no signature')
  const { clientDataJSON, authenticatorData, signature, userHandle } = response
  return {
    ...idsOf(credential),
    response: {
      clientDataJSON: textOf(clientDataJSON),
      authenticatorData: textOf(authenticatorData),
      signature: textOf(signature),
      userHandle: userHandle?.byteLength ? textOf(userHandle) : null,
    },
  }
}

/** Returns a new credential. */
export function writeAttestation(credential: PublicKeyCredential): PasskeyAttestation {
  const { response } = credential
  if (!(response instanceof AuthenticatorAttestationResponse)) throw new Error('The credential is not new')
  return {
    ...idsOf(credential),
    response: {
      clientDataJSON: textOf(response.clientDataJSON),
      attestationObject: textOf(response.attestationObject),
      transports: response.getTransports?.() ?? [],
    },
  }
}
