import { type ClientOptions, Connection, callsAt } from './connection.ts'
import type * as Api from './types.ts'

/**
 * Returns the calls of `/api/auth/passkey`, for pages: options and answers are those of `navigator.credentials` in JSON. A
 * client of its own, so that a page which has no passkeys does not load it.
 */
export function createPasskeyClient(options: ClientOptions) {
  const { get, post } = callsAt(new Connection(options), 'api/auth/passkey')
  return {
    creationOptions: () => get<Api.PasskeyCreationOptions>({}, '/generate-register-options'),
    add: (response: Api.PasskeyAttestation, name: string) =>
      post<Api.Passkey>({ response, name }, '/verify-registration'),
    requestOptions: (purpose: Api.PasskeyPurpose) =>
      get<Api.PasskeyRequestOptions>({ purpose }, '/generate-authenticate-options'),
    signIn: (proof: Api.PasskeyProof) => post<Api.PasskeySession>(proof, '/verify-authentication'),
    rename: (id: string, name: string) => post<{ passkey: Api.Passkey }>({ id, name }, '/update-passkey'),
    delete: (id: string) => post<{ status: true }>({ id }, '/delete-passkey'),
    /** Asks for a passkey after the password, or no longer. */
    askAfterPassword: (enabled: boolean) => post<{ status: true }>({ enabled }, '/second-factor'),
  }
}
