import { isCancel, password } from '@clack/prompts'
import { type HoldfastClient, HoldfastError } from '../client/index.ts'
import { clientOf, type Login, removeLogin, saveLogin } from './account.ts'
import { Failure } from './failure.ts'
import type { Remote } from './remote.ts'
import type { Terminal } from './terminal.ts'

/** Checks an API key and stores it: `login <url>`. */
export async function login({ environment, terminal }: Remote, url: string): Promise<number> {
  const key = await askForSecret(terminal, {
    message: 'An API key (make one in the dashboard, or POST /api/keys)',
    canceled: 'Login canceled',
  })
  const client = clientOf({ url, key })
  await assertHoldfast(client)
  const { user } = await client.account.get()
  saveLogin(environment, { url: url.replace(/\/+$/, ''), key } satisfies Login)
  terminal.warn(`Logged in to ${url} as ${user.email}`)
  return 0
}

/** @throws {Failure} when something else responds at the address, such as a page of the dashboard. */
async function assertHoldfast(client: HoldfastClient): Promise<void> {
  try {
    await client.setup()
  } catch (error) {
    const isOther = error instanceof HoldfastError && (error.code ?? 'not-found') === 'not-found'
    const isRedirect = isOther && error.status >= 300 && error.status < 400
    if (!isOther || isRedirect) throw error
    throw new Failure(
      `No Holdfast answers at ${client.url}api. Use the address of the instance, such as https://files.example.com`,
    )
  }
}

/** Prints the account, the folders and the scopes of the stored API key: `whoami`. */
export async function whoAmI({ client: connect, terminal }: Remote): Promise<number> {
  const client = connect()
  const { user, scopes, folders, nested = [], contact = 'An admin' } = await client.account.get()
  await terminal.print(`${user.email} (${user.role}) at ${client.url}`)
  for (const { key, rights } of [...(folders ?? []), ...nested])
    await terminal.print(`${key}/: ${rights.join(', ')}`)
  if (folders?.length === 0) terminal.warn(`It reaches no folder yet. ${contact} can let it into one.`)
  terminal.warn(`This API key may use: ${scopes.join(', ')}`)
  return 0
}

/** Removes the stored address and API key: `logout`. */
export async function logOut({ environment, terminal }: Remote): Promise<number> {
  terminal.warn(
    removeLogin(environment)
      ? 'Logged out. The API key remains valid until you delete it in the dashboard.'
      : 'You were not logged in.',
  )
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
