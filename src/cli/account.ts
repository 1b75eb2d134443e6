import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import * as T from 'typebox'
import Value from 'typebox/value'
import { createClient, type HoldfastClient } from '../client/index.ts'
import { Failure } from './failure.ts'

type Environment = Record<string, string | undefined>

const Saved = T.Object({ url: T.String(), key: T.String() })
/** Address of a server and the API key for it. */
export type Login = T.Static<typeof Saved>

/** Maximum seconds that a command waits in total after responses with 429. */
const MAX_WAIT_SECONDS = 300

/** Returns the path of the login file (XDG Base Directory Specification). */
export const loginPath = (environment: Environment) =>
  join(
    environment['XDG_CONFIG_HOME'] || join(environment['HOME'] || homedir(), '.config'),
    'holdfast',
    'config.json',
  )

/** Stores a login for later commands, readable by its owner only. */
export function saveLogin(environment: Environment, login: Login): void {
  const path = loginPath(environment)
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  // A new file, because an existing one keeps its mode.
  const written = `${path}.${process.pid}`
  writeFileSync(written, `${JSON.stringify(login, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
  renameSync(written, path)
}

/** Removes the stored login. @returns False when there was none. */
export function removeLogin(environment: Environment): boolean {
  const path = loginPath(environment)
  const isThere = existsSync(path)
  rmSync(path, { force: true })
  return isThere
}

/**
 * Returns a client for `HOLDFAST_URL` and `HOLDFAST_KEY`, or for the stored login. A key alone uses the stored
 * address. An address alone is refused, because the stored key belongs to another server.
 *
 * @throws {Failure} without either.
 */
export function connect(environment: Environment): HoldfastClient {
  const { HOLDFAST_URL: url, HOLDFAST_KEY: key } = environment
  if (url && !key)
    throw new Failure(
      'Set HOLDFAST_KEY together with HOLDFAST_URL: the stored key belongs to another address',
    )
  if (url && key) return clientOf({ url, key })
  const login = readLogin(environment)
  return clientOf(key ? { ...login, key } : login)
}

/** Returns a client for an address. Without an API key it only makes calls that need none. */
export function clientOf({ url, key }: Pick<Login, 'url'> & Partial<Login>): HoldfastClient {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new Failure(`"${url}" is not an http or https address`)
  return createClient({ url, ...(key !== undefined && { key }), maxWaitSeconds: MAX_WAIT_SECONDS })
}

function readLogin(environment: Environment): Login {
  const path = loginPath(environment)
  try {
    return Value.Parse(Saved, JSON.parse(readFileSync(path, 'utf8')))
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    const why = isMissing ? 'You are not logged in' : `The login in "${path}" cannot be read`
    throw new Failure(`${why}. Run "holdfast login <url>", or set HOLDFAST_URL and HOLDFAST_KEY.`)
  }
}
