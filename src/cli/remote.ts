import type { Terminal } from './terminal.ts'

/** Dependencies of the commands that talk to a server. */
export interface Remote {
  environment: Record<string, string | undefined>
  terminal: Terminal
  /** Returns a new UUID. */
  newId: () => string
  /** Returns the time in milliseconds since 1970. */
  now: () => number
  /** Waits for a time in milliseconds. */
  sleep: (ms: number) => Promise<void>
  /** Name of this machine. */
  machine: string
}

/** Returns an object key without outer slashes. */
export const tidy = (key: string) => key.split('/').filter(Boolean).join('/')

export const nameOf = (key: string) => key.slice(key.lastIndexOf('/') + 1)

/** Returns the path of an object key below a folder. */
export const pathIn = (folder: string, key: string) => (folder === '' ? key : key.slice(folder.length + 1))

/** Returns the object key of the parent folder; empty for the root. */
export const parentOf = (key: string) => key.slice(0, Math.max(key.lastIndexOf('/'), 0))
