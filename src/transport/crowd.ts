import { readFileSync } from 'node:fs'

export interface CrowdLimits {
  /** Maximum open connections of all clients together; 0 turns the limit off. */
  all: number
  /** Maximum open connections of one client; 0 turns the limit off. */
  each: number
  /**
   * Returns the name under which an address is counted, or `undefined` for one that is shared by clients,
   * such as a proxy.
   */
  clientOf: (address: string) => string | undefined
}

/** Counts the open connections of one server, and refuses those past its limits. */
export class Crowd {
  readonly #limits: CrowdLimits
  readonly #byClient = new Map<string, number>()
  #count = 0

  constructor(limits: CrowdLimits) {
    this.#limits = limits
  }

  /** Admits a connection from `address`, or returns false past a limit. */
  enter(address: string): boolean {
    const { all, each, clientOf } = this.#limits
    if (all > 0 && this.#count >= all) return false
    const client = clientOf(address)
    if (client !== undefined) {
      const open = this.#byClient.get(client) ?? 0
      if (each > 0 && open >= each) return false
      this.#byClient.set(client, open + 1)
    }
    this.#count += 1
    return true
  }

  /** Releases the place of an admitted connection. */
  leave(address: string): void {
    this.#count -= 1
    const client = this.#limits.clientOf(address)
    if (client === undefined) return
    const left = (this.#byClient.get(client) ?? 1) - 1
    if (left > 0) this.#byClient.set(client, left)
    else this.#byClient.delete(client)
  }
}

/** Open files that belong to no connection: database and its readers, log, standard streams, cached files. */
const OWN_FILES = 64
/** The same for an object store: connections to it, blobs that are fetched, and those that archives open ahead. */
const STORE_FILES = 160

/**
 * Returns the number of connections that the process can afford: each may open a file beside its socket. At
 * the limit of open files the runtime would try to accept the next one without end. Under a low limit, half
 * of the files remain for connections: 13 files are open after a start, 29 with all readers of the database.
 */
export function affordableConnections(hasObjectStore: boolean, openFiles: number = maxOpenFiles()): number {
  const own = Math.min(OWN_FILES + (hasObjectStore ? STORE_FILES : 0), openFiles / 2)
  return Math.max(1, Math.floor((openFiles - own) / 2))
}

/** Returns the limit of open files. Systems other than Linux do not report it. */
function maxOpenFiles(): number {
  try {
    const [, limit] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1')) ?? []
    return limit === undefined ? Number.POSITIVE_INFINITY : Number(limit)
  } catch {
    return Number.POSITIVE_INFINITY
  }
}
