import { type ChangeEvent, type Changes, createClient } from '../../src/client/index.ts'
import { eventually } from './eventually.ts'
import type { Holdfast } from './holdfast.ts'

/** Stream of changes, read as it comes. */
export class Watched implements AsyncDisposable {
  readonly response: Response
  readonly events: ChangeEvent[] = []
  /** Resolves when the stream has ended. */
  readonly ended: Promise<void>
  readonly #leave: AbortController
  /** Number of events that `next` has returned, or the first one. */
  #taken = 1

  constructor(response: Response, leave: AbortController) {
    this.response = response
    this.#leave = leave
    this.ended = this.#read()
  }

  async #read(): Promise<void> {
    const client = createClient({ url: 'http://read.test', fetch: asFetch(async () => this.response) })
    try {
      for await (const event of client.changes.watch()) this.events.push(event)
    } catch (error) {
      if (!this.#leave.signal.aborted) throw error
    }
  }

  /** Lets `next` return events from here on. */
  skip(): void {
    this.#taken = this.events.length
  }

  /** Returns the changes of the next event. */
  async next(): Promise<Changes> {
    await eventually(() => this.events.length > this.#taken)
    const { changes } = this.events[this.#taken] ?? {}
    this.#taken += 1
    if (!changes) throw new Error('The event has no changes')
    return changes
  }

  /** Waits for changes. */
  until(holds: (changes: Changes) => boolean): Promise<void> {
    return eventually(() => this.events.some(({ changes }) => changes && holds(changes)))
  }

  /** Returns the ids of all files of lists that have changed. */
  files(): string[] {
    return this.events.flatMap(({ changes }) => changes?.folders.flatMap(({ files }) => files ?? []) ?? [])
  }

  areas(): Set<string> {
    return new Set(this.events.flatMap(({ changes }) => changes?.areas ?? []))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#leave.abort()
    await this.ended
  }
}

const asFetch = (fetch: () => Promise<Response>): typeof globalThis.fetch =>
  Object.assign(fetch, { preconnect: () => {} })

/** Opens a stream of changes, and waits for its first event. */
export async function watch(
  { url }: Pick<Holdfast, 'url'>,
  headers: Record<string, string>,
): Promise<Watched> {
  const leave = new AbortController()
  const response = await fetch(`${url}/api/changes`, { headers, signal: leave.signal })
  if (response.status !== 200) {
    const after = response.headers.get('retry-after')
    throw new Error(`The stream was refused with ${response.status}, again after ${after}`)
  }
  const watched = new Watched(response, leave)
  await eventually(() => watched.events.length > 0)
  return watched
}
