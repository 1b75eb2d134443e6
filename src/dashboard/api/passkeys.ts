import {
  createPasskeyClient,
  HoldfastError,
  type Passkey,
  type PasskeyAssertion,
  type PasskeyPurpose,
} from '../../client/index.ts'
import { passkeyTexts } from '../texts/passkeys.ts'
import { client } from './client.ts'
import { refreshing } from './query.ts'
import { enter } from './session.ts'
import { readFactors } from './ways-in.ts'
import { readCreation, readRequest, writeAssertion, writeAttestation } from './webauthn.ts'

const passkeys = createPasskeyClient({ url: location.origin })

/** Returns the reason why the browser has no passkeys here; undefined when it has. */
export function whyNoPasskeys(): 'http' | 'address' | 'browser' | undefined {
  if (/^[\d.]+$|^\[/.test(location.hostname)) return 'address'
  if (!isSecureContext) return 'http'
  return 'PublicKeyCredential' in window ? undefined : 'browser'
}

/** Returns true in a browser that suggests passkeys in a form. */
export const maySuggest = async (): Promise<boolean> =>
  (await PublicKeyCredential.isConditionalMediationAvailable?.()) === true

interface Asked {
  mediation?: CredentialMediationRequirement
  signal?: AbortSignal
}

/**
 * Asks the browser for a passkey, and sends its answer.
 *
 * @returns False when the person has changed their mind.
 * @throws {HoldfastError} in the words of the dashboard.
 */
async function ask<Answer>(
  purpose: PasskeyPurpose,
  { mediation, signal }: Asked,
  send: (response: PasskeyAssertion) => Promise<Answer>,
): Promise<boolean> {
  const options = await passkeys.requestOptions(purpose).catch(inWords)
  const credential = await navigator.credentials
    .get({ publicKey: readRequest(options), ...(mediation && { mediation }), ...(signal && { signal }) })
    // A suggestion that the browser cannot make was not asked for.
    .catch((error: unknown) => (mediation === 'conditional' ? null : unlessLeft(error)))
  if (!(credential instanceof PublicKeyCredential)) return false
  await send(writeAssertion(credential)).catch((error: unknown) => {
    if (error instanceof HoldfastError && error.code === 'passkey-not-found')
      forgetPasskey(options.rpId, credential.id)
    return inWords(error)
  })
  return true
}

/** Signals to the browser that a passkey is unknown here, so that it stops suggesting it. */
export function forgetPasskey(rpId: string, credentialId: string): void {
  void PublicKeyCredential.signalUnknownCredential?.({ rpId, credentialId }).catch(() => {})
}

/** Returns nothing when the person, or this page, has closed the browser's dialog. @throws {HoldfastError} otherwise. */
function unlessLeft(error: unknown): null {
  if (error instanceof DOMException && error.name === 'InvalidStateError')
    throw new HoldfastError(passkeyTexts.errors['previously-registered'], { status: 400 })
  if (error instanceof DOMException && ['NotAllowedError', 'AbortError', 'TimeoutError'].includes(error.name))
    return null
  throw new HoldfastError(passkeyTexts.refused, { status: 400 })
}

/** @throws {HoldfastError} with the sentence for its code, if there is one. */
export function inWords(error: unknown): never {
  const said = error instanceof HoldfastError ? SENTENCES.get(error.code) : undefined
  throw said === undefined ? error : new HoldfastError(said, { status: 400 })
}

const SENTENCES = new Map<string | undefined, string>(Object.entries(passkeyTexts.errors))

/** Signs in by a passkey alone. Returns false when the person has changed their mind. */
export async function signInByPasskey({ isRemembered, ...asked }: Asked & { isRemembered: () => boolean }) {
  const isIn = await ask('sign-in', asked, (response) =>
    passkeys.signIn({ response, rememberMe: isRemembered() }),
  )
  if (isIn) await enter()
  return isIn
}

/** Finishes signing in by a passkey after the password. */
export async function enterByPasskey(trustDevice: boolean): Promise<void> {
  const isIn = await ask('second-step', {}, (response) => passkeys.signIn({ response, trustDevice }))
  if (isIn) await enter()
}

/** Confirms the session by a passkey. Returns false when the person has changed their mind. */
export const confirmByPasskey = () => ask('confirm', {}, (response) => client.auth.confirm({ response }))

/** Adds a passkey of this browser. Returns false when the person has changed their mind. */
export async function addPasskey(name: string): Promise<boolean> {
  const options = await passkeys.creationOptions().catch(inWords)
  const credential = await navigator.credentials
    .create({ publicKey: readCreation(options) })
    .catch(unlessLeft)
  if (!(credential instanceof PublicKeyCredential)) return false
  await passkeys.add(writeAttestation(credential), name).catch(inWords)
  await readFactors()
  return true
}

export const renamePasskey = refreshing(passkeys.rename, 'ways-in')
export const askAfterPassword = refreshing(passkeys.askAfterPassword, 'ways-in')

/** Deletes a passkey, here and in the suggestions of this browser. */
export async function deletePasskey({ id, credentialID }: Passkey): Promise<void> {
  await refreshing(passkeys.delete, 'ways-in')(id)
  if (!whyNoPasskeys()) forgetPasskey(location.hostname, credentialID)
}
