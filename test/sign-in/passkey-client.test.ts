import { afterAll, beforeAll, expect, test } from 'bun:test'
import { passkeyClient } from '@better-auth/passkey/client'
import { createAuthClient } from 'better-auth/client'
import { withInside } from '../support/fixture.ts'
import { ADMIN } from '../support/holdfast.ts'
import { jarOf } from '../support/jar.ts'
import { Authenticator } from '../support/passkeys.ts'

const ORIGIN = 'https://files.example.com'
const holdfast = withInside({ environment: { BASE_URL: ORIGIN, TRUSTED_ORIGINS: 'http://holdfast.test' } })

const key = new Authenticator(ORIGIN)
const text = (bytes: ArrayBuffer) => Buffer.from(bytes).toString('base64url')
const bytes = (text: string) => new Uint8Array(Buffer.from(text, 'base64url')).buffer

/** Returns a credential as `navigator.credentials` does, with bytes in place of text. */
const inBytes = ({ id, rawId, type, response }: ReturnType<Authenticator['create' | 'get']>) => ({
  ...{ id, type, rawId: bytes(rawId), getClientExtensionResults: () => ({}) },
  response: Object.fromEntries(
    Object.entries(response).map(([name, value]) => [name, typeof value === 'string' ? bytes(value) : value]),
  ),
})

interface Asked {
  publicKey: { challenge: ArrayBuffer; rpId: string; rp: { id: string }; user: { id: ArrayBuffer } }
}

const credentials = {
  create: async ({ publicKey: { challenge, rp, user } }: Asked) =>
    inBytes(key.create({ challenge: text(challenge), rp, user: { id: text(user.id) } })),
  get: async ({ publicKey: { challenge, rpId } }: Asked) =>
    inBytes(key.get({ challenge: text(challenge), rpId })),
}

beforeAll(() => {
  Object.assign(globalThis, { PublicKeyCredential: class {} })
  Object.defineProperty(navigator, 'credentials', { value: credentials, configurable: true })
})
afterAll(() => {
  Reflect.deleteProperty(globalThis, 'PublicKeyCredential')
  Reflect.deleteProperty(navigator, 'credentials')
})

function browserClient() {
  const jar = jarOf(holdfast, ORIGIN)
  const customFetchImpl = (input: unknown, init?: RequestInit) => {
    const { pathname, search } = new URL(String(input))
    return jar.fetch(pathname + search, init)
  }
  return createAuthClient({ baseURL: ORIGIN, plugins: [passkeyClient()], fetchOptions: { customFetchImpl } })
}

test('better-auth’s passkey client adds, lists, renames and deletes a passkey, and signs in with it', async () => {
  const client = browserClient()
  await client.signIn.email({ email: ADMIN.email, password: ADMIN.password })
  const added = await client.passkey.addPasskey({ name: 'Ring' })
  expect(added.error).toBeNull()
  expect(added.data).toMatchObject({ name: 'Ring', credentialID: key.id })

  const other = browserClient()
  const signedIn = await other.signIn.passkey()
  expect(signedIn.error).toBeNull()
  expect(signedIn.data?.user.email).toBe(ADMIN.email)
  expect((await other.getSession()).data?.session.id).toBe(signedIn.data?.session.id ?? 'none')

  const listed = await client.passkey.listUserPasskeys()
  const id = listed.data?.[0]?.id ?? ''
  expect((await client.passkey.updatePasskey({ id, name: 'Watch' })).data?.passkey.name).toBe('Watch')
  expect((await client.passkey.deletePasskey({ id })).data).toMatchObject({ status: true })
  expect((await client.passkey.listUserPasskeys()).data).toEqual([])

  const unknown = await browserClient().signIn.passkey()
  expect(unknown.error).toMatchObject({ status: 404, code: 'PASSKEY_NOT_FOUND' })
})
