import { Chance } from '../support/chance.ts'
import { readState } from './inspect.ts'
import { importArchive, type Operation, replaceFile, type Scene } from './operations.ts'
import { differences, EMPTY, type FileState, partOf, type State, withoutFolder } from './state.ts'
import type { Account, Target } from './world.ts'

/** Status of a complete response, or its absence. */
export type Outcome = number | 'no answer'

interface Answer {
  status: number
  failed: { id: string }[]
}

/**
 * Client with its own folder. It tracks acknowledged changes, and so the states that a fault may leave: exactly one when
 * no request is in flight.
 */
export class Actor {
  readonly home: string
  readonly #chance: Chance
  #possible: readonly State[] = [EMPTY]
  #names = 0

  constructor(home: string, seed: number) {
    this.home = home
    this.#chance = new Chance(seed)
  }

  /** States that the server may be in. */
  get possible(): readonly State[] {
    return this.#possible
  }

  /** Returns the base of the next request. No request may be in flight. */
  scene(): Scene {
    const [state = EMPTY] = this.#possible
    const fresh = (what: string) => `${what}-${this.#names++}`
    return { home: this.home, state, chance: this.#chance, fresh }
  }

  /**
   * Deletes the client's folder and fills it again.
   *
   * @throws when a request fails.
   */
  async furnish(target: Target, account: Account | undefined): Promise<void> {
    if (this.scene().state.folders.has(this.home)) await this.#mustPerform(target, account, this.clear())
    await this.#mustPerform(target, account, this.refill())
    const filled = this.check(readState(target))
    const replacement = replaceFile(this.scene())
    if (replacement) await this.#mustPerform(target, account, replacement)
    const differences = [...filled, ...this.check(readState(target))]
    if (differences.length > 0) throw new Error(`The client's folder could not be filled: ${differences}`)
  }

  /** Returns a request that deletes the client's folder. */
  clear(): Operation {
    const { state } = this.scene()
    const states = [state, withoutFolder(state, this.home)]
    const body = { id: state.folders.get(this.home) }
    return { method: 'DELETE', path: '/api/folders', body, by: 'key', states }
  }

  /** Returns a request that creates and fills the client's folder, which must be missing. */
  refill(): Operation {
    return importArchive(this.scene(), this.home)
  }

  async #mustPerform(target: Target, account: Account | undefined, operation: Operation): Promise<void> {
    const outcome = await this.perform(target, account, operation)
    if (outcome !== 200) throw new Error(`${operation.method} ${operation.path} got ${outcome}`)
  }

  /** Replaces the expected state by the server's, unchecked. */
  adopt(actual: State): void {
    this.#possible = [partOf(actual, this.home)]
  }

  /** Sends a request and tracks the possible states during and after it. */
  async perform(target: Target, account: Account | undefined, operation: Operation): Promise<Outcome> {
    this.#possible = operation.states
    const answer = await send(target, account, operation).catch(() => undefined)
    if (!answer) return 'no answer'
    const [before, after] = [operation.states[0], operation.states.at(-1)]
    const isWhole = operation.states.length === 2
    if (answer.status === 200 && answer.failed.length === 0 && after) this.#possible = [after]
    if (answer.status >= 400 && isWhole && before) this.#possible = [before]
    return answer.failed.length > 0 ? 207 : answer.status
  }

  /** Makes all states of a request possible, because even a refused one may have been committed. */
  doubt({ states }: Operation): void {
    this.#possible = states
  }

  /** Returns a copy with the states that are possible now. */
  copy(): Actor {
    const copy = new Actor(this.home, 0)
    copy.#possible = this.#possible
    return copy
  }

  /** Copies unknown ids and times from the server's state. All other differences remain. */
  learn(actual: State): void {
    this.#possible = this.#possible.map((state) => identified(state, actual))
  }

  /**
   * Compares the server's state with the possible ones, then replaces them by it.
   *
   * @returns Differences to the closest possible state.
   */
  check(actual: State): string[] {
    const own = partOf(actual, this.home)
    const all = this.#possible.map((state) => differences(state, own))
    this.#possible = [own]
    if (all.some(({ length }) => length === 0)) return []
    const [shortest = []] = all.toSorted((a, b) => a.length - b.length)
    return shortest
  }
}

/** Checks the server's state with every client. Returns all differences. */
export function checkAll(actors: readonly Actor[], actual: State): string[] {
  return actors.flatMap((actor) => actor.check(actual).map((difference) => `${actor.home}: ${difference}`))
}

/** Returns a state whose unknown ids and times come from `actual`. */
function identified(state: State, actual: State): State {
  const files = [...state.files].map(([key, file]): [string, FileState] => {
    const { id, createdAt } = actual.files.get(key) ?? {}
    if (file.id !== undefined || id === undefined || createdAt === undefined) return [key, file]
    return [key, { ...file, id, createdAt }]
  })
  const folders = [...state.folders].map(([key, id]): [string, string | undefined] => [
    key,
    id ?? actual.folders.get(key),
  ])
  return { ...state, files: new Map(files), folders: new Map(folders) }
}

async function send(
  { fetch }: Target,
  account: Account | undefined,
  { method, path, body, headers: own, by }: Operation,
): Promise<Answer> {
  const isRaw = body instanceof FormData || Buffer.isBuffer(body)
  const headers = by === 'key' ? account?.withKey : by === 'session' ? { Cookie: account?.cookie ?? '' } : {}
  const response = await fetch(path, {
    method,
    headers: { ...headers, ...own },
    body: isRaw ? body : JSON.stringify(body),
  })
  const { data } = (await response.json()) as { data?: { failed?: { id: string }[] } | null }
  const status = response.status === 201 ? 200 : response.status
  return { status, failed: data?.failed ?? [] }
}
