import { describe, expect, mock, test } from 'bun:test'
import { createAuthClient } from 'better-auth/client'
import { bySession } from '../support/accounts.ts'
import { ADMIN } from '../support/holdfast.ts'
import { withoutAccounts } from './without-accounts.ts'

const holdfast = withoutAccounts({ TRUSTED_ORIGINS: 'holdfast://' })

// What the client takes from the phone: its native modules exist only there.
mock.module('react-native', () => ({
  Platform: { OS: 'ios' },
  AppState: { addEventListener: () => ({ remove: () => {} }) },
}))
mock.module('expo-constants', () => ({ default: {} }))
mock.module('expo-linking', () => ({
  createURL: (path: string, { scheme }: { scheme: string }) => `${scheme}://${path}`,
}))
mock.module('expo-network', () => ({ addNetworkStateListener: () => ({ remove: () => {} }) }))
const { expoClient } = await import('@better-auth/expo/client')

/** Creates better-auth's client for Expo apps. `sent` are the headers of its requests. */
function phoneClient(scheme: string) {
  const stored = new Map<string, string>()
  const sent: Headers[] = []
  const storage = {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => void stored.set(key, value),
    getItemAsync: async (key: string) => stored.get(key) ?? null,
    setItemAsync: async (key: string, value: string) => void stored.set(key, value),
  }
  const client = createAuthClient({
    baseURL: holdfast.url,
    plugins: [expoClient({ scheme, storage })],
    fetchOptions: {
      customFetchImpl: (input: unknown, init?: RequestInit) => {
        const request = new Request(String(input), init)
        sent.push(request.headers)
        return fetch(request)
      },
    },
  })
  return { client, sent, stored }
}

describe('better-auth’s client for Expo', () => {
  test('signs up, keeps its cookie, reads the session, signs out and signs in again', async () => {
    const { client, sent } = phoneClient('holdfast')

    expect((await client.signUp.email(ADMIN)).data?.user.email).toBe(ADMIN.email)
    expect((await client.getSession()).data?.user.email).toBe(ADMIN.email)
    const cookie = await client.getCookie()
    expect(cookie).toMatch(/^better-auth\.session_token=/)

    expect((await client.signOut()).data?.success).toBe(true)
    expect(await client.getCookie()).toBe('')
    expect((await client.getSession()).data).toBeNull()

    const { email, password } = ADMIN
    expect((await client.signIn.email({ email, password })).data?.user.email).toBe(email)
    expect((await client.getSession()).data?.user.email).toBe(email)
    expect(sent.every((headers) => headers.get('expo-origin') === 'holdfast://')).toBe(true)
    expect(sent.some((headers) => headers.has('origin'))).toBe(false)
  })

  test('calls the rest of the API with the cookie it kept', async () => {
    const { client } = phoneClient('holdfast')
    await client.signUp.email(ADMIN)

    const api = bySession(holdfast, await client.getCookie())

    expect(await api.data<object>('PUT', '/me', { name: 'Grace' })).toMatchObject({ user: { name: 'Grace' } })
    expect((await client.getSession()).data?.user.name).toBe('Grace')
  })

  test('with a scheme that is not trusted reads the session but changes nothing with it', async () => {
    const other = phoneClient('other-app')
    await other.client.signUp.email(ADMIN)
    const cookie = await other.client.getCookie()

    expect((await other.client.getSession()).data?.user.email).toBe(ADMIN.email)
    const signedIn = await other.client.signIn.email({ email: ADMIN.email, password: ADMIN.password })

    expect(signedIn.error).toMatchObject({ status: 403, code: 'INVALID_ORIGIN' })
    expect(await other.client.getCookie()).toBe(cookie)
  })
})
