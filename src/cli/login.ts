import { isCancel, password } from '@clack/prompts'
import { clientOf, type Login, saveLogin } from './account.ts'
import { Failure } from './failure.ts'
import type { Remote } from './remote.ts'
import type { Terminal } from './terminal.ts'

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

/**
 * Reads a secret from a prompt or standard input. It is never an argument, because every user of the machine can read
 * those.
 *
 * @throws {Failure} when the prompt is canceled.
 */
export async function askForSecret(
  { canAsk, errors, input }: Terminal,
  { message, canceled }: { message: string; canceled: string },
): Promise<string> {
  if (!canAsk) return (await new Response(input()).text()).trim()
  const answer = await password({ message, output: errors })
  if (isCancel(answer) || !answer) throw new Failure(canceled)
  return answer.trim()
}
