import { isCancel, password } from '@clack/prompts'
import { clientOf, type Login, saveLogin } from './account.ts'
import { Failure } from './failure.ts'
import type { Remote } from './remote.ts'

/**
 * `login <url>`: checks an API key and keeps it. It is asked for, or read from standard input: everybody on the
 * machine can read the words of a command.
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
  if (isCancel(answer) || !answer) throw new Failure('Nobody was logged in')
  return answer.trim()
}
