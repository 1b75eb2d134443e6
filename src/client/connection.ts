import { delay } from './delay.ts'
import { dataIn, errorOf, HoldfastError, unanswered } from './error.ts'

export interface ClientOptions {
  /** Where the instance is, such as `https://files.example.com`. */
  url: string
  /** An API key. Without one, requests carry the browser's cookie, or that of `auth.signIn()`. */
  key?: string
  /** Seconds that a call may wait, in all, when the server says that there were too many requests. */
  maxWaitSeconds?: number
  fetch?: typeof globalThis.fetch
}

/** What `fetch` takes as a body, of all it takes. */
export type Sendable = string | Blob | ReadableStream<Uint8Array>

export interface Ask {
  method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Parameters of the query; those that are undefined are left out. */
  query?: Record<string, string | number | undefined> | undefined
  /** What is sent as JSON. */
  json?: unknown
  /** What is sent as it is, and of which type. Made anew for each try; once only when it is a stream. */
  body?: { type: string; open: () => Sendable; once: boolean }
  headers?: Record<string, string>
  signal?: AbortSignal | undefined
}

/** The way to one instance, with the caller's credentials. */
export class Connection {
  /** Ends with a slash. */
  readonly url: string
  readonly #key: string | undefined
  readonly #fetch: typeof globalThis.fetch
  readonly #maxWaitSeconds: number
  /** The session's cookie, outside of browsers, which keep it themselves and show it to nobody. */
  #cookie = ''

  constructor({ url, key, maxWaitSeconds = 0, fetch = globalThis.fetch }: ClientOptions) {
    this.url = `${url.replace(/\/+$/, '')}/`
    this.#key = key
    this.#maxWaitSeconds = maxWaitSeconds
    this.#fetch = fetch.bind(globalThis)
  }

  /** The `data` of an answer. @throws {HoldfastError} */
  async data<Data>(path: string, ask: Ask = {}): Promise<Data> {
    return this.dataOf<Data>(await this.send(path, ask), ask.signal)
  }

  /** The `data` of an answer that has begun to arrive. @throws {HoldfastError} */
  async dataOf<Data>(response: Response, signal?: AbortSignal): Promise<Data> {
    return dataIn<Data>(await this.textOf(response, signal), this.url)
  }

  /** The text of an answer that has begun to arrive. @throws {HoldfastError} when it breaks off. */
  async textOf(response: Response, signal?: AbortSignal): Promise<string> {
    try {
      return await response.text()
    } catch (error) {
      throw unanswered(this.url, error, signal)
    }
  }

  /** An answer that succeeded, its body unread. @throws {HoldfastError} */
  async send(path: string, ask: Ask = {}): Promise<Response> {
    let waited = 0
    for (;;) {
      const response = await this.#fetchOnce(path, ask)
      this.#keepCookie(response)
      if (response.ok) return response
      // Asked for no time at all, a client would come back without end.
      const wait = Math.max(Number(response.headers.get('retry-after') ?? Number.NaN), 1)
      const mayWait = response.status === 429 && waited + wait <= this.#maxWaitSeconds && !ask.body?.once
      if (!mayWait) throw await this.#refusal(response, wait)
      await response.body?.cancel()
      waited += wait
      await delay(wait * 1000, ask.signal)
    }
  }

  /** A file as it is: were it compressed on the way, its length and its ranges would be others. */
  download(path: string, ask: Ask = {}): Promise<Response> {
    return this.send(path, { ...ask, headers: { ...ask.headers, 'Accept-Encoding': 'identity' } })
  }

  async #refusal(response: Response, retryAfter: number): Promise<HoldfastError> {
    const { status, headers } = response
    const elsewhere = headers.get('location')
    if (status < 400 && elsewhere !== null)
      return new HoldfastError(`${this.url} is not the server's address: it sends to ${elsewhere}`, {
        status,
      })
    return errorOf(status, await response.text().catch(() => ''), retryAfter)
  }

  /** The address of `path` with its query. */
  address(path: string, query: Ask['query'] = {}): string {
    const search = new URLSearchParams()
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) search.set(name, String(value))
    return `${this.url}${path}${search.size > 0 ? `?${search}` : ''}`
  }

  /** Headers that say who asks. Browsers drop a cookie that is named here, and send their own. */
  credentials(): Record<string, string> {
    if (this.#key !== undefined) return { 'API-Key': this.#key }
    return this.#cookie === '' ? {} : { Cookie: this.#cookie }
  }

  async #fetchOnce(
    path: string,
    { method = 'GET', query, json, body, headers, signal }: Ask,
  ): Promise<Response> {
    const address = this.address(path, query)
    const sent = json === undefined ? body : { type: 'application/json', open: () => JSON.stringify(json) }
    const init: RequestInit & { duplex?: 'half'; window?: null } = {
      method,
      headers: { ...this.credentials(), ...(sent?.type ? { 'Content-Type': sent.type } : {}), ...headers },
      credentials: this.#key === undefined ? 'include' : 'omit',
      ...(sent ? { body: sent.open(), duplex: 'half' } : {}),
      // The key is for this server alone. Node would copy a stream, and hold it, unless a redirect is an error.
      ...(body ? { redirect: 'error', window: null } : { redirect: 'manual' }),
      ...(signal ? { signal } : {}),
    }
    try {
      return await this.#fetch(address, init)
    } catch (error) {
      throw unanswered(this.url, error, signal)
    }
  }

  #keepCookie(response: Response): void {
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';')
      if (pair.includes('better-auth.session_token=')) this.#cookie = pair.endsWith('=') ? '' : pair
    }
  }
}
