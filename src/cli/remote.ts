import type { HoldfastClient } from '../client/index.ts'
import { connect } from './account.ts'
import type { Terminal } from './terminal.ts'

/** What the commands that speak with a server are given. */
export interface Remote {
  environment: Record<string, string | undefined>
  terminal: Terminal
  /** Returns a new UUID. */
  newId: () => string
  /** The client of whoever is logged in. @throws {Failure} */
  client: () => HoldfastClient
}

export const createRemote = (given: Omit<Remote, 'client'>): Remote => ({
  ...given,
  client: () => connect(given.environment),
})

/** A key as people write it: outer slashes do not count. */
export const tidy = (key: string) => key.split('/').filter(Boolean).join('/')

export const nameOf = (key: string) => key.slice(key.lastIndexOf('/') + 1)

/** The key of the folder that `key` is in; the root's is the empty string. */
export const parentOf = (key: string) => key.slice(0, Math.max(key.lastIndexOf('/'), 0))
