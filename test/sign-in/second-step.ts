import { codeOf, stepAt } from '../../src/modules/sign-in/codes/totp.ts'
import type { User } from '../support/accounts.ts'
import { ADMIN, BASE_URL, type Holdfast, postJson } from '../support/holdfast.ts'

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

function bytesOf(base32: string): Uint8Array {
  const bits = [...base32].map((letter) => BASE32.indexOf(letter).toString(2).padStart(5, '0')).join('')
  return Uint8Array.from(bits.match(/.{8}/g) ?? [], (byte) => Number.parseInt(byte, 2))
}

/** Returns the codes that an app shows, which was added by an `otpauth:` address. */
export function appOf(totpURI: string): (epochMs: number) => string {
  const secret = bytesOf(new URL(totpURI).searchParams.get('secret') ?? '')
  return (epochMs) => codeOf(secret, stepAt(epochMs))
}

export interface Enabled {
  codeAt: (epochMs: number) => string
  backupCodes: string[]
}

/** Adds an app to an account with the password of all accounts, without its first code. */
export async function addApp(holdfast: Holdfast, user: User): Promise<Enabled> {
  const password = { password: ADMIN.password }
  const response = await postJson(holdfast, '/api/auth/two-factor/enable', password, user.withSession)
  if (response.status !== 200) throw new Error(`Cannot enable codes: ${await response.text()}`)
  const { totpURI, backupCodes } = (await response.json()) as { totpURI: string; backupCodes: string[] }
  return { codeAt: appOf(totpURI), backupCodes }
}

/** Enables codes for an account. The code of this moment is used up with it. */
export async function enableCodes(holdfast: Holdfast, user: User): Promise<Enabled> {
  const app = await addApp(holdfast, user)
  const code = app.codeAt(holdfast.now())
  const response = await postJson(holdfast, '/api/auth/two-factor/verify-totp', { code }, user.withSession)
  if (response.status !== 200) throw new Error(`The first code is refused: ${await response.text()}`)
  return app
}

/** Returns the cookies of a response, without those that it removes. */
export function cookiesOf(response: Response): Map<string, string> {
  const pairs = response.headers.getSetCookie().map((line) => {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
    return [name, value] as const
  })
  return new Map(pairs.filter(([, value]) => value !== ''))
}

/** Returns request headers with cookies, from the instance's own pages. */
export const withCookies = (...cookies: ReadonlyMap<string, string>[]) => ({
  Cookie: cookies
    .flatMap((some) => [...some])
    .map(([name, value]) => `${name}=${value}`)
    .join('; '),
  Origin: BASE_URL,
})

/** Sends the password of an account, and returns headers with the cookie of the second step. */
export async function beginStep(holdfast: Pick<Holdfast, 'fetch'>, email: string) {
  const response = await postJson(holdfast, '/api/auth/sign-in/email', { email, password: ADMIN.password })
  const cookies = cookiesOf(response)
  return { response, cookies, headers: withCookies(cookies) }
}
