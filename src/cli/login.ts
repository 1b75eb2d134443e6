import { clientOf, type Login, saveLogin } from './account.ts'
import type { Remote } from './remote.ts'
import { askForSecret } from './secret.ts'

/** Checks an API key and stores it: `login <url>`. */
export async function login({ environment, terminal }: Remote, url: string): Promise<number> {
  const key = await askForSecret(terminal, {
    message: 'An API key (make one in the dashboard, or POST /api/keys)',
    canceled: 'Login canceled',
  })
  const { user } = await clientOf({ url, key }).account.get()
  saveLogin(environment, { url: url.replace(/\/+$/, ''), key } satisfies Login)
  terminal.warn(`Logged in to ${url} as ${user.email}`)
  return 0
}
