import { isCancel, password } from '@clack/prompts'
import { type HoldfastClient, HoldfastError } from '../client/index.ts'
import { clientOf, connect, type Login, removeLogin, saveLogin } from './account.ts'
import { Failure } from './failure.ts'
import type { Remote } from './remote.ts'
import type { Terminal } from './terminal.ts'

/** Ways to log in: a person approves in a browser, or gives an API key. */
interface LoginOptions {
  browser?: boolean
  key?: boolean
}

/** Gets an API key, checks it and stores it: `login <url>`. */
export async function login(
  remote: Remote,
  url: string,
  { browser, key: asks }: LoginOptions,
): Promise<number> {
  const { environment, terminal } = remote
  const isInBrowser = browser || (terminal.canAsk && !asks)
  const key = isInBrowser
    ? await askInBrowser(remote, url)
    : await askForSecret(terminal, {
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

/** Returns an API key that a person approves in a browser (RFC 8628). @throws {Failure} when it was denied or took too long. */
async function askInBrowser({ terminal, machine, sleep }: Remote, url: string): Promise<string> {
  const client = clientOf({ url })
  await assertHoldfast(client)
  const name = `CLI on ${machine}`
  const asking = await client.auth.askForKey({ client_id: name })
  terminal.warn(`Open ${asking.verification_uri_complete}`)
  terminal.warn(`and approve the code ${asking.user_code}. Waiting for you …`)
  const token = { device_code: asking.device_code, client_id: name }
  for (let interval = asking.interval; ; ) {
    await sleep(interval * 1000)
    try {
      return (await client.auth.pollForKey(token)).access_token
    } catch (error) {
      const code = error instanceof HoldfastError ? error.code : undefined
      if (code === 'slow-down') interval += 5
      else if (code === 'access-denied') throw new Failure('The login was denied in the browser')
      else if (code === 'expired-token') throw new Failure('The code has expired. Run the command again.')
      else if (code !== 'authorization-pending') throw error
    }
  }
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
export async function whoAmI({ environment, terminal }: Remote): Promise<number> {
  const client = connect(environment)
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
