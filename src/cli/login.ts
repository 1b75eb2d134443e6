import { isCancel, password } from '@clack/prompts'
import { clientOf, type Login, saveLogin } from './account.ts'
import { Failure } from './failure.ts'
import type { Remote } from './remote.ts'

/**
 * Checks an API key and stores it: `login <url>`. The key comes from a prompt or standard input, because every user
 * of the machine can read a command's arguments.
 */
export async function login({ environment, terminal }: Remote, url: string): Promise<number> {
  const key = await askForKey(terminal)
  const { user } = await clientOf({ url, key }).account.get()
  saveLogin(environment, { url: url.replace(/\/+$/, ''), key } satisfies Login)
  terminal.warn(`Logged in to ${url} as ${user.email}`)
  return 0
}

async function askForKey({ canAsk, errors, input }: Remote['terminal']): Promise<string> {
  if (!canAsk) return (await new Response(input()).text()).trim()
  const answer = await password({
    message: 'An API key (make one in the dashboard, or POST /api/keys)',
    output: errors,
  })
  if (isCancel(answer) || !answer) throw new Failure('Login canceled')
  return answer.trim()
}
